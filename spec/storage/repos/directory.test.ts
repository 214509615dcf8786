import t from 'tap'
import { updateAccount } from '../../../storage/repos/accounts.ts'
import {
  addressesOf,
  deleteAddress,
  deleteCredential,
  deleteDomainName,
  findAddress,
  findCredential,
  findDomainName,
  insertAddress,
  saveCredential,
  saveDomainName,
} from '../../../storage/repos/directory.ts'
import { findFact, keepFact } from '../../../storage/repos/installation.ts'
import { deleteObject, findObject, insertObject, listObjects, updateObject } from '../../../storage/repos/objects.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

await forEachEngine(t, async (t, engine) => {
  t.test('an address leads to one account, until the address or the account is deleted', async (t) => {
    const { store } = await freshStore(t, engine)
    const a = await newAccount(store)
    const b = await newAccount(store)
    const row = (account: number, address: string, kind: 'mailbox' | 'alias') => ({
      address,
      account,
      kind,
      domain: 'example.test',
    })
    const insert = (...rows: ReturnType<typeof row>[]) =>
      store.write([], async (unit) => {
        for (const each of rows) await insertAddress(unit.sql, each)
      })
    await insert(
      row(a, 'z@example.test', 'mailbox'),
      row(a, 'b@example.test', 'alias'),
      row(a, 'a@example.test', 'alias'),
    )
    await t.rejects(insert(row(b, 'a@example.test', 'mailbox')), { name: 'Failure', code: 'conflict' })
    const find = (address: string) => store.read((reader) => findAddress(reader, address))
    t.match(await find('a@example.test'), { account: a, kind: 'alias', suspended_at: null })
    t.equal(await find('nobody@example.test'), null)
    const own = await store.read((reader) => addressesOf(reader, a))
    t.same(
      own.map(({ address }) => address),
      ['z@example.test', 'a@example.test', 'b@example.test'],
      'the mailbox’s own address first',
    )
    await store.write([], (unit) => deleteAddress(unit.sql, 'a@example.test'))
    t.equal(await find('a@example.test'), null)
    await store.write([a], (unit) => updateAccount(unit, a, { deleted_at: unit.now }))
    t.equal(await find('z@example.test'), null)
  })

  t.test('several accounts may claim a domain, each once, and the one that verified it is first', async (t) => {
    const { store } = await freshStore(t, engine)
    const a = await newAccount(store)
    const b = await newAccount(store)
    const save = (account: number, status: string) =>
      store.write([], (unit) =>
        saveDomainName(unit.sql, { name: 'example.test', account, object: 1, status, catch_all: null }),
      )
    await save(b, 'pending')
    await save(a, 'pending')
    await save(b, 'verified')
    const claims = () => store.read((reader) => findDomainName(reader, 'example.test'))
    t.match(await claims(), [
      { account: b, status: 'verified' },
      { account: a, status: 'pending' },
    ])
    await store.write([], (unit) => deleteDomainName(unit.sql, 'example.test', b))
    t.match(await claims(), [{ account: a }])
  })

  t.test('a credential is found by its hash, and is replaced as a whole', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const save = (verifier: string | null) =>
      store.write([], (unit) =>
        saveCredential(unit.sql, { hash: 'h', account, object: 7, verifier, created_at: unit.now }),
      )
    await save(null)
    await save('argon2id')
    t.match(await store.read((reader) => findCredential(reader, 'h')), { account, object: 7, verifier: 'argon2id' })
    await store.write([], (unit) => deleteCredential(unit.sql, 'h'))
    t.equal(await store.read((reader) => findCredential(reader, 'h')), null)
  })

  t.test('a fact about the installation keeps its first value', async (t) => {
    const { store } = await freshStore(t, engine)
    const find = () => store.read((reader) => findFact(reader, 'key'))
    t.equal(await find(), null)
    await Promise.all(['one', 'two'].map((value) => store.write([], (unit) => keepFact(unit.sql, 'key', value))))
    const kept = await find()
    t.ok(kept === 'one' || kept === 'two')
    await store.write([], (unit) => keepFact(unit.sql, 'key', 'three'))
    t.equal(await find(), kept)
  })

  t.test('an object is found only by its account, type and number', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const data = { text: 'ü\u2028"\\ 😀', list: [1, null, { deep: true }] }
    await store.write([account], (unit) =>
      insertObject(unit.account(account), account, 'Note', { id: 5, data }, unit.now),
    )
    const find = (owner: number, type: string, id: number) =>
      store.read((reader) => findObject(reader, owner, type, id))
    t.same(await find(account, 'Note', 5), { id: 5, data })
    t.same(
      [await find(account + 1, 'Note', 5), await find(account, 'Page', 5), await find(account, 'Note', 6)],
      [null, null, null],
    )
    await store.write([account], (unit) => updateObject(unit.account(account), account, 'Note', { id: 5, data: {} }))
    t.same(await find(account, 'Note', 5), { id: 5, data: {} })
    await store.write([account], (unit) => deleteObject(unit.account(account), account, 'Note', 5))
    t.same(await store.read((reader) => listObjects(reader, account, 'Note')), [])
  })
})
