import t, { type Test } from 'tap'
import { endpoint } from '../../rest/endpoint.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import { object, optional, string } from '../../rest/schema/schema.ts'
import { disposition } from '../../server/base/http/files.ts'
import { ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

/** A file of `size` octets that count up, with the ranges that were read. */
function download(size: number, type = 'application/pdf') {
  const reads: [number, number][] = []
  const file = endpoint({
    method: 'GET',
    path: '/v1/file',
    operationId: 'file',
    tag: TAG,
    summary: 'A file',
    scope: 'messages:read',
    tier: 'read',
    query: object({ name: optional(string()) }),
    status: 200,
    response: null,
    errors: ['range_not_satisfiable'],
    stream: async ({ query }) => ({
      type,
      name: query.name ?? 'report.pdf',
      tag: 'blb_1',
      size,
      read: async (start, end) => {
        reads.push([start, end])
        return Uint8Array.from({ length: end - start }, (_, i) => (start + i) % 256)
      },
    }),
  })
  return { file, reads }
}

async function start(t: Test, size: number, type?: string) {
  const { file, reads } = download(size, type)
  const server = await startRest(createRouter([file], testDeps(new ScriptedCore())))
  t.teardown(() => server.close())
  const ask = async (headers: Record<string, string> = {}, path = '/v1/file', method = 'GET') => {
    const auth = { Authorization: 'Bearer sk_owner', ...headers }
    const response = await fetch(server.url + path, { method, headers: auth })
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
  return { ask, reads }
}

t.test('a file is sent whole, with header fields that keep a browser from running it', async (t) => {
  const { ask } = await start(t, 300)
  const { status, headers, bytes } = await ask()
  t.equal(status, 200)
  t.same([bytes.length, bytes[299]], [300, 43])
  t.equal(headers.get('content-type'), 'application/pdf')
  t.equal(headers.get('content-length'), '300')
  t.equal(headers.get('content-disposition'), `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`)
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.match(headers.get('content-security-policy'), /sandbox/)
  t.equal(headers.get('cache-control'), 'private, no-cache')
  t.equal(headers.get('etag'), '"blb_1"')
  t.match(headers.get('x-request-id'), /^req_/)
})

t.test('a large file is read piece by piece', async (t) => {
  const { ask, reads } = await start(t, 9_000_000)
  const { bytes } = await ask()
  t.equal(bytes.length, 9_000_000)
  t.equal(bytes[8_999_999], 8_999_999 % 256)
  t.equal(reads.length, 3)
})

t.test('a range is answered with that part', async (t) => {
  const { ask } = await start(t, 300)
  const cases: [string, string, number, number][] = [
    ['bytes=0-9', 'bytes 0-9/300', 10, 0],
    ['bytes=290-', 'bytes 290-299/300', 10, 34],
    ['bytes=-5', 'bytes 295-299/300', 5, 39],
    ['bytes=298-1000', 'bytes 298-299/300', 2, 42],
    ['bytes=-1000', 'bytes 0-299/300', 300, 0],
  ]
  for (const [range, told, length, first] of cases) {
    const { status, headers, bytes } = await ask({ Range: range })
    t.same([status, headers.get('content-range'), bytes.length, bytes[0]], [206, told, length, first], range)
    t.equal(headers.get('content-length'), String(length))
  }
})

t.test('a range outside of the file is refused with its size', async (t) => {
  const { ask } = await start(t, 300)
  for (const range of ['bytes=300-', 'bytes=-0', 'bytes=500-600']) {
    const { status, headers } = await ask({ Range: range })
    t.same([status, headers.get('content-range')], [416, 'bytes */300'], range)
  }
})

t.test('anything but a single range of octets is answered with the whole file', async (t) => {
  const { ask } = await start(t, 300)
  for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=', 'bytes=-', 'bytes=9-2', 'bytes=a-b']) {
    t.equal((await ask({ Range: range })).status, 200, range)
  }
})

t.test('a client that already has the file gets a 304', async (t) => {
  const { ask } = await start(t, 300)
  for (const tag of ['"blb_1"', 'W/"blb_1"', '"x", "blb_1"', '*']) {
    const { status, bytes } = await ask({ 'If-None-Match': tag })
    t.same([status, bytes.length], [304, 0], tag)
  }
  t.equal((await ask({ 'If-None-Match': '"other"' })).status, 200)
})

t.test('a range of another version is answered with the whole file', async (t) => {
  const { ask } = await start(t, 300)
  t.equal((await ask({ Range: 'bytes=0-9', 'If-Range': '"blb_1"' })).status, 206)
  t.equal((await ask({ Range: 'bytes=0-9', 'If-Range': '"blb_0"' })).status, 200)
})

t.test('HEAD answers with all header fields and reads no octets', async (t) => {
  const { ask, reads } = await start(t, 300)
  const { status, headers, bytes } = await ask({}, '/v1/file', 'HEAD')
  t.same([status, headers.get('content-length'), bytes.length, reads.length], [200, '300', 0, 0])
})

t.test('an empty file is sent', async (t) => {
  const { ask } = await start(t, 0)
  const { status, bytes } = await ask()
  t.same([status, bytes.length], [200, 0])
})

t.test('a type that a header field cannot hold is replaced', async (t) => {
  for (const type of ['text/html\r\nX-Evil: 1', 'nonsense', 'text/html; evil=1']) {
    const { ask } = await start(t, 1, type)
    t.equal((await ask()).headers.get('content-type'), 'application/octet-stream')
  }
})

t.test('a name keeps its letters and loses characters that break the header field or the path', async (t) => {
  t.equal(
    disposition('Größe "1".pdf'),
    `attachment; filename="Gr__e _1_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`,
  )
  t.equal(disposition("it's(1)*.txt"), `attachment; filename="it's(1)*.txt"; filename*=UTF-8''it%27s%281%29%2A.txt`)
  t.notMatch(disposition('a\r\nX-Evil: 1'), /[\r\n]/)
  t.notMatch(disposition('../../etc/passwd'), /[/\\]/)
  t.match(disposition('\u0000'), /filename="attachment"/)
  t.match(disposition('\ud800'), /filename\*=UTF-8''%EF%BF%BD/)
})
