import t from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import { Failure } from '../../server/base/errors.ts'
import { COMMIT_BATCH_MAX, COMMIT_RETRIES } from '../../server/base/limits.ts'
import { BACKGROUND_AFTER_COMMITS } from '../../server/base/storage-limits.ts'
import type { Store } from '../../storage/ports.ts'
import { insertObject, listObjects } from '../../storage/repos/objects.ts'
import { openStore } from '../../storage/store.ts'
import { type EngineName, forEachEngine, freshPlace, freshStore } from '../support/engines.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { watchedDialect } from '../support/watched-dialect.ts'
import { newAccount } from './accounts.ts'

/** An error as the engine's driver would throw it. */
function engineError(code: string): Error {
  return Object.assign(new Error(`simulated ${code}`), { code })
}

const RETRYABLE: { [E in EngineName]: string } = { sqlite: 'SQLITE_BUSY', postgres: '40P01' }
const FULL: { [E in EngineName]: string } = { sqlite: 'SQLITE_FULL', postgres: '53100' }
const FATAL: { [E in EngineName]: string } = { sqlite: 'SQLITE_IOERR_FSYNC', postgres: 'XX000' }

function add(store: Store, account: number, text: string): Promise<number> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const id = unit.nextObject()
    await insertObject(unit, account, 'Note', { id, data: { text } }, unit.now)
    return id
  })
}

async function notesOf(store: Store, account: number): Promise<unknown[]> {
  const notes = await store.read((reader) => listObjects(reader, account, 'Note'))
  return notes.map(({ data }) => data['text'])
}

await forEachEngine(t, async (t, engine) => {
  t.test('units of work that are submitted together share a commit', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    watch.commits = 0
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(store, account, `note ${i}`)))
    t.ok(watch.commits <= 2, `${watch.commits} commits`)
    t.equal((await notesOf(store, account)).length, 100)
    watch.commits = 0
    for (let i = 0; i < 5; i++) await add(store, account, 'one by one')
    t.equal(watch.commits, 5, 'control: those that are submitted one after the other do not')
  })

  t.test('units that are submitted during a commit share the next one, and none waits for a timer', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    watch.commits = 0
    let later: Promise<number>[] = []
    watch.onCommit = async (commit) => {
      if (later.length === 0) later = Array.from({ length: 40 }, () => add(store, account, 'later'))
      await commit()
    }
    await add(store, account, 'first')
    await Promise.all(later)
    t.equal(watch.commits, 2)
  })

  t.test('a commit has a limited number of units', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    watch.commits = 0
    await Promise.all(Array.from({ length: COMMIT_BATCH_MAX + 1 }, () => add(store, account, 'x')))
    t.equal(watch.commits, 2)
  })

  t.test('no unit is answered before the commit', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    const events: string[] = []
    watch.onCommit = async (commit) => {
      await commit()
      events.push('committed')
    }
    store.onCommit(() => events.push('reported'))
    await store
      .write([account], async (unit) => unit.account(account).change('Note', 1, 'c'))
      .then(() => events.push('answered'))
    t.same(events, ['committed', 'reported', 'answered'])
  })

  t.test('a commit that fails rejects all of its units and stores nothing', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    let reports = 0
    store.onCommit(() => reports++)
    watch.onCommit = async () => {
      throw engineError(FULL[engine])
    }
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((text) => add(store, account, text)))
    for (const outcome of outcomes)
      t.match(outcome, { status: 'rejected', reason: { name: 'Failure', code: 'storageFull' } })
    t.equal(reports, 0)
    t.same(await notesOf(store, account), [])
    watch.onCommit = (commit) => commit()
    await add(store, account, 'room again')
    t.same(await notesOf(store, account), ['room again'])
  })

  t.test('a batch is repeated after temporary errors, a limited number of times', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    let attempts = 0
    watch.onCommit = async (commit) => {
      if (++attempts <= 2) throw engineError(RETRYABLE[engine])
      await commit()
    }
    await add(store, account, 'third time')
    t.same([attempts, await notesOf(store, account)], [3, ['third time']])
    attempts = -100
    await t.rejects(add(store, account, 'never'), { name: 'Failure', code: 'storageUnavailable' })
    t.equal(attempts, -100 + 1 + COMMIT_RETRIES)
    watch.onCommit = (commit) => commit()
    await add(store, account, 'well')
    t.same(await notesOf(store, account), ['third time', 'well'])
  })

  t.test('a failed unit is rejected with its own error, even if the commit fails too', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    const own = new Failure('conflict', 'its own')
    watch.onCommit = async () => {
      throw engineError(FATAL[engine])
    }
    const good = add(store, account, 'good')
    const bad = store.write([account], async () => {
      throw own
    })
    const [first, second] = await Promise.allSettled([good, bad])
    t.match(first, { reason: { code: 'storageUnavailable' } })
    t.equal((second as PromiseRejectedResult).reason, own)
  })

  t.test('units of one account run in the order of their submission', async (t) => {
    const { store } = await freshStore(t, engine)
    const a = await newAccount(store)
    const b = await newAccount(store)
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        store.write(i % 3 === 0 ? [a, b] : [a], async (unit) => {
          const id = unit.account(a).nextObject()
          order.push(id)
          return id
        }),
      ),
    )
    t.same(
      order,
      [...order].sort((x, y) => x - y),
    )
  })

  t.test('units of the background let all others go first, and are committed one by one', async (t) => {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, engine, undefined, around)
    const account = await newAccount(store)
    const order: string[] = []
    const note = (text: string) => async () => void order.push(text)
    watch.commits = 0
    await Promise.all([
      store.writeInBackground([account], note('b1')),
      store.writeInBackground([account], note('b2')),
      store.write([account], note('f1')),
      store.write([account], note('f2')),
    ])
    t.same(order, ['f1', 'f2', 'b1', 'b2'])
    t.equal(watch.commits, 3)
  })

  t.test('a unit of the background is committed even if others never end', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    let isDone = false
    let others = 0
    const endless = async () => {
      while (!isDone) {
        await add(store, account, 'other')
        others++
      }
    }
    const running = endless()
    await store.writeInBackground([account], async () => {
      isDone = true
    })
    await running
    t.ok(others > 1 && others <= BACKGROUND_AFTER_COMMITS + 1, `after ${others}`)
  })

  t.test('closing answers accepted units and refuses later ones', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const taken = Array.from({ length: 20 }, (_, i) => add(store, account, `note ${i}`))
    const closed = store.close()
    await t.rejects(add(store, account, 'too late'), { name: 'Failure', code: 'shuttingDown' })
    t.equal((await Promise.all(taken)).length, 20)
    await closed
    await t.rejects(notesOf(store, account), { name: 'Failure', code: 'shuttingDown' })
    await store.close()
  })
})

