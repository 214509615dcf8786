import t from 'tap'
import { wordHash, wordsOf } from '../../../../jmap/delivery/spam/words.ts'
import { SPAM_WORDS_MAX } from '../../../../server/base/spam-limits.ts'

const list = (text: string) => {
  const words = wordsOf(text)
  return Array.from(words.hashes, (_, i) => words.at(i))
}

t.test('a text is split into words in lower case', async (t) => {
  const cases: [text: string, words: string[]][] = [
    ['', []],
    ['Buy NOW, save 50%!', ['buy', 'now', 'save', '50%']],
    ["Don't miss-this 'quoted' re--move -x- y'", ["don't", 'miss-this', 'quoted', 're', 'move', 'x', 'y']],
    ['US$100 a-b$c $-d', ['us$100', 'a-b', '$c', '$-d']],
    ['caf\u00e9 \uff26\uff32\uff25\uff25', ['caf\u00e9', 'free']],
    ['\u514d\u8cbb\u7372', ['\u514d\u8cbb', '\u8cbb\u7372']],
  ]
  for (const [text, words] of cases) t.same(list(text), words, text)
})

t.test('a word has one hash, in any text and any case', async (t) => {
  const [first] = wordsOf('Remove')!.hashes
  t.equal(first, wordHash('remove'))
  t.equal(wordsOf('please remove, caf\u00e9').hashes[1], first)
  t.not(wordHash('remove', 1), first, 'with another seed it has another')
})

t.test('the number and length of words are bounded', async (t) => {
  for (const text of ['word ', 'w\u00f6rd ', '\u514d\u8cbb'])
    t.equal(wordsOf(text.repeat(20_000)).length, SPAM_WORDS_MAX)
})
