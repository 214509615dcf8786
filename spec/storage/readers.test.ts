import t from 'tap'
import type { Reader, Store } from '../../storage/ports.ts'
import { insertObject, listObjects } from '../../storage/repos/objects.ts'
import { forEachEngine, freshStore } from '../support/engines.ts'
import { newAccount } from './accounts.ts'

function add(store: Store, account: number): Promise<void> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    await insertObject(unit, account, 'Note', { id: unit.nextObject(), data: {} }, unit.now)
  })
}

async function count(reader: Reader, account: number): Promise<number> {
  return (await listObjects(reader, account, 'Note')).length
}

await forEachEngine(t, async (t, engine) => {
  t.test('a reader sees one snapshot, whatever is written meanwhile', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await add(store, account)
    await store.read(async (reader) => {
      t.equal(await count(reader, account), 1)
      await add(store, account)
      await add(store, account)
      t.equal(await count(reader, account), 1, 'still')
      t.equal(await store.read((other) => count(other, account)), 3, 'a reader that starts now sees more')
    })
  })

  t.test('changes that are not committed are visible only in their unit of work', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await store.write([account], async (work) => {
      const unit = work.account(account)
      await insertObject(unit, account, 'Note', { id: unit.nextObject(), data: {} }, unit.now)
      t.equal(await count(unit, account), 1, 'in the unit itself')
      t.equal(await store.read((reader) => count(reader, account)), 0)
    })
    t.equal(await store.read((reader) => count(reader, account)), 1)
  })

  t.test('readers do not block writers', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const reading = store.read(async (reader) => {
      const before = await count(reader, account)
      begun.resolve()
      await gate.promise
      return [before, await count(reader, account)]
    })
    await begun.promise
    await Promise.all(Array.from({ length: 10 }, () => add(store, account)))
    gate.resolve()
    t.same(await reading, [0, 0])
  })

  t.test('a reader cannot write', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await t.rejects(store.read((reader) => insertObject(reader, account, 'Note', { id: 1, data: {} }, 0)))
    t.equal(await store.read((reader) => count(reader, account)), 0)
  })
})
