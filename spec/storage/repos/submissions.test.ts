import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import {
  claimDue,
  findSubmission,
  insertSubmission,
  nextDue,
  submissionOfEmail,
  updateSubmission,
} from '../../../storage/repos/submissions.ts'
import type { SubmissionTable } from '../../../storage/schema/tables.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

const LEASE_MS = 60_000

/** Puts submissions into the queue that come due at these times; their numbers. */
async function queue(store: Store, account: number, dueAt: readonly (number | null)[]): Promise<number[]> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const numbers: number[] = []
    for (const due_at of dueAt) {
      const id = unit.nextObject()
      const row: SubmissionTable = {
        account,
        id,
        identity: 1,
        email: 1,
        thread: 1,
        blob: 1,
        mail_from: 'a@example.test',
        parameters: 'null',
        send_at: due_at ?? 0,
        undo_status: 'pending',
        due_at,
        attempts: 0,
        lease: null,
        lease_until: 0,
        created_at: unit.now,
        message_id: null,
      }
      await insertSubmission(unit, row, [])
      numbers.push(id)
    }
    return numbers
  })
}

function claim(store: Store, lease: string, limit = 100): Promise<SubmissionTable[]> {
  return store.write([], (unit) => claimDue(unit.sql, { now: unit.now, limit, lease, until: unit.now + LEASE_MS }))
}

await forEachEngine(t, async (t, engine) => {
  t.test('what has come due is leased, what has not or is done is not', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const now = clock.now()
    const [past, present] = await queue(store, account, [now - 1, now, now + 1, null])
    const rows = await claim(store, 'a')
    t.same(
      rows.map(({ id }) => id).sort((a, b) => a - b),
      [past, present],
    )
    t.ok(rows.every(({ lease, lease_until }) => lease === 'a' && lease_until === now + LEASE_MS))
  })

  t.test('a claim takes no more than its limit, the earliest first', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const now = clock.now()
    const numbers = await queue(
      store,
      account,
      Array.from({ length: 200 }, (_, i) => now - i),
    )
    const rows = await claim(store, 'a', 7)
    t.same(
      rows.map(({ id }) => id).sort((a, b) => a - b),
      numbers.slice(-7),
    )
  })

  t.test('of workers that claim at once each submission goes to one', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const accounts = [await newAccount(store), await newAccount(store)]
    for (const account of accounts) await queue(store, account, Array(50).fill(clock.now()))
    const claims = await Promise.all(Array.from({ length: 12 }, (_, i) => claim(store, `worker ${i}`, 10)))
    const keys = claims.flat().map(({ account, id }) => `${account}/${id}`)
    t.equal(new Set(keys).size, keys.length)
    const rest = await claim(store, 'last')
    t.equal(keys.length + rest.length, 100)
  })

  t.test('a lease that has run out is anybody’s', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    await queue(store, account, [clock.now()])
    await claim(store, 'a')
    clock.advance(LEASE_MS - 1)
    t.same(await claim(store, 'b'), [])
    clock.advance(1)
    t.match(await claim(store, 'b'), [{ lease: 'b' }])
  })

  t.test('the next moment of the queue is when something is due that nobody holds', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const now = clock.now()
    const next = () => store.read(nextDue)
    t.equal(await next(), null)
    const [first] = await queue(store, account, [now, now + 2 * LEASE_MS, null])
    t.equal(await next(), now)
    await claim(store, 'a')
    t.equal(await next(), now + LEASE_MS)
    await store.write([account], (unit) =>
      updateSubmission(unit.account(account), first!, { due_at: null, lease: null, lease_until: 0 }),
    )
    t.equal(await next(), now + 2 * LEASE_MS)
  })

  t.test('of several submissions of an email the newest one is found', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const [, second] = await queue(store, account, [clock.now(), clock.now()])
    t.match(await store.read((reader) => submissionOfEmail(reader, account, 1)), { id: second })
    t.equal(await store.read((reader) => submissionOfEmail(reader, account, 2)), null)
    t.equal(await store.read((reader) => findSubmission(reader, account + 1, second!)), null)
  })
})
