import { randomBytes } from 'node:crypto'
import t from 'tap'
import { HTTP_RETRY_AFTER_SECONDS, MEDIA_TYPE_MAX_CHARS } from '../../../server/base/limits.ts'
import { startHttp, type TestHttp } from '../../support/http-server.ts'

const TEN_MB = randomBytes(10_000_000)

async function upload(
  { ask, alice }: TestHttp,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/octet-stream',
) {
  const answer = await ask(`/jmap/upload/${alice.accountId}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  })
  return { status: answer.status, body: (await answer.json()) as { blobId: string; [name: string]: unknown } }
}

t.test('ten megabytes are returned octet for octet, whole and in part', async (t) => {
  const http = await startHttp(t)
  const { ask, alice } = http
  const { status, body } = await upload(http, TEN_MB, 'application/zip')
  t.equal(status, 201)
  t.match(body, { accountId: alice.accountId, type: 'application/zip', size: TEN_MB.length })
  const path = `/jmap/download/${alice.accountId}/${body.blobId}/a.zip?type=application/zip`
  const whole = await ask(path)
  t.equal(whole.status, 200)
  t.equal(whole.headers.get('content-type'), 'application/zip')
  t.equal(whole.headers.get('content-length'), String(TEN_MB.length))
  t.ok(Buffer.from(await whole.arrayBuffer()).equals(TEN_MB))
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=5000000-5999999', 5_000_000, 6_000_000],
    ['bytes=-500', TEN_MB.length - 500, TEN_MB.length],
    ['bytes=9999990-', 9_999_990, TEN_MB.length],
  ] as const) {
    const part = await ask(path, { headers: { Range: range } })
    t.equal(part.status, 206, range)
    t.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/${TEN_MB.length}`)
    t.ok(Buffer.from(await part.arrayBuffer()).equals(TEN_MB.subarray(start, end)))
  }
})

t.test('a download cannot run in a browser, and is cached by the client only', async (t) => {
  const http = await startHttp(t)
  const { body } = await upload(http, '<script>alert(1)</script>', 'text/html')
  const path = `/jmap/download/${http.alice.accountId}/${body.blobId}`
  const answer = await http.ask(
    `${path}/${encodeURIComponent('ä"b.html')}?type=${encodeURIComponent('text/html; charset=utf-8')}`,
  )
  t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  t.match(answer.headers.get('content-security-policy'), 'sandbox')
  t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  t.match(answer.headers.get('content-disposition'), /^attachment; filename="_.*"; filename\*=UTF-8''%C3%A4%22b\.html$/)
  t.match(answer.headers.get('cache-control'), /private, immutable/)
  const tag = answer.headers.get('etag')!
  const again = await http.ask(`${path}/x`, { headers: { 'If-None-Match': tag } })
  t.equal(again.status, 304)
  const head = await http.ask(`${path}/x`, { method: 'HEAD' })
  t.equal(head.headers.get('content-length'), String('<script>alert(1)</script>'.length))
  t.equal(await head.text(), '')
})

t.test('a type that could break the header is not repeated', async (t) => {
  const http = await startHttp(t)
  const { body } = await upload(http, 'x')
  const path = `/jmap/download/${http.alice.accountId}/${body.blobId}/x`
  const answer = await http.ask(`${path}?type=${encodeURIComponent('text/html\r\nSet-Cookie: a=b')}`)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('content-type'), 'application/octet-stream')
  t.equal(answer.headers.get('set-cookie'), null)
})

t.test('a range outside of the file is 416', async (t) => {
  const http = await startHttp(t)
  const { body } = await upload(http, 'hello')
  const path = `/jmap/download/${http.alice.accountId}/${body.blobId}/x`
  const answer = await http.ask(path, { headers: { Range: 'bytes=5-9' } })
  t.equal(answer.status, 416)
  t.equal(answer.headers.get('content-range'), 'bytes */5')
  t.equal(answer.headers.get('content-type'), 'application/problem+json')
})

t.test('blobs of others, and malformed ids, get the same 404', async (t) => {
  const http = await startHttp(t)
  const bob = await http.mailbox('bob')
  const { body } = await upload(http, 'secret')
  t.equal((await http.ask(`/jmap/download/${http.alice.accountId}/${body.blobId}/x`)).status, 200)
  const misses = await Promise.all(
    [`${bob.accountId}/${body.blobId}/x`, `${http.alice.accountId}/blb_nothing/x`, `nobody/${body.blobId}/x`].map(
      async (path) => {
        const answer = await http.ask(`/jmap/download/${path}`)
        return `${answer.status} ${await answer.text()}`
      },
    ),
  )
  t.equal(new Set(misses).size, 1)
  t.match(misses[0], /^404 /)
  t.equal((await http.ask(`/jmap/upload/${bob.accountId}`, { method: 'POST', body: 'x' })).status, 404)
})

t.test('an upload above maxSizeUpload is refused', async (t) => {
  const http = await startHttp(t, { limits: { maxSizeUpload: 1_000 } })
  const { status, body } = await upload(http, 'x'.repeat(1_001))
  t.equal(status, 413)
  t.match(body, { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeUpload', status: 413 })
  t.equal((await upload(http, 'x'.repeat(1_000))).status, 201)
})

t.test('an upload beyond the allowed number is refused, and accepted afterwards', async (t) => {
  const http = await startHttp(t, { limits: { maxConcurrentUpload: 1 } })
  const { core } = http
  const keep = core.upload.bind(core)
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  Object.assign(core, {
    upload: async (...args: Parameters<typeof keep>) => {
      begun.resolve()
      await gate.promise
      return keep(...args)
    },
  })
  const first = upload(http, 'first')
  await begun.promise
  const path = `/jmap/upload/${http.alice.accountId}`
  const refused = await http.ask(path, { method: 'POST', body: 'second' })
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), String(HTTP_RETRY_AFTER_SECONDS))
  t.equal(refused.headers.get('content-type'), 'application/problem+json')
  t.match(await refused.json(), {
    type: 'urn:ietf:params:jmap:error:limit',
    limit: 'maxConcurrentUpload',
    status: 429,
  })
  gate.resolve()
  t.equal((await first).status, 201)
  t.equal((await upload(http, 'second')).status, 201)
})

t.test('an upload has the type of its Content-Type, and an unknown type without one (RFC 8620 6.1)', async (t) => {
  const http = await startHttp(t)
  for (const type of ['text/plain; charset=utf-8', 'x-odd/thing', 'a'.repeat(MEDIA_TYPE_MAX_CHARS)])
    t.match(await upload(http, 'x', type), { status: 201, body: { type } })
  const path = `/jmap/upload/${http.alice.accountId}`
  const none = await http.ask(path, { method: 'POST', body: new Uint8Array([1, 2]) })
  t.match(await none.json(), { type: 'application/octet-stream', size: 2 })
  t.equal((await upload(http, 'x', 'a'.repeat(MEDIA_TYPE_MAX_CHARS + 1))).status, 400)
})

t.test('without a type in the URL a download has that of the upload', async (t) => {
  const http = await startHttp(t)
  const { body } = await upload(http, '{}', 'application/json')
  const answer = await http.ask(`/jmap/download/${http.alice.accountId}/${body.blobId}/a.json`)
  t.equal(answer.headers.get('content-type'), 'application/json')
  t.match(answer.headers.get('content-disposition'), 'filename="a.json"')
})
