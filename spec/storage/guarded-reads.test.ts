import { sql } from 'kysely'
import t from 'tap'
import { Failure } from '../../server/base/errors.ts'
import type { Guard } from '../../server/base/guard.ts'
import type { Reader } from '../../storage/ports.ts'
import { rawQuery } from '../../storage/raw-query.ts'
import { forEachEngine, freshStore } from '../support/engines.ts'

/** Counts to a number, row by row. */
async function countTo(reader: Reader, end: number): Promise<number> {
  const query = sql<{ n: number }>`with recursive numbers(i) as (
      select 1 union all select i + 1 from numbers where i < ${sql.lit(end)}
    ) select count(*) as n from numbers where ${reader.sql.mayGoOn('numbers.i')}`
  const [row] = await rawQuery(reader.sql, query)
  return Number(row?.n)
}

const refusing: Guard = {
  check() {
    throw new Failure('overdue', 'told by the guard')
  },
  weigh() {},
  keep() {},
}

await forEachEngine(t, async (t, engine) => {
  t.test('a guard ends a statement that would take hours', async (t) => {
    const { store } = await freshStore(t, engine)
    const endless = (reader: Reader) => countTo(reader, 1_000_000_000_000)
    await t.rejects(store.read(endless, refusing), { code: 'overdue', message: 'told by the guard' })
    const snapshot = store.snapshot(refusing)
    await t.rejects(snapshot.read(endless), { code: 'overdue' }, 'in a snapshot')
    await snapshot.end()
    t.equal(await store.read((reader) => countTo(reader, 1_000)), 1_000, 'the connection works on, and without a guard')
  })

  t.test('a guard that does not refuse changes nothing', async (t) => {
    const { store } = await freshStore(t, engine)
    let asked = 0
    const counting: Guard = { check: () => void asked++, weigh() {}, keep() {} }
    t.equal(await store.read((reader) => countTo(reader, 100_000), counting), 100_000)
    // SQLite asks it by rows, PostgreSQL by time.
    if (engine === 'sqlite') t.ok(asked > 100 && asked < 2_000, `asked ${asked} times`)
  })
})
