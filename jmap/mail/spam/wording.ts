/** Finds the phrases of phrases.ts in the words of a message: each word is looked up once, as the first of a phrase. */
import type { Content } from './content.ts'
import { WORDINGS, type WordingName } from './phrases.ts'
import type { Tally } from './tally.ts'

interface Phrase {
  readonly symbol: WordingName
  readonly rest: readonly string[]
  readonly text: string
}

const BY_FIRST_WORD = new Map<string, Phrase[]>()
for (const [symbol, { phrases }] of Object.entries(WORDINGS)) {
  for (const text of phrases) {
    const [first = '', ...rest] = text.split(' ')
    const others = BY_FIRST_WORD.get(first) ?? []
    others.push({ symbol: symbol as WordingName, rest, text })
    BY_FIRST_WORD.set(first, others)
  }
}

/** The text that every filter takes for spam, in two pieces so that this file is not. */
const GTUBE = `XJS*C4JDBQADN1.NSBN3*2IDNEN*${'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL'}*C.34X`

export function judgeWording({ text, words, subjectWords, fields }: Content, tally: Tally): void {
  if (text.includes(GTUBE)) tally.add('GTUBE')
  const found = new Map<WordingName, Set<string>>()
  collect(subjectWords, found)
  collect(words, found)
  for (const [symbol, phrases] of found) {
    // Honest bulk mail says in its header how to leave the list (RFC 2369 3.2), and so may say it in the text.
    if (symbol === 'WORDS_NOT_SPAM' && fields.has('list-unsubscribe')) continue
    if (phrases.size >= WORDINGS[symbol].wanted) tally.add(symbol, [...phrases].slice(0, 5).join(', '))
  }
}

function collect(words: readonly string[], found: Map<WordingName, Set<string>>): void {
  for (let at = 0; at < words.length; at++) {
    const phrases = BY_FIRST_WORD.get(words[at]!)
    if (!phrases) continue
    for (const { symbol, rest, text } of phrases) {
      if (!rest.every((word, i) => words[at + 1 + i] === word)) continue
      const set = found.get(symbol)
      if (set) set.add(text)
      else found.set(symbol, new Set([text]))
    }
  }
}
