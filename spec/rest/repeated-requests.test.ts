// Decision D2, promise Q1: a request with a key that was cut off anywhere, or failed, has its effect once when it is repeated.
import t, { type Test } from 'tap'
import type { Core } from '../../jmap/services.ts'
import { restIds } from '../../rest/access/ids.ts'
import { createRestRouter } from '../../rest/rest.ts'
import { IDEMPOTENCY_LEASE_MS } from '../../server/base/limits.ts'
import { mail, startApi } from '../support/rest-api.ts'
import { type Ask, startRest, testDeps } from '../support/rest-server.ts'

const ROUNDS_MAX = 20
/** The node is suspended for ever before or after a round of calls, or the round is made and then fails. */
type Moment = 'before' | 'after' | 'failing'

t.test('requests with a key', async (t) => {
  const api = await startApi(t)
  const { core, clock, domainId } = api
  const alice = await api.mailbox('alice')
  const bob = await api.mailbox('bob')
  await alice.receive(mail())
  const [thread] = (await api.ask('GET', `/v1/threads?mailbox_id=${alice.accountId}`)).body.data
  const key = await api.key(['messages:write', 'mailboxes:write', 'webhooks:write'])
  await api.ask('POST', '/v1/suppressions', { body: { email_address: 'gone@example.org' } })

  const plan = { at: 0, moment: 'before' as Moment, round: 0, stuck: Promise.withResolvers<void>() }
  const process: Core['process'] = async (...args) => {
    const isLast = plan.round++ === plan.at
    if (!isLast || plan.moment !== 'before') {
      const answer = await core.process(...args)
      if (!isLast) return answer
    }
    plan.stuck.resolve()
    if (plan.moment === 'failing') throw new Error('planned')
    return new Promise<never>(() => {})
  }
  // A suspended node renews no lease.
  const stopped = { now: () => clock.now(), after: () => () => {} }
  const more = { ids: restIds(core.ids), clock, idempotency: core.idempotency }
  const deps = { ...testDeps({ ...core, process }, more), clock: stopped }
  const node = await startRest(createRestRouter(deps))
  t.teardown(() => node.close())

  /** Asks a node that hangs or fails at the given round of calls. False: the request ended before that round. */
  async function isCut(t: Test, at: number, moment: Moment, path: string, ask: Ask): Promise<boolean> {
    Object.assign(plan, { at, moment, round: 0, stuck: Promise.withResolvers<void>() })
    const answered = node.ask('POST', path, ask).catch(() => null)
    const isStuck = await Promise.race([plan.stuck.promise.then(() => true), answered.then(() => false)])
    if (isStuck && moment === 'failing') t.equal((await answered)?.status, 500)
    return isStuck
  }

  const emailsOf = async () => (await alice.call('Email/query', {})).ids.length as number
  const sentOf = async () => (await alice.call('EmailSubmission/query', {})).ids.length as number
  const aliasesOf = async () => (await api.ask('GET', '/v1/aliases?limit=100')).body.data.length as number
  const cases = [
    {
      name: 'a message',
      path: '/v1/messages',
      body: { from: alice.address, to: 'jane@example.org', subject: 'Once', text: 'x' },
      count: async () => [await emailsOf(), await sentOf()],
      adds: [1, 1],
    },
    {
      name: 'a message that is not kept',
      path: '/v1/messages',
      body: { from: alice.address, to: 'jane@example.org', text: 'x', save_to_sent: false },
      count: async () => [await emailsOf(), await sentOf()],
      adds: [0, 1],
    },
    {
      name: 'a message that is refused',
      path: '/v1/messages',
      body: { from: alice.address, to: 'gone@example.org', text: 'x' },
      count: async () => [await emailsOf(), await sentOf()],
      adds: [0, 0],
      status: 422,
    },
    {
      name: 'a batch',
      path: '/v1/messages/batch',
      body: {
        messages: ['gone@example.org', 'jane@example.org', 'joe@example.org'].map((to) => {
          return { from: alice.address, to, text: 'x' }
        }),
      },
      count: async () => [await emailsOf(), await sentOf()],
      adds: [2, 2],
      status: 200,
    },
    {
      name: 'a webhook',
      path: '/v1/webhooks',
      body: { url: 'https://hooks.example.org/', events: ['message.received'] },
      count: async () => [(await api.ask('GET', '/v1/webhooks')).body.data.length],
      adds: [1],
      ready: async () => {
        for (const { id } of (await api.ask('GET', '/v1/webhooks')).body.data)
          await api.ask('DELETE', `/v1/webhooks/${id}`)
      },
    },
    {
      name: 'a reply',
      path: `/v1/threads/${thread.id}/reply`,
      body: { text: 'x' },
      count: async () => [await emailsOf(), await sentOf()],
      adds: [1, 1],
    },
    {
      name: 'an alias',
      path: '/v1/aliases',
      body: { domain_id: domainId, mailbox_id: bob.accountId, address: 'once' },
      count: async () => [await aliasesOf()],
      adds: [1],
    },
  ]

  for (const { name, path, body, count, adds, status = 201, ready } of cases) {
    await t.test(name, async (t) => {
      let cuts = 0
      for (let at = 0; at < ROUNDS_MAX; at++) {
        for (const moment of ['before', 'after', 'failing'] as const) {
          const headers = { 'Idempotency-Key': `${name} ${at} ${moment}` }
          const own = 'address' in body ? { ...body, address: `once-${at}-${moment}` } : body
          const ask = { key, headers, body: own }
          await ready?.()
          const before = await count()
          if (!(await isCut(t, at, moment, path, ask))) return t.ok(cuts > 1, `cut at ${cuts} places`)
          cuts++
          if (moment !== 'failing') {
            t.equal((await api.ask('POST', path, ask)).status, 409, 'while it may be running')
            clock.advance(IDEMPOTENCY_LEASE_MS)
          }
          const answer = await api.ask('POST', path, ask)
          t.equal(answer.status, status, `cut ${moment} round ${at}: ${answer.text}`)
          const after = await count()
          t.same(
            after.map((now, i) => now - before[i]!),
            adds,
            `cut ${moment} round ${at}`,
          )
          const again = await api.ask('POST', path, ask)
          t.equal(again.headers.get('idempotent-replayed'), 'true')
          t.equal(again.text, answer.text)
        }
      }
      t.fail(`still cut off after ${ROUNDS_MAX} rounds of calls`)
    })
  }
})
