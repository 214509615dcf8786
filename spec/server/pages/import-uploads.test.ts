// Decision D33: uploads of files for imports, by requests that come at once
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { IMPORT_UPLOADS_PER_MAILBOX_MAX } from '../../../server/base/import-limits.ts'
import { HttpProblem } from '../../../server/http/problem.ts'
import type { StagedStore } from '../../../server/imports/staging/staged-store.ts'
import { ImportUploads } from '../../../server/pages/import-upload/import-uploads.ts'

const SIZE = 10

/** Uploads by tokens such as `1-a`: a file of the account 1. */
async function startUploads(t: Test) {
  const files = new Map<string, Buffer>()
  const complete = new Set<string>()
  /** Called with the number of look-ups so far, before one is answered. */
  let onFind: (count: number) => Promise<void> = async () => {}
  let finds = 0
  const staged: Pick<StagedStore, 'offset' | 'append' | 'remove'> = {
    offset: async (place) => files.get(place)?.length ?? 0,
    async append(place, _range, chunks) {
      for await (const chunk of chunks) files.set(place, Buffer.concat([files.get(place) ?? Buffer.alloc(0), chunk]))
      return files.get(place)?.length ?? 0
    },
    remove: async (place) => void files.delete(place),
  }
  const imports = {
    async findUpload(token: string) {
      const found = { account: Number(token.split('-')[0]), id: 1, name: token, size: SIZE, place: token }
      const upload = { ...found, isComplete: complete.has(token) }
      await onFind(++finds)
      return upload
    },
    async completeUpload(account: number) {
      for (const place of files.keys()) if (place.startsWith(`${account}-`)) complete.add(place)
      return true
    },
  }
  const pages = new ImportUploads({ core: { imports }, staged } as unknown as ConstructorParameters<
    typeof ImportUploads
  >[0])
  const server = createServer((request, response) => {
    pages.answer(request, response, request.url!).catch((error: unknown) => {
      response.statusCode = error instanceof HttpProblem ? error.details.status : 500
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const put = async (token: string, body = 'x'.repeat(SIZE)) =>
    (await fetch(`http://127.0.0.1:${port}/imports/files/${token}`, { method: 'PUT', body })).status
  const slow = (token: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`PUT /imports/files/${token} HTTP/1.1\r\nHost: x\r\nContent-Length: ${SIZE}\r\n\r\nx`)
    return socket
  }
  return { files, put, slow, waitAt: (wait: typeof onFind) => (onFind = wait) }
}

t.test('a request that has looked before another one ended does not write on', async (t) => {
  const { files, put, waitAt } = await startUploads(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  waitAt((count) => (count === 1 ? promise : Promise.resolve()))
  const late = put('1-a', 'y'.repeat(SIZE))
  t.equal(await put('1-a'), 200)
  resolve()
  t.equal(await late, 409)
  t.equal(files.get('1-a')?.toString(), 'x'.repeat(SIZE))
})

t.test('a mailbox whose client sends slowly leaves room to others', async (t) => {
  const { files, put, slow } = await startUploads(t)
  const sockets = Array.from({ length: IMPORT_UPLOADS_PER_MAILBOX_MAX }, (_, i) => slow(`1-${i}`))
  // Each of them has begun when its first octet is there.
  while (files.size < sockets.length) await new Promise(setImmediate)
  t.equal(await put('1-more'), 503)
  t.equal(await put('2-other'), 200)
  const closed = sockets.map((socket) => once(socket, 'close'))
  for (const socket of sockets) socket.destroy()
  await Promise.all(closed)
  let status = await put('1-more')
  for (let i = 0; i < 1_000 && status === 503; i++) status = await put('1-more')
  t.equal(status, 200, 'control')
})
