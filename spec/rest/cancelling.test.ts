// Cancelling a scheduled message: one of several requests does it, and the sends return to the month's quota.
import t, { type Test } from 'tap'
import { startApi } from '../support/rest-api.ts'

const DAY_MS = 86_400_000

async function start(t: Test) {
  const api = await startApi(t)
  const alice = await api.mailbox('alice')
  const at = (days: number) => new Date(api.clock.now() + days * DAY_MS).toISOString()
  return {
    ...api,
    alice,
    schedule: async (days: number, to: readonly string[] = ['bob@example.org']) =>
      (await api.ask('POST', '/v1/messages', { body: { from: alice.address, to, text: 'Hi', scheduled_at: at(days) } }))
        .body.id as string,
    cancel: (id: string) => api.ask('POST', `/v1/messages/${id}/cancel`),
    used: async () => (await api.ask('GET', '/v1/usage')).body.sends.used as number,
  }
}

t.test('exactly one of several concurrent cancels answers 200', async (t) => {
  const { schedule, cancel, used } = await start(t)
  const id = await schedule(1, ['bob@example.org', 'carol@example.org'])
  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id)))
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  t.ok(answers.every(({ status, body }) => status === 200 || body.error.code === 'invalid_state'))
  t.equal(await used(), 0, 'and the sends come back once')
})

t.test('cancels of different messages beside new ones all succeed', async (t) => {
  const { schedule, cancel } = await start(t)
  const ids = await Promise.all(Array.from({ length: 8 }, () => schedule(1)))
  const [answers] = await Promise.all([Promise.all(ids.map(cancel)), Promise.all(ids.map(() => schedule(2)))])
  t.ok(answers.every(({ status }) => status === 200))
})

t.test('a cancelled message returns its sends to the quota, a sent message does not', async (t) => {
  const { schedule, cancel, used, ask, alice } = await start(t)
  const id = await schedule(1, ['bob@example.org', 'carol@example.org'])
  await ask('POST', '/v1/messages', { body: { from: alice.address, to: 'dan@example.org', text: 'Hi' } })
  t.equal(await used(), 3)
  t.equal((await cancel(id)).status, 200)
  t.equal(await used(), 1)
  t.equal((await cancel(id)).status, 409)
  t.equal(await used(), 1)
})

t.test('the sends return to the month in which they were counted', async (t) => {
  const { schedule, cancel, used, clock } = await start(t)
  clock.advance(20 * DAY_MS)
  const id = await schedule(28)
  t.equal(await used(), 1)
  clock.advance(12 * DAY_MS)
  await schedule(1)
  t.equal(await used(), 1, 'of another month')
  t.equal((await cancel(id)).status, 200)
  t.equal(await used(), 1)
})
