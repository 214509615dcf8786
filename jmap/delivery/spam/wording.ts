/** Finds the phrases of phrases.ts in the words of a message: each word is looked up once, as the first word of a phrase. */
import type { Content } from './content.ts'
import { WORDINGS, type WordingName } from './phrases.ts'
import type { Tally } from './tally.ts'
import { type Words, wordHash } from './words.ts'

interface Phrase {
  readonly symbol: WordingName
  readonly text: string
  readonly words: readonly string[]
  /** Hashes of all words except the first. */
  readonly rest: readonly number[]
}

/** By the hash of their first word. */
const BY_FIRST_WORD = new Map<number, Phrase[]>()
/** A bitmap of the low bits of these hashes. It excludes most words without a lookup in the map. */
const FIRST_WORDS = new Uint8Array(2 ** 16)
for (const [symbol, { phrases }] of Object.entries(WORDINGS)) {
  for (const text of phrases) {
    const words = text.split(' ')
    const [first = 0, ...rest] = words.map((word) => wordHash(word))
    const others = BY_FIRST_WORD.get(first) ?? []
    others.push({ symbol: symbol as WordingName, text, words, rest })
    BY_FIRST_WORD.set(first, others)
    FIRST_WORDS[first & 0xffff] = 1
  }
}

/** The text that every filter takes for spam, in two pieces so that this file does not contain it. */
const GTUBE = `XJS*C4JDBQADN1.NSBN3*2IDNEN*${'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL'}*C.34X`

export function judgeWording({ text, words, subjectWords, fields }: Content, tally: Tally): void {
  if (text.includes(GTUBE)) tally.add('GTUBE')
  const found = new Map<WordingName, Set<string>>()
  collect(subjectWords, found)
  collect(words, found)
  for (const [symbol, phrases] of found) {
    // Honest bulk mail names the way to unsubscribe in its header (RFC 2369 3.2), and may repeat it in the text.
    if (symbol === 'WORDS_NOT_SPAM' && fields.has('list-unsubscribe')) continue
    if (phrases.size >= WORDINGS[symbol].wanted) tally.add(symbol, [...phrases].slice(0, 5).join(', '))
  }
}

function collect(words: Words, found: Map<WordingName, Set<string>>): void {
  const { hashes } = words
  for (let at = 0; at < hashes.length; at++) {
    const hash = hashes[at]!
    if (FIRST_WORDS[hash & 0xffff] === 0) continue
    for (const phrase of BY_FIRST_WORD.get(hash) ?? []) {
      if (!stands(phrase, words, at)) continue
      const { symbol, text } = phrase
      const set = found.get(symbol)
      if (set) set.add(text)
      else found.set(symbol, new Set([text]))
    }
  }
}

function stands({ rest, words: wanted }: Phrase, words: Words, at: number): boolean {
  for (let i = 0; i < rest.length; i++) if (words.hashes[at + 1 + i] !== rest[i]) return false
  // Different words may have the same hash.
  return wanted.every((word, i) => words.at(at + i) === word)
}
