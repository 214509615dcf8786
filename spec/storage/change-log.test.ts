import t from 'tap'
import { changesSince, floorAt, stateOf, trimChanges } from '../../storage/change-log.ts'
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { forEachEngine, freshStore } from '../support/engines.ts'
import { newAccount } from './accounts.ts'

function change(store: Store, account: number, stage: (unit: AccountUnit) => void): Promise<void> {
  return store.write([account], async (unit) => stage(unit.account(account)))
}

async function logOf(store: Store, account: number, type = 'Note', since = 0): Promise<string[]> {
  const rows = await store.read((reader) => changesSince(reader, account, type, since, 1_000))
  return rows.map(({ seq, object, kind, props }) => `${seq}: ${kind} ${object}${props === null ? '' : ` ${props}`}`)
}

function stateIn(store: Store, account: number, type = 'Note'): Promise<number> {
  return store.read((reader) => stateOf(reader, account, type))
}

await forEachEngine(t, async (t, engine) => {
  t.test('each row has a sequence number of its own, over all types of an account', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const other = await newAccount(store)
    await change(store, account, (unit) => {
      unit.change('Note', 1, 'c')
      unit.change('Page', 1, 'c')
      unit.change('Note', 2, 'c')
    })
    await change(store, other, (unit) => unit.change('Note', 9, 'c'))
    t.same(await logOf(store, account), ['1: c 1', '3: c 2'])
    t.same(await logOf(store, account, 'Page'), ['2: c 1'])
    t.same(await logOf(store, other), ['1: c 9'], 'each account has its own numbers')
  })

  t.test('several changes of one object in one unit of work become one row', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await change(store, account, (unit) => {
      for (const object of [1, 2, 3, 4]) unit.change('Note', object, 'c')
    })
    const cases: [string, (unit: AccountUnit) => void, string[]][] = [
      ['created, updated', (u) => [u.change('Note', 10, 'c'), u.change('Note', 10, 'u', ['a'])], ['c 10']],
      ['created, destroyed', (u) => [u.change('Note', 11, 'c'), u.change('Note', 11, 'd')], []],
      [
        'updated twice',
        (u) => [u.change('Note', 1, 'u', ['a', 'b']), u.change('Note', 1, 'u', ['b', 'c'])],
        ['u 1 a,b,c'],
      ],
      ['updated, once without names', (u) => [u.change('Note', 2, 'u', ['a']), u.change('Note', 2, 'u')], ['u 2']],
      ['updated, destroyed', (u) => [u.change('Note', 3, 'u', ['a']), u.change('Note', 3, 'd')], ['d 3']],
      ['destroyed, created', (u) => [u.change('Note', 4, 'd'), u.change('Note', 4, 'c')], ['u 4']],
      [
        'in the order of their first change',
        (u) => [u.change('Note', 4, 'u'), u.change('Note', 1, 'u'), u.change('Note', 4, 'u')],
        ['u 4', 'u 1'],
      ],
    ]
    for (const [words, stage, expected] of cases) {
      const before = await stateIn(store, account)
      await change(store, account, stage)
      const rows = (await logOf(store, account, 'Note', before)).map((row) => row.slice(row.indexOf(' ') + 1))
      t.same(rows, expected, words)
    }
  })

  t.test('a unit of work without changes calls no listener and changes no state', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    let calls = 0
    store.onCommit(() => calls++)
    await change(store, account, (unit) => {
      unit.change('Note', 1, 'c')
      unit.change('Note', 1, 'd')
    })
    t.equal(calls, 0)
    t.equal(await stateIn(store, account), 0)
    await change(store, account, (unit) => unit.change('Note', 2, 'c'))
    t.equal(calls, 1)
  })

  t.test('a state is the highest sequence number of its type, 0 for a type that never changed', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    t.equal(await stateIn(store, account), 0)
    await change(store, account, (unit) => {
      unit.change('Note', 1, 'c')
      unit.change('Page', 1, 'c')
    })
    await change(store, account, (unit) => unit.change('Page', 1, 'u'))
    t.equal(await stateIn(store, account), 1)
    t.equal(await stateIn(store, account, 'Page'), 3)
  })

  t.test('rows are listed in order, page by page', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    await change(store, account, (unit) => {
      for (let object = 1; object <= 25; object++) unit.change('Note', object, 'c')
    })
    const seen: number[] = []
    for (let since = 0; ; ) {
      const page = await store.read((reader) => changesSince(reader, account, 'Note', since, 10))
      if (page.length === 0) break
      t.ok(page.length <= 10)
      seen.push(...page.map(({ object }) => object))
      since = page.at(-1)!.seq
    }
    t.same(
      seen,
      Array.from({ length: 25 }, (_, i) => i + 1),
    )
  })

  t.test('trimming deletes old rows, raises the floor, and does not change the state', async (t) => {
    const { store, clock } = await freshStore(t, engine)
    const account = await newAccount(store)
    await change(store, account, (unit) => {
      unit.change('Note', 1, 'c')
      unit.change('Page', 1, 'c')
    })
    clock.advance(1_000)
    const later = clock.now()
    await change(store, account, (unit) => unit.change('Note', 2, 'c'))
    const trim = (before: number) =>
      store.write([account], (unit) => trimChanges(unit.account(account), account, before))
    await trim(later)
    const floor = (type: string) => store.read((reader) => floorAt(reader, account, type))
    t.same(await logOf(store, account), ['3: c 2'])
    t.same([await floor('Note'), await floor('Page'), await floor('Other')], [1, 2, 0])
    t.same([await stateIn(store, account), await stateIn(store, account, 'Page')], [3, 2])
    await trim(later + 1)
    t.same([await floor('Note'), await stateIn(store, account)], [3, 3], 'without rows the state is the floor')
    await change(store, account, (unit) => unit.change('Page', 1, 'u'))
    t.equal(await stateIn(store, account, 'Page'), 4, 'sequence numbers continue')
    await trim(0)
    t.same(await logOf(store, account, 'Page'), ['4: u 1'], 'newer rows stay')
  })

  t.test(
    'sequence numbers are in the order of commits: none appears below a number that a reader has seen',
    async (t) => {
      const { store } = await freshStore(t, engine)
      const account = await newAccount(store)
      const others = [await newAccount(store), await newAccount(store), await newAccount(store)]
      let writing = true
      const seen: number[] = []
      const watch = (async () => {
        while (writing || seen.length < 120) {
          const rows = await store.read((reader) => changesSince(reader, account, 'Note', seen.at(-1) ?? 0, 1_000))
          seen.push(...rows.map(({ seq }) => seq))
          await new Promise((resolve) => setImmediate(resolve))
        }
      })()
      await Promise.all(
        Array.from({ length: 120 }, (_, i) =>
          store.write([account, others[i % 3]!], async (unit) => {
            unit.account(account).change('Note', i + 1, 'c')
            unit.account(others[i % 3]!).change('Note', i + 1, 'c')
          }),
        ),
      )
      writing = false
      await watch
      t.same(
        seen,
        Array.from({ length: 120 }, (_, i) => i + 1),
      )
    },
  )
})
