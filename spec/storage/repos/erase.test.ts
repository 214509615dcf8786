import t from 'tap'
import { eraseMailboxes } from '../../../jmap/mail/retention.ts'
import type { Store } from '../../../storage/ports.ts'
import { findAccount, updateAccount } from '../../../storage/repos/accounts.ts'
import { tablesOf } from '../../../storage/schema/database.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'
import { fillTable, ownedRows } from '../schema/fill-tables.ts'

const rowsOf = (store: Store, account: number) => store.read((reader) => ownedRows(reader, account))

await forEachEngine(t, async (t, engine) => {
  t.test('erasure deletes every row that a deleted account owns, and no row of another account', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const [ended, other] = [await newAccount(store), await newAccount(store)]
    await store.write([ended, other], async (unit) => {
      for (const table of tablesOf(engine))
        if (table.owner !== null) for (const account of [ended, other]) await fillTable(unit, table, account)
      unit.account(ended).addUsedBytes(1)
      await updateAccount(unit, ended, { deleted_at: unit.now })
    })
    const before = await rowsOf(store, ended)
    t.ok(before.size > 35, `control: ${before.size} tables have an owner`)
    t.same(new Set(before.values()), new Set([1]), 'control: each has a row')
    const erase = () => eraseMailboxes(store, clock.now(), () => false)
    t.equal(await erase(), 0, 'control: not before its time')
    t.same(await rowsOf(store, ended), before)
    clock.advance(1)
    t.equal(await erase(), 1)
    t.same(new Set((await rowsOf(store, ended)).values()), new Set([0]))
    t.same(await rowsOf(store, other), before)
    const rows = await store.read((reader) =>
      reader.sql.query((db) => db.selectFrom('account').select(['id', 'used_bytes']).orderBy('id')),
    )
    t.same(rows, [
      { id: ended, used_bytes: 0 },
      { id: other, used_bytes: 0 },
    ])
    t.equal(await store.read((reader) => findAccount(reader, ended)), null)
    t.equal(await erase(), 0, 'once')
  })
})
