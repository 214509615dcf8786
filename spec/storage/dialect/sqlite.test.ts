import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { SQLITE_MAX_READERS, SQLITE_OLDEST } from '../../../server/base/limits.ts'
import type { Connection } from '../../../storage/dialect/dialect.ts'
import { isNewEnough, openSqlite } from '../../../storage/dialect/sqlite.ts'
import type { Store } from '../../../storage/ports.ts'
import { insertObject, listObjects } from '../../../storage/repos/objects.ts'
import { openStore } from '../../../storage/store.ts'
import { freshPlace, freshStore } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { newAccount } from '../accounts.ts'

const clock = new ManualClock()

async function pragma(connection: Connection, name: string): Promise<unknown> {
  const [row] = (await connection.raw(`pragma ${name}`)) as Record<string, unknown>[]
  return Object.values(row ?? {})[0]
}

function add(store: Store, account: number, text: string): Promise<void> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    await insertObject(unit, account, 'Note', { id: unit.nextObject(), data: { text } }, unit.now)
  })
}

async function countNotes(store: Store, account: number): Promise<number> {
  return (await store.read((reader) => listObjects(reader, account, 'Note'))).length
}

t.test('every connection has a write-ahead log and syncs it at each commit', async (t) => {
  const { open } = await freshPlace(t, 'sqlite')
  const dialect = open()
  t.teardown(() => dialect.close())
  const writer = await dialect.openWriter()
  const check = async (connection: Connection) => {
    t.equal(await pragma(connection, 'journal_mode'), 'wal')
    t.equal(await pragma(connection, 'synchronous'), 2, 'FULL')
    t.equal(await pragma(connection, 'foreign_keys'), 1)
  }
  await check(writer)
  await dialect.withReader(check)
})

t.test('only a commit in which all units are deferred is not synced', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  const level = (durability?: 'deferred') =>
    store.write([], ({ sql }) => pragma(sql as unknown as Connection, 'synchronous'), durability)
  t.equal(await level('deferred'), 1, 'NORMAL')
  t.equal(await level(), 2, 'FULL')
  t.same(await Promise.all([level('deferred'), level()]), [2, 2])
  t.same(await Promise.all([level('deferred'), level('deferred')]), [1, 1])
})

t.test('versions of SQLite that could corrupt the log are too old', async (t) => {
  for (const version of [SQLITE_OLDEST, '3.51.4', '3.52.0', '3.100.0', '4.0.0']) t.ok(isNewEnough(version), version)
  for (const version of ['3.51.2', '3.51.0', '3.50.9', '3.9.99', '3.40.1', '2.8.17'])
    t.notOk(isNewEnough(version), version)
})

t.test('only the owner may read the files, even if they had another mode before', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  const mode = (suffix: string) => statSync(at + suffix).mode & 0o777
  const store = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  await newAccount(store)
  for (const suffix of ['', '-wal', '-shm']) t.equal(mode(suffix), 0o600, `posthouse.db${suffix}`)
  await store.close()
  chmodSync(at, 0o644)
  const again = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  await newAccount(again)
  for (const suffix of ['', '-wal', '-shm']) t.equal(mode(suffix), 0o600, `posthouse.db${suffix}, opened again`)
  await again.close()
})

t.test('a closed store is one file', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  const store = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  const account = await newAccount(store)
  await add(store, account, 'kept')
  await countNotes(store, account)
  t.ok(existsSync(`${at}-wal`))
  await store.close()
  t.notOk(existsSync(`${at}-wal`), 'the log was moved into it')
})

t.test('a file that is no database is refused, not overwritten', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  writeFileSync(at, 'Dear diary, '.repeat(1_000))
  await t.rejects(openStore({ dialect: open(), blobs: memoryBlobs(), clock }), {
    name: 'Failure',
    code: 'storageUnavailable',
  })
})

t.test('on a full disk a unit fails as storageFull and stores nothing; with room, units succeed again', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  const account = await newAccount(store)
  await add(store, account, 'before')
  const pages = (await store.write([], (unit) => unit.sql.raw('pragma page_count'))) as { page_count: number }[]
  await store.write([], (unit) => unit.sql.raw(`pragma max_page_count = ${pages[0]!.page_count + 20}`))
  await t.rejects(add(store, account, 'x'.repeat(1_000_000)), { name: 'Failure', code: 'storageFull' })
  t.equal(await countNotes(store, account), 1)
  await add(store, account, 'small enough')
  await store.write([], (unit) => unit.sql.raw('pragma max_page_count = 1000000'))
  await add(store, account, 'x'.repeat(1_000_000))
  t.equal(await countNotes(store, account), 3)
})

