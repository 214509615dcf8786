import t from 'tap'
import { startHttp } from '../../support/http-server.ts'

t.test('the session resource has absolute URLs of the host that was asked', async (t) => {
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

t.test('every URL of the session leads somewhere', async (t) => {
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

t.test('a browser may ask beforehand, without credentials', async (t) => {
  const { url } = await startHttp(t)
  for (const path of ['/.well-known/jmap', '/jmap/api', '/jmap/upload/x', '/jmap/download/a/b/c']) {
    const answer = await fetch(url + path, { method: 'OPTIONS', headers: { Origin: 'https://app.example' } })
    t.equal(answer.status, 204, path)
    t.equal(answer.headers.get('access-control-allow-origin'), '*')
    t.match(answer.headers.get('access-control-allow-headers'), 'Authorization')
  }
})

t.test('only the origins that the operator names may call', async (t) => {
  const { ask } = await startHttp(t, { corsOrigins: ['https://app.example'] })
  const allowed = async (Origin: string) =>
    (await ask('/jmap/session', { headers: { Origin } })).headers.get('access-control-allow-origin')
  t.equal(await allowed('https://app.example'), 'https://app.example')
  t.equal(await allowed('https://evil.example'), null)
})

t.test('a refusal carries CORS headers too, so that a page can read it', async (t) => {
  const { url } = await startHttp(t)
  const answer = await fetch(`${url}/jmap/session`, { headers: { Origin: 'https://app.example' } })
  t.equal(answer.status, 401)
  t.equal(answer.headers.get('access-control-allow-origin'), '*')
})

t.test('other methods and other paths are told so', async (t) => {
  const { ask } = await startHttp(t)
  const wrong = await ask('/jmap/api')
  t.equal(wrong.status, 405)
  t.match(wrong.headers.get('allow'), 'POST')
  for (const path of ['/jmap', '/jmap/nothing', '/jmap/api/more', '/jmap/download/a', '/jmap/upload/a/b'])
    t.equal((await ask(path)).status, 404, path)
  t.equal((await ask('/jmap/upload/%zz', { method: 'POST' })).status, 400)
})
