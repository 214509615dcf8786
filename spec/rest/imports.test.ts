// Decisions D12 and D33
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createServer } from '../../server/base/http/node-http.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { HttpProblem, sendProblem } from '../../server/http/problem.ts'
import { openSource } from '../../server/imports/open-source.ts'
import { StagedFolder } from '../../server/imports/staging/staged-folder.ts'
import { ImportUploads } from '../../server/pages/import-upload/import-uploads.ts'
import { ImportWorker } from '../../server/workers/imports/import-worker.ts'
import { sweepStaged } from '../../server/workers/imports/staged-sweep.ts'
import { faults, startApi } from '../support/rest-api.ts'

const HOUR_MS = 3_600_000

t.test('imports by REST', async (t) => {
  const logins: unknown[] = []
  const api = await startApi(t, {
    imapLogin: async (account) => {
      logins.push(account)
      return account.password === 'right'
        ? { host: 'imap.found.example', port: 1993, security: 'tls', username: 'd' }
        : { code: 'source_authentication_failed', message: 'The server refuses the password.' }
    },
  })
  const { ask, core, clock, mailbox } = api
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-imports-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const staged = new StagedFolder(folder, () => true)
  const uploads = new ImportUploads({ core, staged })
  const server = createServer((request, response) => {
    uploads.answer(request, response, request.url!).catch((error: unknown) => {
      if (error instanceof HttpProblem) sendProblem(response, error)
      else response.writeHead(500).end(String(error))
    })
  })
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
  t.teardown(() => server.close())
  const worker = new ImportWorker({
    core,
    clock,
    logger: silentLogger,
    openSource: (source) => openSource({ staged, openImap: null }, source),
  })
  const work = async () => {
    worker.start()
    await worker.settled()
    await worker.stop()
  }

  /** @param cut ends the connection after the body, before all octets that the header promises */
  const send = (
    method: string,
    url: string,
    body: Buffer | null = null,
    { headers = {}, cut = false }: { headers?: Record<string, string | number>; cut?: boolean } = {},
  ) =>
    new Promise<{ status: number; offset: string | undefined }>((resolve) => {
      const sent = httpRequest({ port, method, path: new URL(url).pathname, headers }, (response) => {
        response.resume()
        response.on('end', () =>
          resolve({ status: response.statusCode!, offset: response.headers['upload-offset'] as string | undefined }),
        )
      })
      sent.on('error', () => resolve({ status: 0, offset: undefined }))
      if (cut) sent.write(body, () => setImmediate(() => sent.destroy()))
      else sent.end(body)
    })

  const path = (box: { accountId: string }) => `/v1/mailboxes/${box.accountId}/imports`
  const stage = async (box: { accountId: string }, file_name: string, size_bytes: number) =>
    (await ask('POST', `${path(box)}/files`, { body: { file_name, size_bytes } })).body
  const start = (box: { accountId: string }, source: object, options = {}) =>
    ask('POST', path(box), { body: { source, options } })
  const EML = Buffer.from('From: a@example.org\r\nSubject: Moved\r\nMessage-ID: <m@x>\r\n\r\nText\r\n')

  t.test('a file is uploaded, imported, and the import undone', async (t) => {
    const box = await mailbox('ada')
    const file = await stage(box, 'One.EML', EML.length)
    t.match(file, { object: 'import_file', file_id: /^impf_/ })
    const files = { type: 'files', provider: 'generic', file_ids: [file.file_id] }
    t.match(faults(await start(box, files)), [['source.file_ids', 'unknown_reference']], 'not uploaded yet')
    t.equal((await send('PUT', file.upload_url, EML.subarray(1))).status, 422, 'a wrong size')
    t.same(await send('PUT', file.upload_url, EML), { status: 200, offset: String(EML.length) })
    t.equal((await send('PUT', file.upload_url, EML)).status, 409, 'a second time')
    const wrong = await start(box, files, { target_folder_id: 'fld_nothing' })
    t.match(faults(wrong), [['options.target_folder_id', 'unknown_reference']])
    t.equal((await start(box, files, { speed: 'fast' })).status, 422, 'an unknown option')
    const started = await start(box, files)
    t.match(started, {
      status: 201,
      body: {
        object: 'import',
        mailbox_id: box.accountId,
        address: box.address,
        status: 'queued',
        source: { type: 'files', provider: 'generic', email: null, host: null, file_names: ['One.EML'] },
        options: { range: 'all', include_spam: false, include_trash: false, folders: null, exclude_folders: [] },
        started_at: null,
      },
    })
    t.match(await start(box, files), { status: 422 }, 'its file is used')
    const other = await stage(box, 'b.eml', EML.length)
    await send('PUT', other.upload_url, EML)
    const again = { ...files, file_ids: [other.file_id] }
    t.match(await start(box, again), { status: 409, body: { error: { code: 'import_running' } } })
    const { id } = started.body
    t.equal((await ask('POST', `${path(box)}/${id}/undo`)).status, 409, 'an import that runs is not undone')
    await work()
    const done = (await ask('GET', `${path(box)}/${id}`)).body
    t.match(done, {
      status: 'completed',
      counters: { total: 1, processed: 1, imported: 1, bytes_imported: EML.length },
      folders: [{ name: 'Inbox', target_folder_id: box.roles['inbox'], imported: 1, status: 'done' }],
    })
    t.equal((await ask('POST', `${path(box)}/${id}/cancel`)).status, 409)
    const inbox = async () => (await ask('GET', `/v1/mailboxes/${box.accountId}/inbox/messages`)).body.data.length
    t.equal(await inbox(), 1)
    t.match(await ask('POST', `${path(box)}/${id}/undo`), { status: 200, body: { status: 'undo_queued' } })
    await work()
    t.match((await ask('GET', path(box))).body, { data: [{ id, status: 'undone', counters: { undone: 1 } }] })
    t.equal(await inbox(), 0)
    t.equal(readdirSync(folder).length, 2)
    t.same(await sweepStaged({ core, staged }), { files: 1 }, 'the file of the import is deleted')
    await clock.advance(25 * HOUR_MS)
    await sweepStaged({ core, staged })
    t.same(readdirSync(folder), [], 'after a day the unused one, too')
    t.equal((await send('HEAD', other.upload_url)).status, 404)
  })

  t.test('an upload goes on where it was cut, and takes exactly its octets', async (t) => {
    const box = await mailbox('bob')
    const octets = Buffer.alloc(300_000, 'x')
    const { upload_url: url } = await stage(box, 'a.mbox', octets.length)
    const head = async () => Number((await send('HEAD', url)).offset)
    await send('PUT', url, octets.subarray(0, 100_000), { headers: { 'Content-Length': octets.length }, cut: true })
    const part = (from: number, to: number) =>
      send('PUT', url, octets.subarray(from, to), {
        headers: { 'Content-Range': `bytes ${from}-${to - 1}/${octets.length}` },
      })
    // The server notices the cut a moment later: until then the file is being written.
    let answer = await part(await head(), 150_000)
    while (answer.status === 409) answer = await part(await head(), 150_000)
    t.match(answer, { status: 202, offset: '150000' })
    t.match(await part(160_000, 170_000), { status: 409, offset: '150000' }, 'a gap')
    t.equal(await head(), 150_000)
    for (const range of ['bytes 150000-150010/9', 'bytes 5-4/300000', 'bytes 0-999999/300000', 'items 1-2/3'])
      t.equal((await send('PUT', url, Buffer.alloc(1), { headers: { 'Content-Range': range } })).status, 422, range)
    t.equal((await send('PUT', url, Buffer.alloc(400_000))).status, 422)
    t.equal(await head(), 150_000, 'a refused request changes nothing')
    t.match(await part(150_000, 300_000), { status: 200, offset: '300000' })
    for (const wrong of [
      `${url}x`,
      url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
      url.replace('impf_', 'impf_b'),
    ])
      t.equal((await send('HEAD', wrong)).status, 404, 'another signature')
    t.equal((await send('POST', url, EML)).status, 405)
  })

  t.test('names and sizes of files are checked', async (t) => {
    const box = await mailbox('carl')
    for (const [file_name, size_bytes] of [
      ['a.pst', 1],
      ['../a.mbox', 1],
      ['mbox', 1],
      ['a.mbox', 0],
      ['a.mbox', 4_294_967_297],
      ['a.mbox', 1.5],
    ] as const)
      t.equal((await ask('POST', `${path(box)}/files`, { body: { file_name, size_bytes } })).status, 422, file_name)
    for (const name of ['A.MBOX', 'a.mbox.gz', 'takeout.zip', 'ä b.eml'])
      t.match(await stage(box, name, 4_294_967_296), { object: 'import_file' }, name)
  })

  t.test('the login of an IMAP account is tried first, and its password is nowhere', async (t) => {
    const box = await mailbox('dora')
    const account = { type: 'imap', provider: 'imap', email: 'd@example.org' }
    const refused = await start(box, { ...account, password: 'wrong' })
    t.match(refused, { status: 422, body: { error: { code: 'source_authentication_failed' } } })
    for (const source of [
      account,
      { ...account, password: 'right', file_ids: ['x'] },
      { ...account, password: 'right', provider: 'gmail', host: 'imap.example.org' },
      { ...account, password: 'right', provider: 'takeout' },
      { type: 'files', provider: 'gmail', file_ids: [] },
      { type: 'files', provider: 'generic', file_ids: [] },
      { type: 'outlook', provider: 'imap' },
    ])
      t.equal((await start(box, source)).status, 422)
    t.equal(logins.length, 1, 'nothing is sent for a request that is not valid')
    const started = await start(box, { ...account, password: 'right' })
    t.match(started, { status: 201, body: { source: { host: 'imap.found.example', email: 'd@example.org' } } })
    const rows = async () => JSON.stringify(await api.store.read(({ sql }) => sql.raw('select * from import')))
    t.match(await rows(), '"secret":"v1.', 'control: it is sealed')
    const found =
      /\\"host\\":\\"imap\.found\.example\\",\\"port\\":1993,\\"security\\":\\"tls\\",\\"username\\":\\"d\\"/
    t.match(await rows(), found, 'what was found is not looked for again')
    for (const text of [started.text, await rows()]) t.notMatch(text, 'right')
    await ask('POST', `${path(box)}/${started.body.id}/cancel`)
    t.notMatch(await rows(), '"secret":"v1.', 'it is deleted at the end')
  })
})
