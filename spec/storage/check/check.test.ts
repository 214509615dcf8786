import Database from 'better-sqlite3'
import { sql } from 'kysely'
import t from 'tap'
import { emailTextsOf } from '../../../jmap/maintenance/email-texts.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import type { BlobStore } from '../../../storage/blob-store.ts'
import { trimChanges } from '../../../storage/change-log.ts'
import { type CheckOptions, checkStore } from '../../../storage/check/check-store.ts'
import type { Fault } from '../../../storage/check/fault.ts'
import { fixStore } from '../../../storage/check/fix-store.ts'
import type { Unit } from '../../../storage/ports.ts'
import { rawQuery } from '../../../storage/raw-query.ts'
import { deleteThread } from '../../../storage/repos/threads.ts'
import { tablesOf } from '../../../storage/schema/database.ts'
import type { Table } from '../../../storage/schema/table.ts'
import { openStore } from '../../../storage/store.ts'
import { OBJECT_TYPES } from '../../support/core.ts'
import { forEachEngine, freshPlace } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { newAccount } from '../accounts.ts'
import { fillTable } from '../schema/fill-tables.ts'
import { type Full, fullStore } from './full-store.ts'
import { PLANTINGS } from './plantings.ts'

/** Faults that the check finds while `plant` is in effect. It is rolled back afterwards. */
async function withFault(
  full: Full,
  plant: (unit: Unit) => Promise<unknown>,
  options: CheckOptions & { blobs?: BlobStore } = {},
): Promise<Fault[]> {
  let faults: Fault[] | undefined
  const undo = new Error('undo')
  const planted = full.store.write([full.account], async (unit) => {
    await plant(unit)
    const { blobs } = full.store
    faults = await checkStore({ blobs: options.blobs ?? blobs, read: (use) => use(unit) }, OBJECT_TYPES, options)
    throw undo
  })
  await planted.catch((error) => {
    if (error !== undo) throw error
  })
  return faults!
}

