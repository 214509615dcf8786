import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { startHttp } from '../../support/http-server.ts'

t.test('health needs no credentials', async (t) => {
  const { url } = await startHttp(t)
  t.equal((await fetch(`${url}/healthz`)).status, 200)
  t.equal((await fetch(`${url}/readyz`)).status, 200)
  t.equal((await fetch(`${url}/healthz`, { method: 'POST' })).status, 405)
})

t.test('the server is not ready while its store does not respond, but is alive', async (t) => {
  const { url } = await startHttp(t, { probe: () => Promise.reject(new Error('away')) })
  t.equal((await fetch(`${url}/readyz`)).status, 503)
  t.equal((await fetch(`${url}/healthz`)).status, 200)
})

t.test('every probe reports a process that ends because its disk failed', async (t) => {
  const { url, health } = await startHttp(t)
  const probes = ['/healthz', '/readyz', '/v1/status', '/api/v1/status']
  for (const path of probes) t.equal((await fetch(url + path)).status, 200, `control: ${path}`)
  health.failed('The disk failed.')
  for (const path of probes) t.equal((await fetch(url + path)).status, 503, path)
  t.match(await (await fetch(`${url}/healthz`)).json(), { detail: 'The disk failed.' })
})

t.test('the status of the API is that of its store', async (t) => {
  const { url } = await startHttp(t, { probe: () => Promise.reject(new Error('away')) })
  const answer = await fetch(`${url}/v1/status`)
  t.equal(answer.status, 503)
  t.ok(answer.headers.get('retry-after'))
  t.match(await answer.json(), { error: { type: 'service_unavailable' } })
})

t.test('a full disk is reported, and reading still works', async (t) => {
  const disk = { isFull: true }
  const { url } = await startHttp(t, { hasRoom: () => !disk.isFull })
  const readiness = async () => (await fetch(`${url}/readyz`)).json()
  t.same(await readiness(), { status: 'ready', storage: 'full' })
  disk.isFull = false
  t.same(await readiness(), { status: 'ready' })
})

t.test('REST answers below both prefixes', async (t) => {
  const { url } = await startHttp(t)
  for (const path of ['/v1/status', '/api/v1/status']) t.equal((await fetch(url + path)).status, 200, path)
  const unknown = await fetch(`${url}/v1/nothing`, { headers: { Authorization: 'Bearer sk_x' } })
  t.match(await unknown.json(), { error: { type: 'authentication_error' } })
})

t.test('every response keeps browsers from running or framing it', async (t) => {
  const { url } = await startHttp(t)
  for (const path of ['/', '/healthz', '/v1/status', '/jmap/session', '/nothing']) {
    const { headers } = await fetch(url + path)
    t.match(headers.get('content-security-policy'), "default-src 'none'", path)
    t.equal(headers.get('x-content-type-options'), 'nosniff', path)
    t.equal(headers.get('x-powered-by'), null, path)
    t.match(headers.get('x-request-id'), /^req_/, path)
  }
})

t.test('an unknown path is a problem in JSON', async (t) => {
  const { url } = await startHttp(t)
  const answer = await fetch(`${url}/nothing`)
  t.equal(answer.status, 404)
  t.equal(answer.headers.get('content-type'), 'application/problem+json')
  t.match(await answer.json(), { type: 'about:blank', title: 'Not Found', status: 404 })
})

t.test('a malformed HTTP request gets a response and the connection ends', async (t) => {
  const { url } = await startHttp(t)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end('EHLO example.org\r\n\r\n')
  const answer = await text(socket)
  t.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const { error } = JSON.parse(body)
  t.match(error, { type: 'validation_error', code: 'malformed_request', message: /HTTP/, request_id: /^req_/ })
  t.ok(head.includes(`X-Request-Id: ${error.request_id}`), 'the header names the same request')
  t.ok(head.includes('Content-Type: application/json'))
})

t.test(
  'a header field that clients may not send is refused, in the error envelope over REST and as a problem over JMAP',
  async (t) => {
    const { url } = await startHttp(t)
    for (const [path, type] of [
      ['/v1/domains', 'application/json'],
      ['/jmap/api', 'application/problem+json'],
    ]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX: a\x01b\r\n\r\n`)
      const answer = await text(socket)
      t.match(answer, /^HTTP\/1\.1 400 /)
      t.ok(answer.includes(`Content-Type: ${type}`), answer)
    }
  },
)

t.test('a header without end closes the connection', async (t) => {
  const { url } = await startHttp(t)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}`)
  const answer = await text(socket)
  t.match(answer, /^HTTP\/1\.1 431 /)
  t.match(JSON.parse(answer.split('\r\n\r\n')[1]!).error, { type: 'payload_too_large', code: 'headers_too_large' })
})

t.test("stop() waits for a request's response and accepts no other", async (t) => {
  const { ask, core, listener, url } = await startHttp(t)
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { session } = core
  core.session = async (...args) => {
    begun.resolve()
    await held.promise
    return session.apply(core, args)
  }
  const answer = ask('/jmap/session')
  await begun.promise
  const stopped = listener.stop()
  await t.rejects(fetch(`${url}/healthz`))
  held.resolve()
  t.equal((await answer).status, 200)
  await stopped
})

t.test('a port in use is reported by its number', async (t) => {
  const { listener, url } = await startHttp(t)
  const { port } = new URL(url)
  await t.rejects(listener.start('127.0.0.1', Number(port)), Error)
  const other = connect(Number(port), '127.0.0.1')
  await once(other, 'connect')
  other.destroy()
})
