// The queue of outgoing mail: which worker gets a row, and which rows a scan reads (promise Q4).
import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import { deleteOutgoing, insertOutgoing, updateOutgoing } from '../../../storage/repos/outgoing.ts'
import {
  type DueRows,
  type DueWindow,
  dueRows,
  newestDueRows,
  type QueuePlace,
} from '../../../storage/repos/outgoing-due.ts'
import { type ClaimedRow, claimOutgoing, nextDue } from '../../../storage/repos/outgoing-leases.ts'
import type { OutgoingTable } from '../../../storage/schema/tables.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

const LEASE_MS = 60_000

/** Inserts a row into the queue for each time: submissions 1, 2, 3 ... */
function queue(store: Store, account: number, dueAt: readonly number[], destination = 'example.org'): Promise<void> {
  return store.write([account], async (work) => {
    for (const [i, at] of dueAt.entries()) await insertOutgoing(work.account(account), i + 1, [destination], at)
  })
}

const ALL = { busyDestinations: [], busyOrganizations: [], provenOnly: [], proven: [] }
const LOOK = { ...ALL, after: null, size: 1_000, ofNewsletters: false }

function claim(store: Store, lease: string, limit = 100): Promise<ClaimedRow[]> {
  return store.write([], async ({ sql, now }) => {
    const { rows } = await dueRows(sql, { ...LOOK, now, limit })
    return rows.length === 0 ? [] : claimOutgoing(sql, rows, { now, until: now + LEASE_MS, lease })
  })
}

await forEachEngine(t, async (t, engine) => {
  t.test('rows that are due are leased, others are not', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const now = clock.now()
    await queue(store, account, [now - 1, now, now + 1])
    const rows = await claim(store, 'a')
    t.same(rows.map(({ submission }) => submission).sort(), [1, 2])
    t.ok(rows.every(({ lease, due_at }) => lease === 'a:example.org' && due_at === now + LEASE_MS))
  })

  t.test('a scan returns at most its limit, the earliest rows first', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const now = clock.now()
    await queue(
      store,
      account,
      Array.from({ length: 200 }, (_, i) => now - i),
    )
    const rows = await claim(store, 'a', 7)
    t.same(
      rows.map(({ submission }) => submission).sort((a, b) => a - b),
      [194, 195, 196, 197, 198, 199, 200],
    )
  })

  t.test('if several workers claim at once, each row goes to one of them', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const accounts = [await newAccount(store), await newAccount(store)]
    for (const account of accounts) await queue(store, account, Array(50).fill(clock.now()))
    const claims = await Promise.all(Array.from({ length: 12 }, (_, i) => claim(store, `worker ${i}`, 10)))
    const keys = claims.flat().map(({ account, submission }) => `${account}/${submission}`)
    t.equal(new Set(keys).size, keys.length)
    const rest = await claim(store, 'last')
    t.equal(keys.length + rest.length, 100)
  })

  t.test('a row whose lease has ended can be claimed again', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    await queue(store, account, [clock.now()])
    await claim(store, 'a')
    clock.advance(LEASE_MS - 1)
    t.same(await claim(store, 'b'), [])
    clock.advance(1)
    t.match(await claim(store, 'b'), [{ lease: 'b:example.org' }])
  })

  t.test('the next due time is the one of the first row that is not held back', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const now = clock.now()
    const next = () => store.read(nextDue)
    const change = (submission: number, set: Partial<OutgoingTable>) =>
      store.write([account], (work) =>
        updateOutgoing(work.account(account), { submission, destination: 'example.org' }, set),
      )
    t.equal(await next(), null)
    await queue(store, account, [now, now + 2 * LEASE_MS])
    t.equal(await next(), now)
    await claim(store, 'a')
    t.equal(await next(), now + LEASE_MS, 'the end of the lease')
    await change(1, { held: 1 })
    t.equal(await next(), now + 2 * LEASE_MS)
    await change(1, { held: 0 })
    t.equal(await next(), now + LEASE_MS)
    await store.write([account], (work) => deleteOutgoing(work.account(account), 1, 'example.org'))
    t.equal(await next(), now + 2 * LEASE_MS)
  })

  t.test('a scan skips busy rows and returns where it ended; scans together read each row once', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const [busy, other] = [await newAccount(store), await newAccount(store)]
    const now = clock.now()
    await queue(store, busy, Array(25).fill(now), 'tarpit.test')
    await queue(store, other, Array(5).fill(now), 'tarpit.test')
    await queue(store, busy, Array(5).fill(now), 'free.test')
    const seen: string[] = []
    let after: QueuePlace | null = null
    let looks = 0
    do {
      const window: DueWindow = { ...LOOK, now, after, busyDestinations: ['tarpit.test'], size: 10, limit: 3 }
      const found: DueRows = await store.read(({ sql }) => dueRows(sql, window))
      seen.push(...found.rows.map(({ account, submission, destination }) => `${account} ${submission} ${destination}`))
      after = found.next
      looks++
    } while (after !== null && looks < 50)
    t.same(
      seen.sort(),
      [1, 2, 3, 4, 5].map((i) => `${busy} ${i} free.test`),
    )
    t.ok(looks <= 7, `${looks} looks`)
  })

  t.test(
    'the newest rows that were not tried are found from the end, and without those that are left out',
    async (t) => {
      const { store, clock } = await freshStore(t, engine)
      const [dead, other] = [await newAccount(store), await newAccount(store)]
      const now = clock.now()
      await queue(store, dead, [now - 4, now - 3], 'dead.test')
      await queue(store, dead, [now - 2, now + 1], 'alive.test')
      await queue(store, other, [now - 1], 'dead.test')
      const newest = async (changes: Partial<DueWindow>) => {
        const rows = await store.read(({ sql }) => newestDueRows(sql, { ...LOOK, now, limit: 10, ...changes }))
        return rows.map(({ due_at, destination }) => `${now - due_at} ${destination}`)
      }
      t.same(await newest({}), ['1 dead.test', '2 alive.test', '3 dead.test', '4 dead.test'])
      await store.write([other], (work) =>
        updateOutgoing(work.account(other), { submission: 1, destination: 'dead.test' }, { attempts: 1 }),
      )
      t.same(await newest({}), ['2 alive.test', '3 dead.test', '4 dead.test'])
      await store.write([other], (work) =>
        updateOutgoing(work.account(other), { submission: 1, destination: 'dead.test' }, { attempts: 0 }),
      )
      t.same(await newest({ limit: 2 }), ['1 dead.test', '2 alive.test'])
      t.same(await newest({ busyDestinations: ['dead.test'] }), ['2 alive.test'])
      t.same(await newest({ provenOnly: 'all', proven: ['alive.test'] }), ['2 alive.test'])
      t.same(await newest({ provenOnly: 'all' }), [])
      const organization = (await store.read(({ sql }) => newestDueRows(sql, { ...LOOK, now, limit: 4 })))[1]!
        .organization
      t.same(await newest({ provenOnly: [organization], proven: ['alive.test'] }), ['1 dead.test', '2 alive.test'])
    },
  )
})
