/**
 * The words of a text, for symbols and the classifier: a hash of each, computed in one pass, because strings for all words would cost
 * ten times as much. A word is cut out of the text only on request.
 */
import { Buffer } from 'node:buffer'
import { SPAM_TEXT_MAX_CHARS, SPAM_WORDS_MAX } from '../../../server/base/spam-limits.ts'

export interface Words {
  readonly length: number
  /** `wordHash` of each word, in order. */
  readonly hashes: Uint32Array
  /** UTF-16 units of each word. */
  readonly lengths: Uint32Array
  /** A word in lower case. */
  at(index: number): string
}

/** At most SPAM_WORDS_MAX. Compatibility forms (mathematical letters, full-width letters) count as the plain letters. */
export function wordsOf(text: string): Words {
  return asciiWords(text) ?? new ListedWords(anyWords(text))
}

/** FNV-1a over UTF-16 units. @param seed a different seed gives different hashes of the same words */
export function wordHash(word: string, seed = 0): number {
  let value = HASH_START ^ seed
  for (let i = 0; i < word.length; i++) value = Math.imul(value ^ word.charCodeAt(i), HASH_PRIME)
  return value >>> 0
}

const HASH_START = 0x811c9dc5
const HASH_PRIME = 0x01000193

class AsciiWords implements Words {
  readonly length: number
  readonly hashes: Uint32Array
  readonly lengths: Uint32Array
  readonly #starts: Uint32Array
  readonly #text: string

  constructor(text: string, length: number) {
    this.#text = text
    this.length = length
    this.hashes = hashesOfScan.slice(0, length)
    this.lengths = lengthsOfScan.slice(0, length)
    this.#starts = startsOfScan.slice(0, length)
  }

  at(index: number): string {
    const start = this.#starts[index]!
    return this.#text.slice(start, start + this.lengths[index]!).toLowerCase()
  }
}

class ListedWords implements Words {
  readonly hashes: Uint32Array
  readonly lengths: Uint32Array
  readonly #words: readonly string[]

  constructor(words: readonly string[]) {
    this.#words = words
    this.hashes = Uint32Array.from(words, (word) => wordHash(word))
    this.lengths = Uint32Array.from(words, ({ length }) => length)
  }

  get length(): number {
    return this.#words.length
  }

  at(index: number): string {
    return this.#words[index]!
  }
}

const NONE = 0
const LETTER = 1
const SIGN = 2
const JOINT = 3

/** The role of an ASCII character in a word: letter or digit, `$` or `%`, joiner of two parts, or none. */
const KIND = new Uint8Array(128)
/** The lower case of each character. */
const LOWER = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  if (/[a-z0-9]/i.test(character)) KIND[code] = LETTER
  else if (/[$%]/.test(character)) KIND[code] = SIGN
  else if (/['-]/.test(character)) KIND[code] = JOINT
  LOWER[code] = character.toLowerCase().charCodeAt(0)
}

/** Shared buffers for one scan at a time; results are copied out of them. */
const hashesOfScan = new Uint32Array(SPAM_WORDS_MAX)
const startsOfScan = new Uint32Array(SPAM_WORDS_MAX)
const lengthsOfScan = new Uint32Array(SPAM_WORDS_MAX)
/** Octets are read faster than characters of a string; most texts fit. */
const octetsOfScan = Buffer.alloc(SPAM_TEXT_MAX_CHARS)

// Finds the matches of [a-z0-9$%]+(?:['-][a-z0-9]+)* in either case; null: the text is not all ASCII.
function asciiWords(text: string): Words | null {
  const end = text.length
  if (Buffer.byteLength(text) !== end) return null
  const octets = end <= octetsOfScan.length ? octetsOfScan : Buffer.alloc(end)
  octets.write(text, 'latin1')
  let count = 0
  let at = 0
  while (at < end && count < SPAM_WORDS_MAX) {
    const kind = KIND[octets[at]!]!
    if (kind === NONE || kind === JOINT) {
      at++
      continue
    }
    const start = at
    let value = HASH_START
    let isJoined = false
    for (;;) {
      value = Math.imul(value ^ LOWER[octets[at]!]!, HASH_PRIME)
      if (++at >= end) break
      const next = KIND[octets[at]!]!
      if (next === LETTER || (next === SIGN && !isJoined)) continue
      if (next !== JOINT || at + 1 >= end || KIND[octets[at + 1]!] !== LETTER) break
      isJoined = true
    }
    hashesOfScan[count] = value
    startsOfScan[count] = start
    lengthsOfScan[count] = at - start
    count++
  }
  return new AsciiWords(text, count)
}

const ANY_WORD = /[\p{L}\p{M}\p{N}$%]+/gu
/** Scripts without spaces: overlapping pairs of characters count as words. */
const UNSPACED = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]/

function anyWords(text: string): string[] {
  const words: string[] = []
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(ANY_WORD)) {
    if (words.length >= SPAM_WORDS_MAX) break
    if (UNSPACED.test(word)) for (let i = 0; i + 1 < word.length; i++) words.push(word.slice(i, i + 2))
    else words.push(word)
  }
  // The last text may have added many pairs.
  return words.slice(0, SPAM_WORDS_MAX)
}
