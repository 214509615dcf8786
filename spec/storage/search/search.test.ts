import type { Test } from 'tap'
import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import type { SearchTerm } from '../../../storage/search/search-index.ts'
import { SEARCH_FIELDS, type SearchDocument, type SearchField, wordsOf } from '../../../storage/search/words.ts'
import { type EngineName, forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

const EMPTY: SearchDocument = {
  ...(Object.fromEntries(SEARCH_FIELDS.map((field) => [field, ''])) as Record<SearchField, string>),
  headerNames: [],
}

interface Searchable {
  readonly store: Store
  readonly account: number
  /** @param at time of receipt; by default later for higher numbers */
  add(email: number, document: Partial<SearchDocument>, at?: number, account?: number): Promise<void>
  /** Numbers in ascending order. */
  find(search: string, field?: SearchField | 'text', account?: number): Promise<number[]>
  /** Numbers, newest first, read in pages. */
  list(terms: readonly SearchTerm[], page?: number): Promise<number[]>
  count(terms: readonly SearchTerm[], what?: 'emails' | 'threads'): Promise<number>
}

async function searchable(t: Test, engine: EngineName): Promise<Searchable> {
  const { store } = await freshStore(t, engine)
  const own = await newAccount(store)
  const list = (account: number, terms: readonly SearchTerm[], page: number) =>
    store.read(async (reader) => {
      const emails = searchIndexOf(reader.sql).newest(reader, account, terms, null)
      const found: number[] = []
      for (;;) {
        const rows = await emails.next(page)
        found.push(...rows.map(({ id }) => id))
        if (rows.length < page) return found
      }
    })
  return {
    store,
    account: own,
    add: (id, document, receivedAt = id, account = own) =>
      store.write([account], (unit) => {
        const words = wordsOf({ ...EMPTY, ...document })
        return searchIndexOf(unit.sql).add(unit.account(account), [{ id, thread: 1, receivedAt, words }])
      }),
    find: async (search, field = 'text', account = own) =>
      (await list(account, [{ field, search }], 100)).sort((a, b) => a - b),
    list: (terms, page = 3) => list(own, terms, page),
    count: (terms, what = 'emails') =>
      store.read((reader) => searchIndexOf(reader.sql).count(reader, own, terms, null, what)),
  }
}

/** Searches over the same documents, and the emails that both engines must find. */
const DOCUMENTS: { [email: number]: Partial<SearchDocument> } = {
  1: {
    from: 'Ada Lovelace ada@example.org',
    subject: 'Analytical engines',
    body: 'The engine weaves algebraic patterns.',
  },
  2: {
    from: 'Jürgen Müller',
    to: 'ada@example.org',
    subject: 'Grüße aus Köln',
    body: 'Die Straße ist lang. Der Weg auch.',
  },
  3: { subject: '会議の議事録', body: '東京タワーで会いましょう。サーバーの件です。' },
  4: { subject: '서울 여행', body: '우리는 서울에서 만났습니다', attachment: 'plan.pdf 지도.png' },
  5: { subject: 'Привет, МИР', body: 'ΟΔΟΣ και όνομα', cc: 'Zoë <zoe@example.net>', bcc: 'hidden@example.net' },
  6: { body: 'one two three', subject: 'three four' },
  7: { subject: 'invoice 2026-01-15', attachment: 'invoice_2026.pdf', body: "don't panic: 100% O'Reilly & Sons" },
}

const CASES: [search: string, field: SearchField | 'text', found: number[]][] = [
  ['engine', 'text', [1]],
  ['ENGINE', 'body', [1]],
  ['engines', 'text', [1]],
  ['engin*', 'text', [1]],
  ['engin', 'text', []],
  ['ada', 'text', [1, 2]],
  ['ada', 'from', [1]],
  ['ada', 'to', [2]],
  ['ada@example.org', 'text', [1, 2]],
  ['ada@example.org', 'from', [1]],
  ['example.org ada', 'from', [1]],
  ['"example.org ada"', 'from', []],
  ['muller', 'text', [2]],
  ['Mu\u0308ller', 'text', [2]],
  ['strasse', 'body', [2]],
  ['STRASSE', 'text', [2]],
  ['grusse koln', 'subject', [2]],
  ['"aus koln"', 'subject', [2]],
  ['"koln aus"', 'subject', []],
  ["'aus köln'", 'subject', [2]],
  ['lang weg', 'body', [2]],
  ['"lang der weg"', 'body', [2]],
  ['東京', 'text', [3]],
  ['京タ', 'text', [3]],
  ['京', 'text', [3]],
  ['東京タワー', 'body', [3]],
  ['東京タワーの', 'body', []],
  ['大阪', 'text', []],
  ['サーバー', 'body', [3]],
  ['サーバ', 'body', [3]],
  ['サーカス', 'body', []],
  ['会議', 'subject', [3]],
  ['会議', 'body', []],
  ['録', 'subject', [3]],
  ['서울', 'text', [4]],
  ['서울에서', 'body', [4]],
  ['부산', 'text', []],
  ['지도', 'attachment', [4]],
  ['plan.pdf', 'attachment', [4]],
  ['pdf', 'text', [4, 7]],
  ['мир', 'subject', [5]],
  ['οδος', 'body', [5]],
  ['zoe', 'cc', [5]],
  ['hidden', 'bcc', [5]],
  ['hidden', 'cc', []],
  ['one three', 'text', [6]],
  ['one four', 'text', [6]],
  ['"one two"', 'text', [6]],
  ['"three three"', 'text', []],
  ['"one two three three"', 'text', []],
  ['one', 'subject', []],
  ['2026', 'text', [7]],
  ['"2026-01-15"', 'subject', [7]],
  ['2026-01', 'subject', [7]],
  ['01-2026', 'subject', []],
  ["don't", 'body', [7]],
  ["o'reilly", 'body', [7]],
  ['100%', 'body', [7]],
  ['invoice_2026.pdf', 'attachment', [7]],
  ['AND', 'text', []],
  ['NOT engine', 'text', []],
  ['engine OR two', 'text', []],
  ['from:ada', 'text', []],
  ['*', 'text', []],
  ['"', 'text', []],
  ['', 'text', []],
  ["'); drop table email; --", 'text', []],
  ['\\ & | ! <-> :* ( )', 'text', []],
  ['\u0000', 'text', []],
]

await forEachEngine(t, async (t, engine) => {
  t.test('the same searches find the same emails', async (t) => {
    const { add, find } = await searchable(t, engine)
    for (const [email, document] of Object.entries(DOCUMENTS)) await add(Number(email), document)
    for (const [search, field, found] of CASES) t.same(await find(search, field), found, `${field}: ${search}`)
  })

  t.test('a search finds only emails of its account', async (t) => {
    const { store, account, add, find } = await searchable(t, engine)
    const other = await newAccount(store)
    await add(1, { body: 'shared word' })
    await add(1, { body: 'shared secret' }, 1, other)
    await add(2 ** 32 - 1, { body: 'shared last' })
    t.same(await find('shared', 'text', account), [1, 2 ** 32 - 1])
    t.same(await find('shared', 'body', other), [1])
    t.same(await find('secret', 'text', account), [])
    t.same(await find(`@${other}`, 'text', account), [])
  })

  t.test('an email that was removed from the index is not found', async (t) => {
    const { store, account, add, find } = await searchable(t, engine)
    await add(1, { body: 'going going gone' })
    await add(2, { body: 'going on' })
    await store.write([account], (unit) => searchIndexOf(unit.sql).remove(unit.account(account), 1))
    t.same(await find('going'), [2])
    t.same(await store.read((reader) => searchIndexOf(reader.sql).indexed(reader, account)), [2])
  })

  t.test('a word deep in a long text is found, and any text can be indexed', async (t) => {
    const { add, find } = await searchable(t, engine)
    const words = Array.from({ length: 40_000 }, (_, i) => `w${i.toString(36)}`).join(' ')
    await add(1, { body: `${words} needle`, attachment: 'deep.pdf' })
    await add(2, {
      body: Array.from({ length: 130_000 }, (_, i) => String.fromCodePoint(0x4e00 + (i % 20_000))).join(''),
    })
    await add(3, { to: Array.from({ length: 16_000 }, (_, i) => `नमस्ते${i}`).join(' '), body: 'ﷺ '.repeat(5_000) })
    await add(4, { body: `${'repeat '.repeat(100_000)}end` })
    await add(5, { body: "\u0000'\\':1A \uD800 \u2028 \uFFFF" })
    t.same(await find('needle'), [1])
    t.same(await find('deep'), [1])
    t.same(await find('end'), [4])
    t.same(await find('1a'), [5])
  })

  t.test('matches are listed newest first, whatever their numbers are', async (t) => {
    const { add, list, count } = await searchable(t, engine)
    const times = [5_000, 1_000, 9_000, 1_000, 7_000, 0, -5_000, 9_000, 4_398_046_511_103, 1e15, 5_001, 5_002]
    for (const [i, at] of times.entries()) await add(i + 1, { body: `word ${i % 2 ? 'odd' : 'even'}` }, at)
    const inOrder = (wanted: (i: number) => boolean) =>
      times
        .map((at, i) => ({ at, id: i + 1 }))
        .filter(({ id }) => wanted(id - 1))
        .sort((a, b) => b.at - a.at || b.id - a.id)
        .map(({ id }) => id)
    const word: SearchTerm = { field: 'text', search: 'word' }
    for (const page of [1, 2, 3, 50])
      t.same(
        await list([word], page),
        inOrder(() => true),
        `pages of ${page}`,
      )
    t.same(
      await list([word, { field: 'body', search: 'odd' }]),
      inOrder((i) => i % 2 === 1),
    )
    t.equal(await count([word, { field: 'body', search: 'odd' }]), 6)
    t.equal(await count([word], 'threads'), 1)
  })

  t.test('many emails of the same time keep their order and can be removed', async (t) => {
    const { store, account, add, list } = await searchable(t, engine)
    for (let i = 1; i <= 150; i++) await add(i, { body: 'same' }, i === 75 ? 1_003 : 1_000)
    const expected = Array.from({ length: 150 }, (_, i) => 150 - i).filter((id) => id !== 75)
    t.same(await list([{ field: 'text', search: 'same' }], 7), [75, ...expected])
    await store.write([account], (unit) => searchIndexOf(unit.sql).remove(unit.account(account), 75))
    t.same(await list([{ field: 'text', search: 'same' }], 50), expected)
  })

  t.test('a phrase is found at any place, among any number of the same words', async (t) => {
    const { add, find } = await searchable(t, engine)
    const filler = Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)}`).join(' ')
    await add(1, { body: `${filler} red green blue` })
    await add(2, { body: `${filler} red blue green` })
    await add(3, { body: `${'red '.repeat(500)}green` })
    await add(4, { body: `${'red green '.repeat(300)}` })
    t.same(await find('"red green blue"'), [1])
    t.same(await find('"red green"'), [1, 3, 4])
    t.same(await find('"green blue"', 'body'), [1])
    t.same(await find('"blue green"', 'subject'), [])
    t.same(await find('"green red"'), [4])
  })

  t.test('a text that is too long for the index is cut at the same place on both engines', async (t) => {
    const { add, find } = await searchable(t, engine)
    const pairs = Array.from({ length: 262_000 }, (_, i) =>
      String.fromCodePoint(i % 2 ? 0x4e00 + ((i >> 1) % 20_000) : 0x3400 + ((i >> 4) % 6_000)),
    ).join('')
    await add(1, { subject: 'first', body: `begin ${pairs} end` })
    t.same(await find('begin'), [1])
    t.same(await find('first'), [1])
    t.same(await find('end'), [])
  })

  t.test('header fields are found by name, in any case, and never by a text search', async (t) => {
    const { add, list, find } = await searchable(t, engine)
    await add(1, { headerNames: ['From', 'X-Tag', 'X-Tag'], body: 'x tag' })
    await add(2, { headerNames: ['from', 'XTag'] })
    await add(3, { headerNames: ['FROM', 'X_Tag'] })
    for (const [headerName, found] of [
      ['from', [3, 2, 1]],
      ['x-tag', [1]],
      ['X-TAG', [1]],
      ['xtag', [2]],
      ['X_tag', [3]],
      ['x', []],
      ['tag', []],
    ] as const)
      t.same(await list([{ headerName }]), found, headerName)
    t.same(await find('xtag'), [])
    t.same(await find('x*'), [1])
  })
})