t.test('after a disk fault of SQLite nothing more is accepted, and stored data can still be read', async (t) => {
  for (const code of ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT']) {
    const { watch, around } = watchedDialect()
    const { store } = await freshStore(t, 'sqlite', undefined, around)
    const account = await newAccount(store)
    await add(store, account, 'before')
    let tries = 0
    let waiting: Promise<unknown> = Promise.resolve()
    watch.onCommit = async () => {
      tries++
      waiting = Promise.allSettled([add(store, account, 'queued meanwhile')])
      throw engineError(code)
    }
    await t.rejects(add(store, account, 'lost'), { name: 'Failure', code: 'storageUnavailable' })
    t.match(await waiting, [{ status: 'rejected', reason: { code: 'storageUnavailable' } }])
    watch.onCommit = (commit) => commit()
    await t.rejects(add(store, account, 'after'), { name: 'Failure', code: 'storageUnavailable' })
    t.equal(tries, 1, 'it is not repeated')
    t.same(await notesOf(store, account), ['before'])
  }
})

t.test('a disk fault is reported once, after the answers to the units of its commit', async (t) => {
  const { watch, around } = watchedDialect()
  const place = await freshPlace(t, 'sqlite')
  const events: string[] = []
  const onDiskFault = ({ message }: Failure) => void events.push(message)
  const options = { blobs: memoryBlobs(), clock: new ManualClock(), onDiskFault }
  const store = await openStore({ ...options, dialect: around(place.open()) })
  t.teardown(() => store.close())
  const account = await newAccount(store)
  watch.onCommit = async () => {
    throw engineError('SQLITE_FULL')
  }
  await t.rejects(add(store, account, 'full'), { code: 'storageFull' })
  t.same(events, [], 'control: a full disk is none')
  watch.onCommit = async () => {
    throw engineError('SQLITE_IOERR_FSYNC')
  }
  await Promise.allSettled([add(store, account, 'a'), add(store, account, 'b')])
  await Promise.allSettled([add(store, account, 'c')])
  t.match(events, [/the database failed/])
  t.equal(events.length, 1)
})

t.test('a disk fault during a unit has the same effect', async (t) => {
  const { watch, around } = watchedDialect()
  const { store } = await freshStore(t, 'sqlite', undefined, around)
  const account = await newAccount(store)
  watch.onStatement = () => {
    throw engineError('SQLITE_IOERR_READ')
  }
  await t.rejects(add(store, account, 'a'), { code: 'storageUnavailable' })
  watch.onStatement = () => {}
  await t.rejects(add(store, account, 'b'), { code: 'storageUnavailable' })
})

t.test('a damaged search index only fails units that use it', async (t) => {
  const { watch, around } = watchedDialect()
  const { store } = await freshStore(t, 'sqlite', undefined, around)
  const account = await newAccount(store)
  const [indexed, other] = await Promise.allSettled([
    store.write([account], async () => {
      throw engineError('SQLITE_CORRUPT_VTAB')
    }),
    add(store, account, 'mail'),
  ])
  t.match(indexed, { status: 'rejected' })
  t.match(other, { status: 'fulfilled' })
  t.ok(watch.commits > 0)
  await add(store, account, 'more')
  t.same(await notesOf(store, account), ['mail', 'more'])
})

t.test('a listener that fails does not undo the commit', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  const account = await newAccount(store)
  const reported = new Promise((resolve) => process.once('uncaughtException', resolve))
  store.onCommit(() => {
    throw new Error('a broken listener')
  })
  await store.write([account], async (unit) => unit.account(account).change('Note', 1, 'c'))
  t.match(await reported, { message: 'a broken listener' }, 'the error is reported')
  await add(store, account, 'goes on')
  t.same(await notesOf(store, account), ['goes on'])
})
