import t from 'tap'
import type { Result } from '../../support/core.ts'
import { startHttp } from '../../support/http-server.ts'

t.test('the session resource has absolute URLs of the requested host', async (t) => {
  const { ask, url, alice } = await startHttp(t)
  for (const path of ['/.well-known/jmap', '/jmap/session']) {
    const answer = await ask(path)
    t.equal(answer.status, 200)
    t.equal(answer.redirected, false, 'clients lose their credentials on a redirect')
    t.equal(answer.headers.get('cache-control'), 'no-cache, no-store, must-revalidate')
    const session = (await answer.json()) as Record<string, unknown>
    t.match(session, { username: alice.address, accounts: { [alice.accountId]: { name: alice.address } } })
    for (const name of ['apiUrl', 'uploadUrl', 'downloadUrl', 'eventSourceUrl'])
      t.ok(String(session[name]).startsWith(url), name)
  }
})

t.test('every URL of the session is served', async (t) => {
  const { ask, url, alice } = await startHttp(t)
  const session = (await (await ask('/jmap/session')).json()) as Record<string, string>
  const fill = (template: string, values: Record<string, string>) =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]!)).slice(url.length)
  const upload = await ask(fill(session['uploadUrl']!, { accountId: alice.accountId }), { method: 'POST', body: 'x' })
  t.equal(upload.status, 201)
  const { blobId } = (await upload.json()) as { blobId: string }
  const values = { accountId: alice.accountId, blobId, name: 'a b.txt', type: 'text/plain' }
  t.equal(await (await ask(fill(session['downloadUrl']!, values))).text(), 'x')
  const abort = new AbortController()
  const source = { types: '*', closeafter: 'no', ping: '0' }
  const events = await ask(fill(session['eventSourceUrl']!, source), { signal: abort.signal })
  t.equal(events.status, 200)
  abort.abort()
})

t.test('a browser can send a preflight without credentials', async (t) => {
  const { url } = await startHttp(t)
  for (const path of ['/.well-known/jmap', '/jmap/api', '/jmap/upload/x', '/jmap/download/a/b/c']) {
    const answer = await fetch(url + path, { method: 'OPTIONS', headers: { Origin: 'https://app.example' } })
    t.equal(answer.status, 204, path)
    t.equal(answer.headers.get('access-control-allow-origin'), '*')
    t.match(answer.headers.get('access-control-allow-headers'), 'Authorization')
  }
})

t.test('only origins that the operator names may call', async (t) => {
  const { ask } = await startHttp(t, { corsOrigins: ['https://app.example'] })
  const allowed = async (Origin: string) =>
    (await ask('/jmap/session', { headers: { Origin } })).headers.get('access-control-allow-origin')
  t.equal(await allowed('https://app.example'), 'https://app.example')
  t.equal(await allowed('https://evil.example'), null)
})

t.test('a refusal has CORS headers too, so that a page can read it', async (t) => {
  const { url } = await startHttp(t)
  const answer = await fetch(`${url}/jmap/session`, { headers: { Origin: 'https://app.example' } })
  t.equal(answer.status, 401)
  t.equal(answer.headers.get('access-control-allow-origin'), '*')
})

t.test('other methods and paths have their own errors', async (t) => {
  const { ask } = await startHttp(t)
  const wrong = await ask('/jmap/api')
  t.equal(wrong.status, 405)
  t.match(wrong.headers.get('allow'), 'POST')
  for (const path of ['/jmap', '/jmap/nothing', '/jmap/api/more', '/jmap/download/a', '/jmap/upload/a/b'])
    t.equal((await ask(path)).status, 404, path)
  t.equal((await ask('/jmap/upload/%zz', { method: 'POST' })).status, 400)
})

t.test('no resource is served without credentials (RFC 8620 1.7)', async (t) => {
  const { url, ask, alice } = await startHttp(t)
  const resources: [method: string, path: string][] = [
    ['GET', '/.well-known/jmap'],
    ['GET', '/jmap/session'],
    ['POST', '/jmap/api'],
    ['POST', `/jmap/upload/${alice.accountId}`],
    ['GET', `/jmap/download/${alice.accountId}/none/x`],
    ['GET', '/jmap/eventsource?types=*&closeafter=no&ping=0'],
  ]
  for (const [method, path] of resources) {
    const answer = await fetch(url + path, { method })
    t.equal(answer.status, 401, path)
    t.match(answer.headers.get('www-authenticate'), 'Bearer')
    await answer.body?.cancel()
  }
  t.equal((await ask('/jmap/session')).status, 200, 'control')
})

t.test('behind TLS every URL is https, and HSTS is set (RFC 8620 1.7, 8.1)', async (t) => {
  const { ask } = await startHttp(t, { baseUrl: 'https://mail.example.com' })
  const answer = await ask('/.well-known/jmap')
  t.match(answer.headers.get('strict-transport-security'), /max-age=\d+/)
  const session = (await answer.json()) as Record<string, unknown>
  for (const name of ['apiUrl', 'uploadUrl', 'downloadUrl', 'eventSourceUrl'])
    t.ok(String(session[name]).startsWith('https://mail.example.com/'), name)
})

t.test('each client can have its own key, which can be revoked separately (RFC 8620 8.2)', async (t) => {
  const { url, request, organization } = await startHttp(t)
  const accountId = organization.accountId
  const create = { a: { name: 'Phone', scopes: ['messages:read'] }, b: { name: 'Desk', scopes: ['messages:read'] } }
  const [made] = await request([['ApiKey/set', { accountId, create }]])
  const { a, b } = (made as Result)[1].created
  const status = async (key: string) =>
    (await fetch(`${url}/jmap/session`, { headers: { Authorization: `Bearer ${key}` } })).status
  t.same([await status(a.key), await status(b.key)], [200, 200])
  await request([['ApiKey/set', { accountId, destroy: [a.id] }]])
  t.same([await status(a.key), await status(b.key)], [401, 200])
})
