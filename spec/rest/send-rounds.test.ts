// Promise T1: a large batch must not hold up the thread that writes.
import t from 'tap'
import { JmapClient } from '../../rest/calls/jmap-client.ts'
import { ApiError } from '../../rest/errors/api-error.ts'
import type { Outgoing } from '../../rest/sending/outgoing.ts'
import { type MadeOf, type Round, sendRounds } from '../../rest/sending/rounds.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { SEND_ROUND_CHARS } from '../../server/base/limits.ts'
import { OWNER, ScriptedCore } from '../support/rest-server.ts'

const madeOf: MadeOf = (sent, creationId) =>
  sent instanceof ApiError ? sent : (sent.created?.[creationId] ?? new ApiError('not_found'))

function sending(chars: readonly number[], refused = '') {
  const core = new ScriptedCore()
  core.methods.set('Email/send', ({ create }) => {
    const ids = Object.keys(create as JsonObject)
    if (ids.includes(refused)) return { type: 'serverUnavailable' }
    return { created: Object.fromEntries(ids.map((id) => [id, { id: `msg_${id}` }])) }
  })
  core.methods.set('Email/get', ({ ids }) => {
    return { list: (ids as string[]).map((id) => ({ id: id.replace('#', 'msg_') })) }
  })
  const ready: Round = chars.map((count, i) => {
    const create = { email: { subject: 'x'.repeat(count) } }
    return [`m${i}`, { outgoing: { number: i } as unknown as Outgoing, create }]
  })
  const results = sendRounds(new JmapClient(core, OWNER), 'a1', ready, madeOf)
  const calls = () => core.requests.map(({ methodCalls }) => methodCalls.map(([name]) => name).join(' '))
  return { results, calls, outgoing: ready.map(([, one]) => one.outgoing) }
}

t.test('small messages are sent and read by one request', async (t) => {
  const { results, calls, outgoing } = sending([100, 100, 100])
  const { made, emails } = await results
  t.same(calls(), ['Email/send Email/get'])
  t.same([...made.keys()], outgoing)
  t.same([...emails.keys()], ['msg_m0', 'msg_m1', 'msg_m2'])
})

t.test('large messages are sent by several requests in order, and then read', async (t) => {
  const half = SEND_ROUND_CHARS / 2
  const { results, calls, outgoing } = sending([half, half, 1, SEND_ROUND_CHARS * 2, 1])
  const { made, emails } = await results
  t.same(calls(), [...Array(4).fill('Email/send'), ...Array(4).fill('Email/get')])
  t.same([...made.keys()], outgoing)
  t.same([...emails.keys()], ['msg_m0', 'msg_m1', 'msg_m2', 'msg_m3', 'msg_m4'])
})

t.test('a request that fails has no effect on the outcomes of the others', async (t) => {
  const { results, calls, outgoing } = sending([SEND_ROUND_CHARS, SEND_ROUND_CHARS, SEND_ROUND_CHARS], 'm1')
  const { made, emails } = await results
  t.equal(calls().length, 5)
  t.ok(made.get(outgoing[1]!) instanceof ApiError)
  t.same([...emails.keys()], ['msg_m0', 'msg_m2'])
})

t.test('without messages nothing is asked', async (t) => {
  const { results, calls } = sending([])
  t.equal((await results).made.size, 0)
  t.same(calls(), [])
})
