import type { Test } from 'tap'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { POSTGRES_POOL_SIZE } from '../../../server/base/limits.ts'
import { changesSince } from '../../../storage/change-log.ts'
import { openPostgres } from '../../../storage/dialect/postgres.ts'
import type { Store } from '../../../storage/ports.ts'
import { findFact, keepFact } from '../../../storage/repos/installation.ts'
import { insertObject, listObjects } from '../../../storage/repos/objects.ts'
import { openStore } from '../../../storage/store.ts'
import { cuttingProxy } from '../../support/cutting-proxy.ts'
import { freshPlace, freshStore, placeWithSchema } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { stopOwnPostgres } from '../../support/postgres.ts'
import { newAccount } from '../accounts.ts'

t.teardown(stopOwnPostgres)

/** One of several processes on the same database. */
async function node(t: Test, url: string): Promise<Store> {
  const store = await openStore({ dialect: openPostgres({ url }), blobs: memoryBlobs(), clock: new ManualClock() })
  t.teardown(() => store.close())
  return store
}

function add(store: Store, account: number, text: string): Promise<void> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const id = unit.nextObject()
    await insertObject(unit, account, 'Note', { id, data: { text } }, unit.now)
    unit.change('Note', id, 'c')
  })
}

async function notesOf(store: Store, account: number): Promise<unknown[]> {
  const notes = await store.read((reader) => listObjects(reader, account, 'Note'))
  return notes.map(({ data }) => data['text'])
}

