import t from 'tap'
import { Failure } from '../../server/base/errors.ts'
import { changesSince, stateOf } from '../../storage/change-log.ts'
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { findAccount, updateAccount } from '../../storage/repos/accounts.ts'
import { findObject, insertObject, listObjects } from '../../storage/repos/objects.ts'
import { forEachEngine, freshStore } from '../support/engines.ts'
import { newAccount } from './accounts.ts'

/** Stores an object of a made-up type. */
async function addNote(unit: AccountUnit, text: string): Promise<number> {
  const id = unit.nextObject()
  await insertObject(unit, unit.account, 'Note', { id, data: { text } }, unit.now)
  unit.change('Note', id, 'c')
  return id
}

async function notesOf(store: Store, account: number): Promise<unknown[]> {
  const notes = await store.read((reader) => listObjects(reader, account, 'Note'))
  return notes.map(({ data }) => data['text'])
}

await forEachEngine(t, async (t, engine) => {
  t.test('the changes of a unit of work are visible once it resolves', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const id = await store.write([account], (unit) => addNote(unit.account(account), 'kept'))
    t.match(await store.read((reader) => findObject(reader, account, 'Note', id)), { data: { text: 'kept' } })
    t.equal(await store.read((reader) => stateOf(reader, account, 'Note')), 1)
  })

  t.test('a unit that throws is rolled back alone, and the others of its commit are stored', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const own = new Error('no')
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((text) =>
        store.write([account], async (unit) => {
          const id = await addNote(unit.account(account), text)
          if (text === 'b' || text === 'd') throw own
          return id
        }),
      ),
    )
    t.same(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    )
    t.equal((outcomes[1] as PromiseRejectedResult).reason, own, 'the unit’s own error')
    t.same(await notesOf(store, account), ['a', 'c', 'e'])
    const log = await store.read((reader) => changesSince(reader, account, 'Note', 0, 10))
    t.same(
      log.map(({ seq }) => seq),
      [1, 2, 3],
      'units that were rolled back use no sequence numbers',
    )
  })

  t.test('batched units change an account as one, and each has its own outcome', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const addBatched = (text: string) =>
      store.writeBatched([account], async (work) => {
        const unit = work.account(account)
        unit.change('Box', 1, 'u', [text])
        unit.addUsedBytes(10)
        return addNote(unit, text)
      })
    const ids = await Promise.all(['a', 'b', 'c'].map(addBatched))
    t.equal(new Set(ids).size, 3)
    t.same(await notesOf(store, account), ['a', 'b', 'c'])
    const logOf = (type: string) => store.read((reader) => changesSince(reader, account, type, 0, 10))
    t.equal((await logOf('Note')).length, 3)
    t.match(await logOf('Box'), [{ object: 1, kind: 'u', props: 'a,b,c' }], 'one change of the same object')
    t.match(await store.read((reader) => findAccount(reader, account)), { used_bytes: 30 })
    const own = new Error('no')
    const failing = store.writeBatched([account], async (work) => {
      await addNote(work.account(account), 'undone')
      throw own
    })
    const outcomes = await Promise.allSettled([addBatched('d'), failing, addBatched('e')])
    t.same(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    t.same(await notesOf(store, account), ['a', 'b', 'c', 'd', 'e'])
    t.match(await store.read((reader) => findAccount(reader, account)), { used_bytes: 50 })
  })

  t.test('a unit that is not batched sees the changes of earlier ones, and has a state of its own', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const states: (number | undefined)[] = []
    const write = async (text: string) => {
      const unit = await store.write([account], async (work) => {
        await addNote(work.account(account), text)
        return work.account(account)
      })
      states.push(unit.committedState('Note'))
    }
    const addBatched = (text: string) => store.writeBatched([account], (work) => addNote(work.account(account), text))
    await Promise.all([addBatched('a'), addBatched('b'), write('c'), addBatched('d'), write('e')])
    t.same(await notesOf(store, account), ['a', 'b', 'c', 'd', 'e'])
    t.same(states, [3, 5])
  })

  t.test('a statement that fails rolls back its unit and no other', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const twice = store.write([account], async (unit) => {
      const own = unit.account(account)
      const id = await addNote(own, 'first')
      await insertObject(own, account, 'Note', { id, data: { text: 'again' } }, own.now)
    })
    const other = store.write([account], (unit) => addNote(unit.account(account), 'other'))
    await t.rejects(twice, { name: 'Failure', code: 'conflict' })
    await other
    t.same(await notesOf(store, account), ['other'])
  })

  t.test('several accounts change together or not at all', async (t) => {
    const { store } = await freshStore(t, engine)
    const a = await newAccount(store)
    const b = await newAccount(store)
    const move = (fails: boolean) =>
      store.write([b, a, b], async (unit) => {
        await addNote(unit.account(a), 'in a')
        await addNote(unit.account(b), 'in b')
        if (fails) throw new Error('half-way')
      })
    await t.rejects(move(true))
    t.same([await notesOf(store, a), await notesOf(store, b)], [[], []])
    await move(false)
    t.same([await notesOf(store, a), await notesOf(store, b)], [['in a'], ['in b']])
  })

  t.test('units that name the same accounts in any order do not deadlock', async (t) => {
    const { store } = await freshStore(t, engine)
    const accounts = [await newAccount(store), await newAccount(store), await newAccount(store)]
    const pairs = Array.from({ length: 60 }, (_, i) => [accounts[i % 3]!, accounts[(i * 7 + 1) % 3]!])
    await Promise.all(
      pairs.map((pair) =>
        store.write(pair, async (unit) => {
          for (const account of pair) await addNote(unit.account(account), 'x')
        }),
      ),
    )
    const counts = await Promise.all(accounts.map((account) => notesOf(store, account)))
    t.equal(
      counts.reduce((sum, notes) => sum + notes.length, 0),
      120,
    )
  })

  t.test('numbers of objects are never given out twice, even by parallel units', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const numbers = await Promise.all(
      Array.from({ length: 50 }, () => store.write([account], async (unit) => unit.account(account).nextObject())),
    )
    t.equal(new Set(numbers).size, 50)
  })

  t.test('numbers of accounts are never given out twice, even to parallel units or after a deletion', async (t) => {
    const { store } = await freshStore(t, engine)
    const made = await Promise.all(Array.from({ length: 20 }, () => newAccount(store)))
    t.equal(new Set(made).size, 20)
    const last = Math.max(...made)
    await store.write([last], (unit) => updateAccount(unit, last, { deleted_at: unit.now }))
    t.equal(await store.read((reader) => findAccount(reader, last)), null, 'it is gone')
    t.ok((await newAccount(store)) > last, 'its number is not used again')
  })

  t.test('a new account is locked from the start, and is its own organization if none is given', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await store.write([], async (unit) => {
      const fresh = await unit.createAccount({ kind: 'organization', organization: null, name: 'New' })
      await addNote(fresh, 'within')
      return fresh.account
    })
    t.same(await notesOf(store, account), ['within'])
    t.match(await store.read((reader) => findAccount(reader, account)), { organization: account, kind: 'organization' })
  })

  t.test('an account that was not named cannot be changed, and one that does not exist cannot be named', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const other = await newAccount(store)
    await t.rejects(
      store.write([account], async (unit) => unit.account(other)),
      { name: 'NotLocked' },
    )
    await t.rejects(
      store.write([other + 1], async () => {}),
      { name: 'AccountGone' },
    )
  })

  t.test('a unit of work cannot be used after its end', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const kept = await store.write([account], async (unit) => unit.account(account))
    await t.rejects(async () => listObjects(kept, account, 'Note'), { name: 'TypeError' })
    const reader = await store.read(async (opened) => opened)
    await t.rejects(async () => listObjects(reader, account, 'Note'), { name: 'TypeError' })
  })

  t.test('used octets are added up, and rolled back with their unit', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await Promise.allSettled([
      store.write([account], async (unit) => unit.account(account).addUsedBytes(100)),
      store.write([account], async (unit) => {
        unit.account(account).addUsedBytes(1_000)
        throw new Error('no')
      }),
      store.write([account], async (unit) => unit.account(account).addUsedBytes(-30)),
    ])
    t.match(await store.read((reader) => findAccount(reader, account)), { used_bytes: 70 })
  })

  t.test('a unit knows whether its account was deleted', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const deleted = () => store.write([account], async (unit) => unit.account(account).isDeleted)
    t.equal(await deleted(), false)
    await store.write([account], (unit) => updateAccount(unit, account, { deleted_at: unit.now }))
    t.equal(await deleted(), true)
  })

  t.test('listeners get the new states of each commit before its units are answered', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const reported: unknown[] = []
    const stop = store.onCommit((changes) => reported.push(...changes))
    const seen = await store
      .write([account], async (unit) => {
        await addNote(unit.account(account), 'a')
        await addNote(unit.account(account), 'b')
      })
      .then(() => reported.length)
    t.equal(seen, 1)
    t.same(reported, [{ account, kind: 'mailbox', states: { Note: 2 } }])
    await store.write([account], async (unit) => void unit.account(account).nextObject())
    await t.rejects(
      store.write([account], async (unit) => {
        await addNote(unit.account(account), 'c')
        throw new Failure('conflict', 'no')
      }),
    )
    t.equal(reported.length, 1, 'units without changes, or that were rolled back, are not reported')
    stop()
    await store.write([account], (unit) => addNote(unit.account(account), 'd'))
    t.equal(reported.length, 1)
  })

  t.test('a unit knows the new state of a type once it has ended', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const unit = await store.write([account], async (work) => {
      await addNote(work.account(account), 'a')
      return work.account(account)
    })
    t.equal(unit.committedState('Note'), 1)
    t.equal(unit.committedState('Other'), undefined)
  })
})
