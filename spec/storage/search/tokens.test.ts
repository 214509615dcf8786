import t from 'tap'
import { fold, parseSearch, tokenize } from '../../../storage/search/tokens.ts'

t.test('text is split into folded words', async (t) => {
  const cases: [text: string, tokens: string[]][] = [
    ['', []],
    ['Hello, World!', ['hello', 'world']],
    ['ÜBER die Straße', ['uber', 'die', 'strasse']],
    ['naïve café CAFÉ', ['naive', 'cafe', 'cafe']],
    ['e\u0301cole', ['ecole']],
    ['ΟΔΟΣ οδος', ['οδοσ', 'οδοσ']],
    ['İstanbul ısı', ['istanbul', 'isi']],
    ['ﬁne ① ² ｆｕｌｌ', ['fine', '1', '2', 'full']],
    ["don't snake_case kebab-case a.b@c.de", ['don', 't', 'snake', 'case', 'kebab', 'case', 'a', 'b', 'c', 'de']],
    ['Привет МИР', ['привет', 'мир']],
    ['x'.repeat(100), ['x'.repeat(64)]],
    ['é'.repeat(100), ['e'.repeat(64)]],
    ['Ver\u00ADsand zusammen\u200Bgesetzt', ['versand', 'zusammen', 'gesetzt']],
    ['שָׁלוֹם مَرْحَبًا', ['שלום', 'مرحبا']],
    ['की का', ['की', 'का']],
    ['nu\u0000l n\u0000é', ['nu', 'l', 'n', 'e']],
    ['\u0000\uFFFD\uD800', []],
  ]
  for (const [text, tokens] of cases) t.same(tokenize(text), tokens, JSON.stringify(text))
})

t.test('text in scripts without spaces becomes overlapping pairs, and its last character', async (t) => {
  const cases: [text: string, tokens: string[]][] = [
    ['東', ['東']],
    ['東京', ['東京', '京']],
    ['東京都庁', ['東京', '京都', '都庁', '庁']],
    ['タワー', ['タワ', 'ワー', 'ー']],
    ['ﾀﾜｰ', ['タワ', 'ワー', 'ー']],
    ['ビル', ['ビル', 'ル']],
    ['ﾋﾞﾙ', ['ビル', 'ル']],
    ['iPhone充電器', ['iphone', '充電', '電器', '器']],
    ['第3章', ['第', '3', '章']],
    ['𠮷野家', ['𠮷野', '野家', '家']],
    ['서울에서', ['서울', '울에', '에서', '서']],
  ]
  for (const [text, tokens] of cases) t.same(tokenize(text), tokens, text)
})

t.test('folding a folded text changes nothing', async (t) => {
  for (const text of ['ÜBER Straße', 'ΟΔΟΣ', 'ﷺ', 'Ǆ ǅ', 'ガギグ', 'ﾀﾜｰ', '①②', 'İı', 'ſ', '한국어'])
    t.equal(fold(fold(text)), fold(text), text)
})

t.test('a search has words, phrases and prefixes (RFC 8621 4.4.1)', async (t) => {
  const cases: [text: string, phrases: [tokens: string[], prefix: boolean][]][] = [
    [
      'hello world',
      [
        [['hello'], false],
        [['world'], false],
      ],
    ],
    [
      '"hello world" again',
      [
        [['hello', 'world'], false],
        [['again'], false],
      ],
    ],
    ["'single quotes'", [[['single', 'quotes'], false]]],
    ['"say \\"hi\\" now"', [[['say', 'hi', 'now'], false]]],
    ["don't", [[['don', 't'], false]]],
    ['begin*', [[['begin'], true]]],
    ['be*', [[['be'], true]]],
    ['b*', [[['b'], false]]],
    ['"not* a wildcard*"', [[['not', 'a', 'wildcard'], false]]],
    ['"unclosed', [[['unclosed'], false]]],
    ['', []],
    ['*** "" !?', []],
    ['a.b@c.de', [[['a', 'b', 'c', 'de'], false]]],
    ['東京', [[['東京'], false]]],
    ['京', [[['京'], true]]],
    ['サーバ', [[['サー', 'ーバ'], false]]],
    ['第3章', [[['第', '3', '章'], true]]],
  ]
  for (const [text, phrases] of cases)
    t.same(
      parseSearch(text).map(({ tokens, prefix }) => [tokens, prefix]),
      phrases,
      text,
    )
})

t.test('no text needs excessive time', async (t) => {
  for (const text of [
    '"'.repeat(100_000),
    "'\\".repeat(100_000),
    '\\"'.repeat(100_000),
    'ﷺ'.repeat(20_000),
    'a"'.repeat(50_000),
  ]) {
    t.ok(Array.isArray(tokenize(text)))
    t.ok(Array.isArray(parseSearch(text)))
  }
})