/** Ends every other session with this database, as a restart of the server would. */
function endSessions(store: Store): Promise<unknown[]> {
  return store.read((reader) =>
    reader.sql.raw(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`),
  )
}

t.test('sessions that the server has ended are replaced, for writing and for reading', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const account = await newAccount(store)
  await Promise.all(Array.from({ length: 30 }, (_, i) => add(store, account, `before ${i}`)))
  await Promise.all(Array.from({ length: POSTGRES_POOL_SIZE }, () => notesOf(store, account)))
  await endSessions(store)
  await Promise.all(Array.from({ length: 30 }, (_, i) => add(store, account, `after ${i}`)))
  const seen = await Promise.all(Array.from({ length: POSTGRES_POOL_SIZE }, () => notesOf(store, account)))
  t.ok(seen.every(({ length }) => length === 60))
})

t.test('reads that fail, or end before their statement does, give their session back', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const account = await newAccount(store)
  await add(store, account, 'here')
  for (let round = 0; round <= POSTGRES_POOL_SIZE; round++) {
    await t.rejects(store.read((reader) => reader.sql.raw('select 1 / 0')))
    let statement: Promise<unknown> | undefined
    const given = store.read(async (reader) => {
      statement = reader.sql.raw('select pg_sleep(0.01)')
      throw new Error('given up')
    })
    await t.rejects(given, { message: 'given up' })
    await statement
  }
  t.same(await notesOf(store, account), ['here'])
})

t.test('a read that asks for nothing needs no session, and statements at once are in one snapshot', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const idle = Array.from({ length: 2 * POSTGRES_POOL_SIZE }, () => store.read(() => end))
  const rows = await store.read((reader) =>
    Promise.all(Array.from({ length: 10 }, () => reader.sql.raw('select pg_current_snapshot()::text, now()'))),
  )
  t.equal(new Set(rows.map((row) => JSON.stringify(row))).size, 1)
  resolve()
  await Promise.all(idle)
})

t.test('a unit whose session is lost runs again, and nothing of its first run is stored', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const account = await newAccount(store)
  let attempts = 0
  await store.write([account], async (work) => {
    const unit = work.account(account)
    const note = (text: string) =>
      insertObject(unit, account, 'Note', { id: unit.nextObject(), data: { text } }, unit.now)
    await note('early')
    if (++attempts === 1) {
      // The unit ignores errors. Its later statements must not be committed one by one.
      await unit.sql.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => {})
      await note('late').catch(() => {})
      return
    }
    await note('second time')
  })
  t.equal(attempts, 2)
  t.same(await notesOf(store, account), ['early', 'second time'])
})

t.test('all units that share a lost transaction run again, in their order', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const account = await newAccount(store)
  let lost = false
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((text) =>
      store.write([account], async (work) => {
        const unit = work.account(account)
        await insertObject(unit, account, 'Note', { id: unit.nextObject(), data: { text } }, unit.now)
        if (text !== 'c' || lost) return
        lost = true
        await unit.sql.raw('select pg_terminate_backend(pg_backend_pid())')
      }),
    ),
  )
  t.same(await notesOf(store, account), ['a', 'b', 'c', 'd'])
})

t.test('a commit whose answer is lost is not carried out twice', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const proxy = await cuttingProxy(t, at)
  const store = await node(t, proxy.url)
  const account = await newAccount(store)
  proxy.cutNext('commit\0', 'after')
  await add(store, account, 'once')
  t.equal(proxy.cuts, 1)
  t.same(await notesOf(store, account), ['once'])
})

t.test('a commit that the server did not receive is carried out once', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const proxy = await cuttingProxy(t, at)
  const store = await node(t, proxy.url)
  const account = await newAccount(store)
  proxy.cutNext('commit\0', 'before')
  await Promise.all([add(store, account, 'one'), add(store, account, 'two')])
  t.equal(proxy.cuts, 1)
  t.same(await notesOf(store, account), ['one', 'two'])
})

t.test('a session that is lost at the start of a transaction is replaced', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const proxy = await cuttingProxy(t, at)
  const store = await node(t, proxy.url)
  const account = await newAccount(store)
  for (const when of ['before', 'after'] as const) {
    proxy.cutNext('begin; select', when)
    await add(store, account, when)
  }
  t.equal(proxy.cuts, 2)
  proxy.cutNext('begin isolation level', 'after')
  t.same(await notesOf(store, account), ['before', 'after'])
  t.equal(proxy.cuts, 3)
})

t.test('without a server units fail as storageUnavailable, and succeed when it is back', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const proxy = await cuttingProxy(t, at)
  const store = await node(t, proxy.url)
  const account = await newAccount(store)
  proxy.open(false)
  await t.rejects(notesOf(store, account), { name: 'Failure', code: 'storageUnavailable' })
  await t.rejects(add(store, account, 'lost'), { name: 'Failure', code: 'storageUnavailable' })
  proxy.open(true)
  await add(store, account, 'back')
  t.same(await notesOf(store, account), ['back'])
})

t.test('a database that cannot be reached at the start is a Failure that names it', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const url = new URL(at)
  url.pathname = '/nowhere'
  await t.rejects(node(t, url.href), { name: 'Failure', code: 'storageUnavailable', message: /nowhere/ })
})

t.test('a deadlock of units on different nodes is resolved: one runs first, the other again', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const nodes = [await node(t, at), await node(t, at)]
  await nodes[0]!.write([], (unit) =>
    unit.sql.raw("insert into installation (name, value) values ('x', '0'), ('y', '0')"),
  )
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let attempts = 0
  await Promise.all(
    nodes.map((store, i) =>
      store.write([], async (unit) => {
        attempts++
        const touch = (name: string) =>
          unit.sql.raw('update installation set value = value || $1 where name = $2', [String(i), name])
        await unit.sql.raw("set local deadlock_timeout = '20ms'")
        await touch(i === 0 ? 'x' : 'y')
        arrived[i]!.resolve()
        await arrived[1 - i]!.promise
        await touch(i === 0 ? 'y' : 'x')
      }),
    ),
  )
  t.ok(attempts > 2, 'there was a deadlock')
  const rows = (await nodes[0]!.read((reader) =>
    reader.sql.raw("select value from installation where name in ('x', 'y')"),
  )) as { value: string }[]
  t.equal(rows.length, 2)
  for (const { value } of rows) t.match(value, /^0(01|10)$/, 'both did their work once')
})

t.test('over all nodes, sequence numbers are in the order of commits and no number is given out twice', async (t) => {
  const { at } = await placeWithSchema(t, 'postgres')
  const nodes = [await node(t, at), await node(t, at), await node(t, at)]
  const account = await newAccount(nodes[0]!)
  const seen: number[] = []
  let writing = true
  const watch = (async () => {
    while (writing || seen.length < 90) {
      const rows = await nodes[0]!.read((reader) => changesSince(reader, account, 'Note', seen.at(-1) ?? 0, 1_000))
      seen.push(...rows.map(({ seq }) => seq))
    }
  })()
  const made = await Promise.all([
    ...Array.from({ length: 90 }, (_, i) => add(nodes[i % 3]!, account, `note ${i}`)),
    ...Array.from({ length: 12 }, (_, i) => newAccount(nodes[i % 3]!)),
  ])
  writing = false
  await watch
  t.same(
    seen,
    Array.from({ length: 90 }, (_, i) => i + 1),
  )
  t.equal(new Set(made.slice(90)).size, 12)
})

t.test('several nodes may start at once on an empty database', async (t) => {
  const { at } = await freshPlace(t, 'postgres')
  const nodes = await Promise.all([node(t, at), node(t, at), node(t, at)])
  const account = await newAccount(nodes[0]!)
  t.same(await notesOf(nodes[2]!, account), [])
})

t.test('acknowledged commits are on disk, even if the server’s default is not to wait for that', async (t) => {
  const { at } = await freshPlace(t, 'postgres')
  const first = await node(t, at)
  const name = new URL(at).pathname.slice(1)
  const setting = (store: Store) => store.write([], (unit) => unit.sql.raw('show synchronous_commit'))
  await first.read((reader) => reader.sql.raw('select 1'))
  const admin = openPostgres({ url: at })
  await admin.withReader(async (connection) => {
    await connection.exec('commit')
    await connection.exec(`alter database ${name} set synchronous_commit = off`)
    await connection.exec('begin')
  })
  await admin.close()
  const second = await node(t, at)
  const shown = await second.read((reader) => reader.sql.raw('show synchronous_commit'))
  t.same(shown, [{ synchronous_commit: 'off' }], 'control: the server’s default')
  t.same(await setting(second), [{ synchronous_commit: 'on' }])
})

t.test('NUL in text, which PostgreSQL cannot store, is replaced', async (t) => {
  const { store } = await freshStore(t, 'postgres')
  const value = 'a\0b \uD800'
  await store.write([], async (unit) => {
    await unit.sql.query((db) => db.insertInto('installation').values({ name: 'built', value }))
    await unit.sql.raw('insert into installation (name, value) values ($1, $2)', ['raw', value])
    await keepFact(unit.sql, 'kept', value)
  })
  for (const name of ['built', 'raw', 'kept'])
    t.equal(await store.read((reader) => findFact(reader, name)), 'a\uFFFDb \uFFFD', name)
})
