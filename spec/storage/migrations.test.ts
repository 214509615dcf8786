import type { Test } from 'tap'
import t from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import type { Connection } from '../../storage/dialect/dialect.ts'
import type { Store } from '../../storage/ports.ts'
import { openStore } from '../../storage/store.ts'
import { forEachEngine, freshPlace, freshStore, type TestDatabase } from '../support/engines.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { newAccount } from './accounts.ts'

function start(place: TestDatabase): Promise<Store> {
  return openStore({ dialect: place.open(), blobs: memoryBlobs(), clock: new ManualClock() })
}

/** Columns of every table: `table.column type [not null]`, in the words of neither engine. */
async function columnsOf(connection: Pick<Connection, 'raw'>, engine: 'sqlite' | 'postgres'): Promise<string[]> {
  const text =
    engine === 'sqlite'
      ? `select t.name as "table", c.name as "column", c.type as type, c."notnull" or c.pk > 0 as required
          from sqlite_schema t join pragma_table_info(t.name) c
          where t.type = 'table' and t.name not like 'email_fts%' and t.name not like 'sqlite_%'`
      : `select table_name as "table", column_name as "column", data_type as type, is_nullable = 'NO' as required
          from information_schema.columns where table_schema = 'public' and table_name <> 'email_search'`
  const rows = (await connection.raw(text)) as { table: string; column: string; type: string; required: unknown }[]
  const words: { [type: string]: string } = { bigint: 'integer', bytea: 'blob' }
  return rows
    .map((row) => {
      const type = row.type.toLowerCase()
      return `${row.table}.${row.column} ${words[type] ?? type}${row.required ? ' not null' : ''}`
    })
    .sort()
}

/** Names of the indexes that were made by name. */
async function indexesOf(connection: Pick<Connection, 'raw'>, engine: 'sqlite' | 'postgres'): Promise<string[]> {
  const text =
    engine === 'sqlite'
      ? "select name from sqlite_schema where type = 'index' and sql is not null and tbl_name not like 'email_fts%'"
      : `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
          where t.relnamespace = 'public'::regnamespace and not x.indisprimary and t.relname <> 'email_search'`
  return ((await connection.raw(text)) as { name: string }[]).map(({ name }) => name).sort()
}

async function schemaOf(t: Test, engine: 'sqlite' | 'postgres') {
  const { store } = await freshStore(t, engine)
  return store.read(async (reader) => ({
    columns: await columnsOf(reader.sql, engine),
    indexes: await indexesOf(reader.sql, engine),
  }))
}

t.test('both engines have the same tables, columns and indexes', async (t) => {
  const sqlite = await schemaOf(t, 'sqlite')
  const postgres = await schemaOf(t, 'postgres')
  t.same(postgres, sqlite)
  t.ok(sqlite.columns.includes('email.received_at integer not null'), 'they were found at all')
  t.ok(sqlite.indexes.includes('outgoing_due'))
})

await forEachEngine(t, async (t, engine) => {
  t.test('a second start keeps what is there', async (t) => {
    const place = await freshPlace(t, engine)
    const first = await start(place)
    const account = await newAccount(first)
    const migrationsOf = (store: Store) => store.read((reader) => reader.sql.raw('select * from migration'))
    const done = await migrationsOf(first)
    await first.close()
    const second = await start(place)
    t.same(await second.read((reader) => reader.sql.raw('select id from account')), [{ id: account }])
    t.same(await migrationsOf(second), done)
    t.match(done, [{ number: 1, name: 'init' }])
    await second.close()
  })

  t.test('data of a newer program is refused in words, and left as it is', async (t) => {
    const place = await freshPlace(t, engine)
    const first = await start(place)
    await first.write([], (unit) => unit.sql.raw("insert into migration (number, name) values (999, 'future')"))
    await first.close()
    await t.rejects(start(place), {
      name: 'Failure',
      code: 'configuration',
      message: /schema 999.*newer Posthouse/,
    })
    const dialect = place.open()
    const rows = await dialect.withReader((connection) =>
      connection.raw('select max(number) as newest, min(number) as oldest from migration'),
    )
    t.same(rows, [{ newest: 999, oldest: 1 }])
    await dialect.close()
  })

  t.test('a migration that fails leaves nothing half done', async (t) => {
    const place = await freshPlace(t, engine)
    const dialect = place.open()
    const writer = await dialect.openWriter()
    await writer.begin()
    // In the way of the first migration, half-way through it.
    await writer.exec('create table submission (id integer)')
    await writer.commit()
    await dialect.close()
    await t.rejects(start(place))
    const again = place.open()
    const names = await again.withReader((connection) => columnsOf(connection, engine))
    t.same(names, ['submission.id integer'])
    await again.close()
  })

  t.test('a process that only reads refuses data that it would have to migrate', async (t) => {
    const place = await freshPlace(t, engine)
    const store = await start(place)
    await store.write([], (unit) => unit.sql.raw('delete from migration'))
    await store.close()
    await t.rejects(
      openStore({ dialect: place.open(), blobs: memoryBlobs(), clock: new ManualClock(), readOnly: true }),
      { name: 'Failure', code: 'configuration', message: /start the server once/ },
    )
  })
})
