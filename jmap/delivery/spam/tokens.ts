/**
 * The classifier's tokens of a message: its words and some features of its header and form, as 32-bit hashes. The words themselves are
 * not stored.
 */
import { SPAM_TOKENS_MAX, SPAM_WORD_MAX_CHARS } from '../../../server/base/spam-limits.ts'
import type { EmailAddress } from '../../message/addresses.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { type Content, fieldValue } from './content.ts'
import { ownedDomain } from './links.ts'
import { type Words, wordHash, wordsOf } from './words.ts'

/** Seeds by position: the same word is a different token in another place. In the body the token is the plain hash of the word. */
const SUBJECT = 1
const SENDER = 2
const LINK = 3
const FORM = 4
const MAILER = 5

/** The distinct tokens of a message, at most SPAM_TOKENS_MAX, those of the header first. */
export function tokensOf(parsed: ParsedMessage, content: Content): number[] {
  const tokens = new DifferentTokens()
  const add = (place: number, word: string) => {
    if (word !== '') tokens.add(hash(place, word))
  }
  for (const word of listed(content.subjectWords)) add(SUBJECT, word)
  for (const sender of [parsed.from?.[0], parsed.replyTo?.[0]]) if (sender) addSender(sender, add)
  for (const { host } of content.links) if (host !== '') add(LINK, ownedDomain(host))
  for (const word of listed(wordsOf(fieldValue(content, 'x-mailer')))) add(MAILER, word)
  for (const part of parsed.structure.parts) add(FORM, `${part.type} ${part.charset ?? ''} ${part.encoding}`)
  const { hashes, lengths } = content.words
  let previous = 0
  for (let i = 0; i < hashes.length && !tokens.isFull; i++) {
    if (lengths[i]! < 2 || lengths[i]! > SPAM_WORD_MAX_CHARS) {
      previous = 0
      continue
    }
    const token = stir(hashes[i]!)
    tokens.add(token)
    // Pairs of words are more significant than single words.
    if (previous !== 0) tokens.add(mix(previous, token))
    previous = token
  }
  return tokens.list
}

/** A hash table of the needed size; it costs a quarter of a Set. */
class DifferentTokens {
  readonly list: number[] = []
  readonly #slots = new Uint32Array(SLOTS)

  get isFull(): boolean {
    return this.list.length >= SPAM_TOKENS_MAX
  }

  add(token: number): void {
    if (this.isFull) return
    let slot = token & (SLOTS - 1)
    while (this.#slots[slot] !== 0) {
      if (this.#slots[slot] === token) return
      slot = (slot + 1) & (SLOTS - 1)
    }
    this.#slots[slot] = token
    this.list.push(token)
  }
}

/** A power of two, more than twice the number of tokens. */
const SLOTS = 2 ** Math.ceil(Math.log2(SPAM_TOKENS_MAX * 2))

function addSender({ name, email }: EmailAddress, add: (place: number, word: string) => void): void {
  add(SENDER, email.toLowerCase())
  add(SENDER, email.slice(email.lastIndexOf('@')).toLowerCase())
  for (const word of listed(wordsOf(name ?? ''))) add(SENDER, word)
}

function listed(words: Words): string[] {
  return Array.from(words.hashes, (_, i) => words.at(i))
}

function hash(place: number, word: string): number {
  return stir(wordHash(word, place * 0x9e3779b1))
}

function mix(first: number, second: number): number {
  return stir(Math.imul(first, 0x85ebca6b) ^ second)
}

/** Never 0, which marks an empty slot. */
function stir(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0 || 1
}
