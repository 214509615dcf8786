/** Promise J4: invalid requests get their proper error. scripts/crash/bad-input.ts measures the same at full size. */
import t from 'tap'
import { badRequests } from '../../scripts/crash/support/bad-requests.ts'
import { startHttp } from '../support/http-server.ts'

/** Smaller than the server's own, so that the test is fast. */
const LIMIT = 3_000_000

const { ask, alice } = await startHttp(t, { limits: { maxSizeRequest: LIMIT } })
const ownKeys = Object.getOwnPropertyNames(Object.prototype).length

for (const { name, body, headers, chunked, status, answer } of badRequests(alice.accountId, LIMIT)) {
  // These need a separate socket: spec/server/http/api.test.ts.
  if (chunked) continue
  t.test(`bad input gets its error: ${name}`, async (t) => {
    const sent = { 'Content-Type': 'application/json', ...headers }
    const response = await ask('/jmap/api', { method: 'POST', headers: sent, body: new Uint8Array(body) })
    const text = await response.text()
    t.equal(response.status, status, text.slice(0, 200))
    t.ok(text.includes(answer), text.slice(0, 200))
    t.notMatch(text.slice(0, 1_000), 'serverFail')
  })
}

t.test('after all of that no prototype has changed, and the server still works', async (t) => {
  t.equal(Object.getOwnPropertyNames(Object.prototype).length, ownKeys)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  const body = JSON.stringify({ using: ['urn:ietf:params:jmap:core'], methodCalls: [['Core/echo', { a: 1 }, 'c']] })
  const response = await ask('/jmap/api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  t.match(await response.json(), { methodResponses: [['Core/echo', { a: 1 }, 'c']] })
})