await forEachEngine(t, async (t, engine) => {
  // Planted faults are rolled back, so most tests share it.
  const full = await fullStore(t, engine)

  t.test('a consistent store has no faults, even in a deep check', async (t) => {
    t.same(await checkStore(full.store, OBJECT_TYPES), [])
    t.same(await checkStore(full.store, OBJECT_TYPES, { deep: true, textsOf: emailTextsOf }), [])
    t.same(await withFault(full, async () => {}), [], 'control: a unit of work without changes')
  })

  t.test('a trimmed change log, a deleted account and an unused upload are no faults', async (t) => {
    const full = await fullStore(t, engine)
    full.clock.advance(1_000)
    const { account, organization } = full
    await full.store.write([account], (unit) => trimChanges(unit.account(account), account, unit.now))
    const id = full.core.ids.accountId('mailbox', account)
    await full.request([['MailAccount/set', { accountId: organization.accountId, destroy: [id] }]])
    t.same(await checkStore(full.store, OBJECT_TYPES, { deep: true }), [])
  })

  t.test('every planted fault is found', async (t) => {
    for (const [title, kind, planting] of PLANTINGS) {
      const planted = planting(full)
      const plant = typeof planted === 'function' ? planted : (unit: Unit) => rawQuery(unit.sql, planted)
      const faults = await withFault(full, plant)
      t.ok(
        faults.some((fault) => fault.kind === kind),
        `${title}: ${kind}`,
        { found: faults },
      )
    }
    t.same(await checkStore(full.store, OBJECT_TYPES), [], 'the store has not changed')
  })

  t.test('what can be computed again is repaired, and no message is lost (promise D8)', async (t) => {
    const full = await fullStore(t, engine)
    const { store, account } = full
    const messages = () =>
      store.read(({ sql: connection }) => connection.raw('select account, id, blob from email order by account, id'))
    const before = await messages()
    const LEFT = ['blob-content', 'directory-', 'account', 'recipient-', 'queued-', 'submission-']
    const kinds = new Set<string>()
    let repaired = 0
    for (const [title, kind, planting] of PLANTINGS) {
      // What is lost cannot be computed, and what is no mail is not repaired.
      if (kind === 'blob-reference' || kind === 'account' || LEFT.some((start) => kind.startsWith(start))) continue
      const planted = planting(full)
      await store.write([account], (unit) =>
        typeof planted === 'function' ? planted(unit) : rawQuery(unit.sql, planted),
      )
      const { found, left } = await fixStore(store, OBJECT_TYPES, emailTextsOf)
      // After an earlier repair some plantings find nothing to spoil, such as an emptied change log.
      if (!found.some((fault) => fault.kind === kind)) continue
      kinds.add(kind)
      t.same(left, [], title)
      t.same(await messages(), before, title)
      await full.core.drainIndex(account)
      repaired++
    }
    t.ok(repaired >= 20, `control: ${repaired} faults were found and repaired`)
    t.ok(kinds.size >= 12, `control: of ${kinds.size} kinds`)
  })

  t.test('rows of an account that does not exist are found in every table', async (t) => {
    const owned = tablesOf(engine).filter(({ owner }) => owner !== null)
    const faults = await withFault(full, async (unit) => {
      for (const table of owned) await fillTable(unit, table, 999)
    })
    const orphans = faults.filter(({ account, kind }) => account === 999 && kind === 'orphan')
    for (const { name } of owned)
      t.ok(
        orphans.some(({ detail }) => detail.startsWith(`${name} has rows, but`)),
        name,
      )
  })

  t.test('parts without their whole, rows without their blob and numbers above the counter are found', async (t) => {
    const tables = tablesOf(engine).filter(({ partOf, keepsBlob, numbers }) => partOf ?? keepsBlob ?? numbers)
    // Different ones, so that no row is the whole or the blob of another.
    const numberOf = ({ name, partOf }: Table) => (name === 'account_blob' ? 4000 : partOf === undefined ? 5000 : 6000)
    const faults = await withFault(full, async (unit) => {
      for (const table of tables) await fillTable(unit, table, full.account, numberOf(table))
    })
    const has = (kind: string, part: string) =>
      t.ok(
        faults.some((fault) => fault.kind === kind && fault.detail.startsWith(part)),
        part,
      )
    for (const table of tables) {
      const { name, partOf, keepsBlob, numbers } = table
      if (partOf !== undefined) has('orphan', `${name} has rows of ${partOf} 6000`)
      if (keepsBlob !== undefined) has('blob-reference', `${name} has rows with blob ${numberOf(table)}`)
      if (numbers !== undefined) has('account', `${name} ${numberOf(table)} is not below the counter`)
    }
  })

  t.test('changed octets are found in a deep check, missing ones in any check', async (t) => {
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

  t.test('changed octets in the database are found', async (t) => {
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

  t.test('what a row says of a message is compared with the message in a deep check', async (t) => {
    const { account, email } = full
    const options = { deep: true, textsOf: emailTextsOf }
    for (const [column, from, to] of [
      ['packed', 'Lunch', 'Brunch'],
      ['structure', 'text/plain', 'text/html'],
    ] as const) {
      const plant = (unit: Unit) =>
        rawQuery(
          unit.sql,
          sql`update email set ${sql.ref(column)} = replace(${sql.ref(column)}, ${from}, ${to})
            where account = ${account} and id = ${email}`,
        )
      t.match(await withFault(full, plant, options), [{ account, kind: `email-${column}`, detail: `email ${email}: ` }])
      t.same(await withFault(full, plant), [], 'control: without the messages it looks right')
    }
  })

  t.test('a part that cannot be read is a fault, and the check goes on with the others', async (t) => {
    const { account } = full
    const faults = await withFault(full, async (unit) => {
      await unit.sql.raw('alter table thread rename to threat')
      await rawQuery(unit.sql, sql`update account set used_bytes = used_bytes - 1 where id = ${account}`)
      await rawQuery(unit.sql, sql`delete from domain_name`)
      await rawQuery(unit.sql, sql`update blob set location = 'memory:00' where location is not null`)
    })
    t.match(
      faults.find(({ kind }) => kind === 'mail'),
      { account, detail: /^it cannot be read: .*thread/ },
    )
    for (const kind of ['directory-domain', 'blob-content'])
      t.ok(
        faults.some((fault) => fault.kind === kind),
        kind,
      )
  })

  t.test('references to a thread are deleted with it', async (t) => {
    const { account, thread } = full
    const faults = await withFault(full, (unit) => deleteThread(unit.account(account), thread))
    t.notOk(faults.some(({ detail }) => detail.startsWith('thread_ref')))
    t.ok(faults.some(({ kind }) => kind === 'thread'))
  })
})

t.test('damage in the files of SQLite is found in a deep check', async (t) => {
  const place = await freshPlace(t, 'sqlite')
  const start = () => openStore({ dialect: place.open(), blobs: memoryBlobs(), clock: new ManualClock() })
  const store = await start()
  await newAccount(store)
  t.same(await checkStore(store, OBJECT_TYPES, { deep: true }), [])
  await store.close()
  const database = new Database(place.at)
  database.unsafeMode()
  database.pragma('writable_schema = ON')
  // The index was built over other columns than its definition names now.
  database.exec(
    `update sqlite_schema set sql = replace(sql, '(organization,', '(kind,') where name = 'account_organization'`,
  )
  database.close()
  const damaged = await start()
  t.match(await checkStore(damaged, OBJECT_TYPES, { deep: true }), [
    { account: 0, kind: 'engine', detail: /account_organization/ },
  ])
  await damaged.close()
})