t.test('a unit that continues after SQLite has rolled back cannot be stored in part', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  const account = await newAccount(store)
  const insert = (verb: string, name: string) =>
    `insert ${verb} into installation (name, value) values ('${name}', '1')`
  const swallowing = store.write([account], async (unit) => {
    await unit.sql.raw(insert('', 'mine'))
    // SQLite does the same on some errors of the disk: it rolls back everything, and the statement fails.
    await unit.sql.raw(insert('or rollback', 'mine')).catch(() => {})
    await unit.sql.raw(insert('', 'stray')).catch(() => {})
  })
  await t.rejects(swallowing)
  const rows = await store.read((reader) =>
    reader.sql.raw("select * from installation where name in ('mine', 'stray')"),
  )
  t.same(rows, [])
})

t.test('a process waits for the writes of another one', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  const store = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  const other = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  const account = await newAccount(store)
  await Promise.all(Array.from({ length: 20 }, (_, i) => add(i % 2 === 0 ? store : other, account, `note ${i}`)))
  t.equal(await countNotes(other, account), 20)
  await store.close()
  await other.close()
  t.ok(existsSync(at))
})

t.test('a read-only process sees later commits, and cannot write', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  const store = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  const view = await openStore({
    dialect: openSqlite({ file: at, readOnly: true }),
    blobs: memoryBlobs(),
    clock,
    readOnly: true,
  })
  const account = await newAccount(store)
  await add(store, account, 'seen')
  t.equal(await countNotes(view, account), 1)
  await t.rejects(add(view, account, 'not'), { name: 'Failure', code: 'configuration' })
  await t.rejects(
    view.read((reader) => reader.sql.raw('delete from object')),
    { name: 'Failure', code: 'storageUnavailable' },
  )
  await view.close()
  await store.close()
})

t.test('readers wait for a connection if all are in use', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  const account = await newAccount(store)
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 3 * SQLITE_MAX_READERS }, () =>
      store.read(async (reader) => {
        most = Math.max(most, ++inside)
        await new Promise((resolve) => setImmediate(resolve))
        await listObjects(reader, account, 'Note')
        inside--
      }),
    ),
  )
  t.equal(most, SQLITE_MAX_READERS)
})

t.test('a reader that throws releases its connection', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  for (let i = 0; i < 3 * SQLITE_MAX_READERS; i++)
    await t.rejects(
      store.read(async () => {
        throw new Error('mine')
      }),
      { message: 'mine' },
    )
  t.equal(await countNotes(store, 1), 0)
})

t.test('closing waits for open readers, rejects waiting ones, and closes every file', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  const store = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  const account = await newAccount(store)
  const gate = Promise.withResolvers<void>()
  const reading = Array.from({ length: SQLITE_MAX_READERS }, () =>
    store.read(async (reader) => {
      await gate.promise
      return (await listObjects(reader, account, 'Note')).length
    }),
  )
  const waiting = countNotes(store, account)
  await new Promise((resolve) => setImmediate(resolve))
  let closed = false
  const closing = store.close().then(() => {
    closed = true
  })
  await t.rejects(waiting, { name: 'Failure', code: 'shuttingDown' })
  t.notOk(closed)
  gate.resolve()
  t.same(await Promise.all(reading), Array(SQLITE_MAX_READERS).fill(0))
  await closing
  t.notOk(existsSync(`${at}-wal`), 'the last connection is closed')
})

t.test('a database in a folder that does not exist is refused', async (t) => {
  const { at } = await freshPlace(t, 'sqlite')
  t.throws(() => openSqlite({ file: join(`${at}.d`, 'posthouse.db') }), {
    name: 'Failure',
    code: 'configuration',
    message: /cannot be opened/,
  })
})

t.test('another program can read the database', async (t) => {
  const { at, open } = await freshPlace(t, 'sqlite')
  const store = await openStore({ dialect: open(), blobs: memoryBlobs(), clock })
  const account = await newAccount(store)
  await add(store, account, 'plain')
  await store.close()
  const database = new Database(at, { readonly: true })
  t.same(database.prepare('select account, data from object').all(), [{ account, data: '{"text":"plain"}' }])
  t.same(database.pragma('integrity_check'), [{ integrity_check: 'ok' }])
  t.same(database.pragma('foreign_key_check'), [])
  database.close()
})

t.test('a statement is compiled once, whatever values are bound to it', async (t) => {
  const { open } = await freshPlace(t, 'sqlite')
  const dialect = open()
  t.teardown(() => dialect.close())
  const writer = await dialect.openWriter()
  await writer.exec('create table t (a integer, b integer, primary key (a, b))')
  await writer.raw('insert into t values (1, 1), (1, 2), (2, 1)')
  // better-sqlite3 makes a new function for rows whenever SQLite has compiled a statement.
  let made = 0
  t.intercept(globalThis, 'Function', {
    value: new Proxy(Function, {
      apply: (target, self, args) => {
        made++
        return Reflect.apply(target, self, args)
      },
    }),
  })
  const run = (a: number, limit: number) => writer.raw('select b from t where a = ? order by b limit ?', [a, limit])
  t.same(await run(1, 5), [{ b: 1 }, { b: 2 }])
  t.equal(made, 1)
  t.same(await run(2, 1), [{ b: 1 }])
  t.same(await run(1, 1), [{ b: 1 }])
  t.equal(made, 1)
})
