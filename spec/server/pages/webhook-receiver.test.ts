/** The receiver in the docs behaves as the docs describe. */
import { once } from 'node:events'
import t from 'tap'

const example = new URL('../../../server/pages/docs/examples/webhook-receiver.mjs', import.meta.url)
const { createReceiver, isGenuine } = await import(example.href)

const SECRET = 'whsec_secret'
const BODY = Buffer.from('{"event_id":"evt_1"}')
const AT = 1767268800
// printf 'v1=1767268800\n{"event_id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_secret
const SIGNATURE = '1dc45298a811417fe40cba44b0742297bf0852363d3bc106f9c81c873c462db2'

const headers = (more: object = {}) => ({ 'x-service-timestamp': `${AT}`, 'x-service-signature': SIGNATURE, ...more })

t.test('a signature by the secret is accepted, in either place', async (t) => {
  t.equal(isGenuine(SECRET, headers(), BODY, AT * 1000), true)
  const previous = headers({ 'x-service-signature': 'a'.repeat(64), 'x-service-signature-previous': SIGNATURE })
  t.equal(isGenuine(SECRET, previous, BODY, AT * 1000), true)
})

t.test('any other signature is refused', async (t) => {
  const wrong: [string, unknown][] = [
    ['another secret', isGenuine('whsec_other', headers(), BODY, AT * 1000)],
    ['another body', isGenuine(SECRET, headers(), Buffer.from('{}'), AT * 1000)],
    ['another time', isGenuine(SECRET, headers({ 'x-service-timestamp': `${AT + 1}` }), BODY, AT * 1000)],
    ['no time', isGenuine(SECRET, headers({ 'x-service-timestamp': undefined }), BODY, AT * 1000)],
    ['no signature', isGenuine(SECRET, { 'x-service-timestamp': `${AT}` }, BODY, AT * 1000)],
    ['an old delivery', isGenuine(SECRET, headers(), BODY, (AT + 301) * 1000)],
    ['one from the future', isGenuine(SECRET, headers(), BODY, (AT - 301) * 1000)],
  ]
  for (const [what, verdict] of wrong) t.equal(verdict, false, what)
  t.equal(isGenuine(SECRET, headers(), BODY, (AT + 300) * 1000), true, 'five minutes are allowed')
})

t.test('an event is handled once, however often it comes, and an unsigned request is refused', async (t) => {
  const handled: object[] = []
  const server = createReceiver(
    SECRET,
    (event: object) => handled.push(event),
    () => AT * 1000,
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const post = async (fields: object) => {
    const url = `http://127.0.0.1:${server.address().port}`
    const response = await fetch(url, { method: 'POST', headers: fields as Record<string, string>, body: BODY })
    return response.status
  }
  t.equal(await post(headers()), 204)
  t.equal(await post(headers()), 204)
  t.equal(await post(headers({ 'x-service-signature': 'a'.repeat(64) })), 401)
  t.same(handled, [{ event_id: 'evt_1' }])
})
