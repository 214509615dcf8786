import { hash } from 'node:crypto'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import type { Store } from '../../../storage/ports.ts'
import { deleteUnusedContents, deleteUnusedReferences } from '../../../storage/repos/blob-sweep.ts'
import { findAccountBlob, findBlob, keepBlob, referBlob } from '../../../storage/repos/blobs.ts'
import { openStore } from '../../../storage/store.ts'
import { forEachEngine, freshStore, placeWithSchema } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { newAccount } from '../accounts.ts'

const BYTES = Buffer.from('some octets')
const HASH = hash('sha256', BYTES, 'buffer')
const CONTENT = { hash: HASH, size: BYTES.length, data: BYTES, location: null }

/** Stores the content and the account's reference to it, as an upload or a delivery does. @returns the number of the reference */
function refer(store: Store, account: number, uploader: string | null, type = 'text/plain'): Promise<number> {
  return store.write([account], async (unit) => {
    await keepBlob(unit.sql, { ...CONTENT, created_at: unit.now })
    return referBlob(unit.account(account), { hash: HASH, size: BYTES.length, type, uploader })
  })
}

await forEachEngine(t, async (t, engine) => {
  t.test('a content is stored once, and each account has a number of its own for it', async (t) => {
    const { store } = await freshStore(t, engine)
    const a = await newAccount(store)
    const b = await newAccount(store)
    await store.write([b], async (unit) => unit.account(b).nextObject())
    const inA = await refer(store, a, 'alice')
    const inB = await refer(store, b, 'bob')
    t.not(inA, inB)
    t.equal(await refer(store, a, 'alice'), inA, 'a second reference has the same number')
    const rows = await store.read((reader) => reader.sql.raw('select size from blob'))
    t.same(rows, [{ size: BYTES.length }])
    t.same(Buffer.from((await store.read((reader) => findBlob(reader, HASH)))!.data!), BYTES)
    t.equal(await store.read((reader) => findAccountBlob(reader, a, inB)), null)
  })

  t.test('a blob that something refers to has no uploader any more', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const id = await refer(store, account, 'alice')
    const uploader = async () => (await store.read((reader) => findAccountBlob(reader, account, id)))!.uploader
    t.equal(await uploader(), 'alice')
    await refer(store, account, 'bob')
    t.equal(await uploader(), 'alice bob', 'both have uploaded the octets')
    await refer(store, account, null)
    t.equal(await uploader(), null)
    await refer(store, account, 'alice')
    t.equal(await uploader(), 'alice', 'nothing refers to it: it is an upload like any other')
  })

  t.test('a second upload restarts the time in which the sweep skips the blob', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    const id = await refer(store, account, 'alice')
    clock.advance(1_000)
    await refer(store, account, 'alice')
    const sweep = (before: number) =>
      store.write([account], async (unit) => [
        await deleteUnusedReferences(unit.account(account), [id], before),
        (await deleteUnusedContents(unit.sql, [HASH], before)).count,
      ])
    t.same(await sweep(clock.now()), [0, 0])
    t.same(await sweep(clock.now() + 1), [1, 1])
    t.equal(await store.read((reader) => findBlob(reader, HASH)), null)
  })

  t.test('a content that an account refers to stays, however old it is', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    await refer(store, account, null)
    clock.advance(1e12)
    t.same(await store.write([], (unit) => deleteUnusedContents(unit.sql, [HASH], unit.now)), {
      count: 0,
      locations: [],
    })
    t.ok(await store.read((reader) => findBlob(reader, HASH)))
  })

  t.test('the sweep gets the locations of the contents that it deleted', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const outside = { hash: HASH, size: 11, data: null, location: 'memory:x', created_at: clock.now() }
    await store.write([], (unit) => keepBlob(unit.sql, outside))
    const deleted = await store.write([], (unit) => deleteUnusedContents(unit.sql, [HASH], unit.now + 1))
    t.same(deleted, { count: 1, locations: ['memory:x'] })
  })
})

t.test('the sweep does not delete a content that another node is about to refer to', async (t) => {
  const place = await placeWithSchema(t, 'postgres')
  const clock = new ManualClock()
  const start = async () => {
    const store = await openStore({ dialect: place.open(), blobs: memoryBlobs(), clock })
    t.teardown(() => store.close())
    return store
  }
  const [delivering, sweeping] = [await start(), await start()]
  const account = await newAccount(delivering)
  await delivering.write([], (unit) => keepBlob(unit.sql, { ...CONTENT, created_at: unit.now }))
  clock.advance(1_000_000)
  const before = clock.now()
  const touched = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const delivery = delivering.write([account], async (unit) => {
    await keepBlob(unit.sql, { ...CONTENT, created_at: unit.now })
    touched.resolve()
    await go.promise
    return referBlob(unit.account(account), { hash: HASH, size: BYTES.length, type: 'text/plain', uploader: null })
  })
  await touched.promise
  const sweep = sweeping.write([], (unit) => deleteUnusedContents(unit.sql, [HASH], before))
  // Both have read the row, and the sweep waits for its lock.
  const waits = () =>
    sweeping.read((reader) =>
      reader.sql.raw(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    )
  while ((await waits()).length === 0);
  go.resolve()
  const id = await delivery
  t.same(await sweep, { count: 0, locations: [] })
  const reference = await delivering.read((reader) => findAccountBlob(reader, account, id))
  t.ok(await delivering.read((reader) => findBlob(reader, reference!.hash)))
})
