import t from 'tap'
import { findMatches } from '../../../storage/search/matches.ts'
import { spansOf } from '../../../storage/search/spans.ts'
import { parseSearch, tokenize } from '../../../storage/search/tokens.ts'

/** Characters that fold in different ways. */
const ALPHABET = [
  ...'abcXYZ 019.-_\n\t\'"',
  ...'éÉßẞİıſﬁΣςσ①²ｆ™´¨゛ﷺǅŉ',
  ...'京都東ァアｱﾊﾞﾟー가한ㅎㅏ\u1112\u1161\u11ABﾣￂ',
  ...'ไทยก\u0E33\u0E49ကိုខ្មែរลາວ',
  ...'कीشָלוֹםمَرْ',
  '\u0301',
  '\u0308',
  '\u3099',
  '\u00AD',
  '\u200D',
  '\u200B',
  '\uFEFF',
  '\u0345',
  '\u0000',
  '😀',
  '𠮷',
  '𝔘',
  '\uD800',
]

/** A random generator with the same numbers in every run. */
function* numbers(seed: number) {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

t.test('the tokens with places are the indexed tokens, for any text', async (t) => {
  const random = numbers(42)
  const next = () => random.next().value!
  for (let round = 0; round < 3_000; round++) {
    const length = 1 + Math.floor(next() * 14)
    const text = Array.from({ length }, () => ALPHABET[Math.floor(next() * ALPHABET.length)]).join('')
    const spans = spansOf(text)
    const tokens = spans.map(({ token }) => token)
    if (JSON.stringify(tokens) !== JSON.stringify(tokenize(text))) t.same(tokens, tokenize(text), JSON.stringify(text))
    if (!spans.every(({ start, end }) => start >= 0 && start < end && end <= text.length))
      t.fail(`places in ${JSON.stringify(text)}`)
  }
  t.pass('3,000 texts')
})

t.test('a match has its place in the text', async (t) => {
  const cases: [text: string, search: string, found: string[]][] = [
    ['Die Straße ist lang', 'strasse', ['Straße']],
    ['ÜBER über u\u0308ber', 'uber', ['ÜBER', 'über', 'u\u0308ber']],
    ['red green, RED-GREEN', '"red green"', ['red green', 'RED-GREEN']],
    ['businesses and bus', 'bus*', ['businesses', 'bus']],
    ['businesses and bus', 'bus', ['bus']],
    ['write to ada@example.org now', 'ada@example.org', ['ada@example.org']],
    ['東京タワー', '京タ', ['京タ']],
    ['東京タワー', '京', ['京']],
    ['第3章です', '第3章', ['第3章']],
    ['ﬁne', 'fine', ['ﬁne']],
    ["don't", "don't", ["don't"]],
    ['one', 'two', []],
    ['one two', '"two three"', []],
  ]
  for (const [text, search, found] of cases) {
    const matches = findMatches(spansOf(text), parseSearch(search))
    t.same(
      matches.map(({ start, end }) => text.slice(start, end)),
      found,
      `${search} in ${text}`,
    )
  }
})

t.test('long texts take little time', async (t) => {
  for (const text of ['word '.repeat(52_000), 'é'.repeat(262_000), '京'.repeat(262_000), '\u0301'.repeat(262_000)])
    t.equal(spansOf(text).length, tokenize(text).length)
})
