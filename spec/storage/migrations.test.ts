import type { Test } from 'tap'
import t from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import type { Connection } from '../../storage/dialect/dialect.ts'
import { MIGRATIONS, migrate } from '../../storage/migrations/migrate.ts'
import type { Migration } from '../../storage/migrations/migration.ts'
import type { Store } from '../../storage/ports.ts'
import { openStore } from '../../storage/store.ts'
import { type EngineName, forEachEngine, freshPlace, freshStore, type TestDatabase } from '../support/engines.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { newAccount } from './accounts.ts'
import { catalogOf, declaredCatalog } from './schema/catalog.ts'

function start(place: TestDatabase, readOnly = false): Promise<Store> {
  return openStore({ dialect: place.open(), blobs: memoryBlobs(), clock: new ManualClock(), readOnly })
}

/** Brings a place to the schema of some version. */
async function migrateTo(place: TestDatabase, migrations: readonly Migration[]): Promise<void> {
  const dialect = place.open()
  try {
    await migrate(dialect, await dialect.openWriter(), migrations)
  } finally {
    await dialect.close()
  }
}

/** Runs statements on an empty or older database, which no store would open. */
async function run(place: TestDatabase, statements: readonly string[]): Promise<void> {
  const dialect = place.open()
  const writer = await dialect.openWriter()
  await writer.begin()
  for (const statement of statements) await writer.exec(statement)
  await writer.commit()
  await dialect.close()
}

async function read<T>(place: TestDatabase, use: (connection: Connection) => Promise<T>): Promise<T> {
  const dialect = place.open()
  try {
    return await dialect.withReader(use)
  } finally {
    await dialect.close()
  }
}

const migrationsIn = (place: TestDatabase) =>
  read(place, (connection) => connection.raw('select number, name from migration order by number'))

/** Names of the indexes that were made by name, of the tables that both engines have. */
async function indexesOf(t: Test, engine: EngineName): Promise<string[]> {
  const { store } = await freshStore(t, engine)
  const text =
    engine === 'sqlite'
      ? "select name from sqlite_schema where type = 'index' and sql is not null and tbl_name not like 'email_fts%'"
      : `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
          where t.relnamespace = 'public'::regnamespace and not x.indisprimary and t.relname <> 'email_search'`
  const rows = (await store.read((reader) => reader.sql.raw(text))) as { name: string }[]
  return rows.map(({ name }) => name).sort()
}

t.test('both engines have the same indexes', async (t) => {
  const sqlite = await indexesOf(t, 'sqlite')
  t.same(await indexesOf(t, 'postgres'), sqlite)
  t.ok(sqlite.includes('outgoing_due'), 'control: they were read')
})

/** A migration of a later version. */
const LATER: Migration = {
  number: MIGRATIONS.at(-1)!.number + 1,
  name: 'later',
  statements: [
    'create table later (account int not null, words text not null, constraint later_pk primary key (account)) clustered',
    'alter table account add column later int not null default 7',
    "insert into later (account, words) select id, 'plain text' from account",
  ],
}

await forEachEngine(t, async (t, engine) => {
  t.test('a second start keeps the data', async (t) => {
    const place = await freshPlace(t, engine)
    const first = await start(place)
    const account = await newAccount(first)
    await first.close()
    const before = await migrationsIn(place)
    t.match(before, [{ number: 1, name: '0.1.0-tables' }])
    const second = await start(place)
    t.same(await second.read((reader) => reader.sql.raw('select id from account')), [{ id: account }])
    await second.close()
    t.same(await migrationsIn(place), before)
  })

  t.test('data of each released schema is brought to the newest', async (t) => {
    for (let released = 1; released <= MIGRATIONS.length; released++) {
      const place = await freshPlace(t, engine)
      await migrateTo(place, MIGRATIONS.slice(0, released))
      const store = await start(place)
      await newAccount(store)
      t.same(await store.read(({ sql }) => catalogOf(sql, engine)), declaredCatalog(engine), `from ${released}`)
      await store.close()
    }
  })

  t.test('a later migration runs once, on existing data', async (t) => {
    const place = await freshPlace(t, engine)
    const store = await start(place)
    const account = await newAccount(store)
    await store.close()
    for (let i = 0; i < 2; i++) await migrateTo(place, [...MIGRATIONS, LATER])
    const rows = await read(place, (connection) =>
      connection.raw(
        'select account.id, account.later, later.words from account join later on later.account = account.id',
      ),
    )
    t.same(rows, [{ id: account, later: 7, words: 'plain text' }])
    t.match((await migrationsIn(place)).at(-1), { number: LATER.number, name: 'later' })
  })

  t.test('a later migration that fails changes nothing', async (t) => {
    const place = await freshPlace(t, engine)
    const store = await start(place)
    await newAccount(store)
    await store.close()
    const before = await read(place, (connection) => catalogOf(connection, engine))
    const broken = { ...LATER, statements: [...LATER.statements, 'select no_such_column from account'] }
    await t.rejects(migrateTo(place, [...MIGRATIONS, broken]))
    t.same(await read(place, (connection) => catalogOf(connection, engine)), before)
    await (await start(place)).close()
  })

  t.test('data of a newer version is refused as newer, and not changed', async (t) => {
    const place = await freshPlace(t, engine)
    await (await start(place)).close()
    await run(place, ["insert into migration (number, name) values (999, 'future')"])
    const before = await migrationsIn(place)
    for (const readOnly of [false, true])
      await t.rejects(start(place, readOnly), {
        name: 'Failure',
        code: 'configuration',
        message: /schema 999.*newer Posthouse/,
      })
    t.same(await migrationsIn(place), before)
  })

  t.test('data of a development version is refused as such, and not changed', async (t) => {
    for (const names of [['init'], ['init', 'push', 'uploads'], ['0.1.0-tables-before', 'later'], ['0.1.0-tables']]) {
      const place = await freshPlace(t, engine)
      await run(place, [
        'create table migration (number integer primary key, name text not null)',
        'create table account (id integer)',
        ...names.map((name, i) => `insert into migration (number, name) values (${i + 1}, '${name}')`),
      ])
      const catalog = () => read(place, (connection) => catalogOf(connection, engine))
      const before = [await migrationsIn(place), await catalog()]
      for (const readOnly of [false, true]) {
        const refusal = start(place, readOnly)
        await t.rejects(refusal, {
          name: 'Failure',
          code: 'configuration',
          message: /^the data was made by a development version before 0\.1\.0 and cannot be opened: [^.]+$/,
        })
        await refusal.catch(({ message }) => t.notMatch(message, /newer/))
      }
      t.same([await migrationsIn(place), await catalog()], before)
    }
  })

  t.test('a first migration that fails leaves nothing half done', async (t) => {
    const place = await freshPlace(t, engine)
    // The migration fails at this table, after it has made others.
    await run(place, ['create table submission (id integer)'])
    await t.rejects(start(place))
    t.same(await read(place, (connection) => catalogOf(connection, engine)), ['submission.id int or null'])
  })

  t.test('a process that only reads refuses data that it would have to migrate', async (t) => {
    const place = await freshPlace(t, engine)
    await (await start(place)).close()
    await run(place, ['delete from migration'])
    await t.rejects(start(place, true), {
      name: 'Failure',
      code: 'configuration',
      message: /start the server once/,
    })
  })
})
