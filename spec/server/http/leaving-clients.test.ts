import t, { type Test } from 'tap'
import type { Core } from '../../../jmap/services.ts'
import type { WaitingClient } from '../../../server/base/guard.ts'
import { startHttp } from '../../support/http-server.ts'
import { openSocket } from '../../support/jmap-socket.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const CORE = 'urn:ietf:params:jmap:core'
const methodCalls = [['Core/echo', {}, 'c']]

/** A core whose requests wait until the client has gone. */
function waitingCore() {
  const begun = Promise.withResolvers<void>()
  const left = Promise.withResolvers<'left'>()
  let hasLeft = false
  const wait = (client: unknown) => {
    ;(client as WaitingClient).onLeave(() => {
      hasLeft = true
      left.resolve('left')
    })
    begun.resolve()
    return left.promise.then(() => Promise.reject(new Error('nobody reads this')))
  }
  const around = (core: Core): Core => ({
    ...core,
    process: (_principal, _request, _steps, client) => wait(client),
    processText: (_principal, _body, client) => wait(client),
    processMessage: (_principal, _message, _mayRun, client) => wait(client),
  })
  return { around, begun: begun.promise, left: left.promise, hasLeft: () => hasLeft }
}

/** @param go ends the connection of a request that is under way */
async function leaves(t: Test, waiting: ReturnType<typeof waitingCore>, go: () => void): Promise<void> {
  await waiting.begun
  t.equal(waiting.hasLeft(), false, 'control: while it waits it has not left')
  go()
  t.equal(await waiting.left, 'left')
}

for (const [door, path, init] of [
  ['JMAP', '/jmap/api', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ using: [CORE], methodCalls }) }],
  ['REST', '/api/v1/mailboxes', {}],
] as const)
  t.test(`a client of ${door} that closes its connection has left`, async (t) => {
    const waiting = waitingCore()
    const { ask, key } = await startHttp(t, { around: waiting.around })
    const abort = new AbortController()
    const headers =
      door === 'REST' ? { Authorization: `Bearer ${(await key({ scopes: ['mailboxes:read'] })).key}` } : JSON_TYPE
    const answer = t.rejects(ask(path, { ...init, headers, signal: abort.signal }))
    await leaves(t, waiting, () => abort.abort())
    await answer
  })

t.test('a client that closes its WebSocket has left', async (t) => {
  const waiting = waitingCore()
  const { url, login } = await startHttp(t, { around: waiting.around })
  const { socket } = await openSocket(t, `${url.replace(/^http/, 'ws')}/jmap/ws`, { Authorization: login })
  socket.send(JSON.stringify({ '@type': 'Request', using: [CORE], methodCalls }))
  await leaves(t, waiting, () => socket.terminate())
})
