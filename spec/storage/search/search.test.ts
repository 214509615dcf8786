import type { AliasedRawBuilder } from 'kysely'
import type { Test } from 'tap'
import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../../../storage/search/search-index.ts'
import { type EngineName, forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

const EMPTY = Object.fromEntries(SEARCH_FIELDS.map((field) => [field, ''])) as unknown as SearchDocument

interface Searchable {
  readonly store: Store
  readonly account: number
  add(email: number, document: Partial<SearchDocument>, account?: number): Promise<void>
  find(search: string, field?: SearchField | 'text', account?: number): Promise<number[]>
}

async function searchable(t: Test, engine: EngineName): Promise<Searchable> {
  const { store } = await freshStore(t, engine)
  const own = await newAccount(store)
  return {
    store,
    account: own,
    add: (email, document, account = own) =>
      store.write([account], (unit) =>
        searchIndexOf(unit.sql).add(unit.account(account), email, { ...EMPTY, ...document }),
      ),
    find: (search, field = 'text', account = own) =>
      store.read(async (reader) => {
        const matching = searchIndexOf(reader.sql).matching(account, field, search)
        const found = matching.as('found') as unknown as AliasedRawBuilder<Record<string, number>, 'found'>
        const rows = await reader.sql.query((db) => db.selectFrom(found).selectAll())
        return rows.map((row) => Object.values(row)[0]!).sort((a, b) => a - b)
      }),
  }
}

/** What both engines must find, over the same documents. */
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

  t.test('an account finds its own emails only', async (t) => {
    const { store, account, add, find } = await searchable(t, engine)
    const other = await newAccount(store)
    await add(1, { body: 'shared word' })
    await add(1, { body: 'shared secret' }, other)
    await add(2 ** 32 - 1, { body: 'shared last' })
    t.same(await find('shared', 'text', account), [1, 2 ** 32 - 1])
    t.same(await find('shared', 'body', other), [1])
    t.same(await find('secret', 'text', account), [])
    t.same(await find(`@${other}`, 'text', account), [])
  })

  t.test('an email that was taken out is not found', async (t) => {
    const { store, account, add, find } = await searchable(t, engine)
    await add(1, { body: 'going going gone' })
    await add(2, { body: 'going on' })
    await store.write([account], (unit) => searchIndexOf(unit.sql).remove(unit.account(account), 1))
    t.same(await find('going'), [2])
    t.same(await store.read((reader) => searchIndexOf(reader.sql).indexed(reader, account)), [2])
  })

  t.test('a word deep in a long text is found, and a text of any kind goes in', async (t) => {
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
})
