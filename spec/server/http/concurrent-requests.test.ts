import t from 'tap'
import { forEachEngine } from '../../support/engines.ts'
import { startHttp } from '../../support/http-server.ts'

const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
const ROUNDS = 4

await forEachEngine(t, async (t, engine) => {
  for (const connections of [16, 32])
    t.test(`${connections} clients that each wait for their answer are never too many`, async (t) => {
      const { ask, alice } = await startHttp(t, { engine, limits: { maxConcurrentRequests: connections } })
      for (let i = 0; i < 5; i++) await alice.receive(`From: a@example.org\nSubject: Number ${i}\n\nHello\n`)
      const { accountId } = alice
      const ids = { resultOf: 'q', name: 'Email/query', path: '/ids' }
      const body = JSON.stringify({
        using: USING,
        methodCalls: [
          ['Email/query', { accountId, sort: [{ property: 'subject' }] }, 'q'],
          ['Email/get', { accountId, '#ids': ids, properties: ['id', 'subject', 'bodyValues'] }, 'g'],
        ],
      })
      const post = () => ask('/jmap/api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
      const statuses = new Map<number, number>()
      await Promise.all(
        Array.from({ length: connections }, async () => {
          for (let round = 0; round < ROUNDS; round++) {
            const answer = await post()
            await answer.arrayBuffer()
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          }
        }),
      )
      t.same([...statuses], [[200, connections * ROUNDS]])
    })

  t.test('control: one more than the limit is refused', async (t) => {
    const held = Promise.withResolvers<void>()
    const { ask } = await startHttp(t, {
      engine,
      limits: { maxConcurrentRequests: 1 },
      around: (core) => ({
        ...core,
        processText: async () => {
          await held.promise
          return { status: 200, body: '{}' }
        },
      }),
    })
    const post = () => ask('/jmap/api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
    const both = [post(), post()]
    const refused = await Promise.race(both)
    t.equal(refused.status, 429)
    held.resolve()
    t.same((await Promise.all(both)).map(({ status }) => status).sort(), [200, 429])
  })
})
