import Database from 'better-sqlite3'
import type { RawBuilder } from 'kysely'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import type { BlobStore } from '../../../storage/blob-store.ts'
import { trimChanges } from '../../../storage/change-log.ts'
import { checkStore, type Fault } from '../../../storage/check/check-store.ts'
import type { Unit } from '../../../storage/ports.ts'
import { deleteThread } from '../../../storage/repos/threads.ts'
import { openStore } from '../../../storage/store.ts'
import { forEachEngine, freshPlace } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { newAccount } from '../accounts.ts'
import { type Full, fullStore } from './full-store.ts'
import { PLANTINGS } from './plantings.ts'

/** What the check says while a fault is planted; the fault is undone after it. */
async function withFault(
  full: Full,
  plant: (unit: Unit) => Promise<unknown>,
  options: { deep?: boolean; blobs?: BlobStore } = {},
): Promise<Fault[]> {
  let faults: Fault[] | undefined
  const undo = new Error('undo')
  const planted = full.store.write([full.account], async (unit) => {
    await plant(unit)
    const { blobs } = full.store
    faults = await checkStore({ blobs: options.blobs ?? blobs, read: (use) => use(unit) }, options)
    throw undo
  })
  await planted.catch((error) => {
    if (error !== undo) throw error
  })
  return faults!
}

function run(unit: Unit, statement: RawBuilder<unknown>): Promise<unknown> {
  return unit.sql.query((db) => ({
    compile: () => statement.compile(db),
    execute: () => Promise.reject(new TypeError('only compiled')),
  }))
}

await forEachEngine(t, async (t, engine) => {
  t.test('a sound store has no faults, also when it is read whole', async (t) => {
    const full = await fullStore(t, engine)
    t.same(await checkStore(full.store), [])
    t.same(await checkStore(full.store, { deep: true }), [])
    t.same(await withFault(full, async () => {}), [], 'the planting itself is none')
  })

  t.test('a trimmed change log, a deleted account and an unused upload are none either', async (t) => {
    const full = await fullStore(t, engine)
    full.clock.advance(1_000)
    const { account, organization } = full
    await full.store.write([account], (unit) => trimChanges(unit.account(account), account, unit.now))
    const id = full.core.ids.accountId('mailbox', account)
    await full.request([['MailAccount/set', { accountId: organization.accountId, destroy: [id] }]])
    t.same(await checkStore(full.store, { deep: true }), [])
  })

  t.test('every planted fault is found', async (t) => {
    const full = await fullStore(t, engine)
    for (const [words, kind, planting] of PLANTINGS) {
      const planted = planting(full)
      const plant = typeof planted === 'function' ? planted : (unit: Unit) => run(unit, planted)
      const faults = await withFault(full, plant)
      t.ok(
        faults.some((fault) => fault.kind === kind),
        `${words}: ${kind}`,
        { found: faults },
      )
    }
    t.same(await checkStore(full.store), [], 'and the store is as it was')
  })

  t.test('octets that have changed are found by reading them, those that are missing by looking', async (t) => {
    const full = await fullStore(t, engine)
    const { blobs } = full.store
    const changed: BlobStore = {
      ...blobs,
      async read(location, range) {
        const bytes = Uint8Array.from(await blobs.read(location, range))
        bytes[0]! ^= 1
        return bytes
      },
    }
    const cut: BlobStore = { ...blobs, read: async (location) => (await blobs.read(location)).subarray(0, 100) }
    const nothing = async () => {}
    const kinds = (faults: readonly Fault[]) => faults.map(({ kind }) => kind)
    t.same(kinds(await withFault(full, nothing, { blobs: changed, deep: true })), ['blob-content'])
    t.same(kinds(await withFault(full, nothing, { blobs: cut, deep: true })), ['blob-content'])
    t.same(kinds(await withFault(full, nothing, { blobs: { ...blobs, read: async () => new Uint8Array() } })), [
      'blob-content',
    ])
  })

  t.test('octets in the database that have changed are found', async (t) => {
    const full = await fullStore(t, engine)
    const flip = async (unit: Unit) => {
      const [row] = await unit.sql.query((db) =>
        db.selectFrom('blob').select(['hash', 'data']).where('data', 'is not', null).limit(1),
      )
      const data = Uint8Array.from(row!.data!)
      data[0]! ^= 1
      await unit.sql.query((db) => db.updateTable('blob').set({ data }).where('hash', '=', row!.hash))
    }
    t.match(await withFault(full, flip), [{ kind: 'blob-content' }])
  })

  t.test('a thread’s references go with it', async (t) => {
    const full = await fullStore(t, engine)
    const { account, thread } = full
    const faults = await withFault(full, (unit) => deleteThread(unit.account(account), thread))
    t.notOk(faults.some(({ kind }) => kind === 'thread-ref'))
    t.ok(faults.some(({ kind }) => kind === 'thread'))
  })
})

t.test('damage in the files of SQLite is found when everything is read', async (t) => {
  const place = await freshPlace(t, 'sqlite')
  const start = () => openStore({ dialect: place.open(), blobs: memoryBlobs(), clock: new ManualClock() })
  const store = await start()
  await newAccount(store)
  t.same(await checkStore(store, { deep: true }), [])
  await store.close()
  const database = new Database(place.at)
  database.unsafeMode()
  database.pragma('writable_schema = ON')
  // The index stays as it was built, over other columns than it says now.
  database.exec(
    `update sqlite_schema set sql = replace(sql, '"organization"', '"kind"') where name = 'account_organization'`,
  )
  database.close()
  const damaged = await start()
  t.match(await checkStore(damaged, { deep: true }), [{ account: 0, kind: 'engine', detail: /account_organization/ }])
  await damaged.close()
})
