/**
 * What the classifier learns of a message: its words and a few marks of its header and form, as 32-bit hashes. The words themselves
 * are kept nowhere.
 */
import { SPAM_TOKENS_MAX, SPAM_WORD_MAX_CHARS } from '../../../server/base/spam-limits.ts'
import type { EmailAddress } from '../message/addresses.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { type Content, fieldValue, wordsOf } from './content.ts'
import { ownedDomain } from './links.ts'

/** Where a word stood: the same word is another token elsewhere. */
const BODY = 0
const SUBJECT = 1
const SENDER = 2
const LINK = 3
const FORM = 4
const MAILER = 5

/** The different tokens of a message, at most SPAM_TOKENS_MAX, those of the header first. */
export function tokensOf(parsed: ParsedMessage, content: Content): number[] {
  const tokens = new DifferentTokens()
  const add = (place: number, word: string) => {
    if (word !== '') tokens.add(hash(place, word))
  }
  for (const word of content.subjectWords) add(SUBJECT, word)
  for (const sender of [parsed.from?.[0], parsed.replyTo?.[0]]) if (sender) addSender(sender, add)
  for (const { host } of content.links) if (host !== '') add(LINK, ownedDomain(host))
  for (const word of wordsOf(fieldValue(content, 'x-mailer'))) add(MAILER, word)
  for (const part of parsed.structure.parts) add(FORM, `${part.type} ${part.charset ?? ''} ${part.encoding}`)
  let previous = 0
  for (const word of content.words) {
    if (tokens.isFull) break
    if (word.length < 2 || word.length > SPAM_WORD_MAX_CHARS) {
      previous = 0
      continue
    }
    const token = hash(BODY, word)
    tokens.add(token)
    // Pairs tell more than words alone.
    if (previous !== 0) tokens.add(mix(previous, token))
    previous = token
  }
  return tokens.list
}

/** A hash table of the size that is needed, which costs a quarter of what a Set does. */
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

/** A power of two, some twice the tokens. */
const SLOTS = 2 ** Math.ceil(Math.log2(SPAM_TOKENS_MAX * 2))

function addSender({ name, email }: EmailAddress, add: (place: number, word: string) => void): void {
  add(SENDER, email.toLowerCase())
  add(SENDER, email.slice(email.lastIndexOf('@')).toLowerCase())
  for (const word of wordsOf(name ?? '')) add(SENDER, word)
}

/** FNV-1a over UTF-16 units, stirred at the end; never 0, which stands for an empty slot. */
function hash(place: number, word: string): number {
  let value = 0x811c9dc5 ^ (place * 0x9e3779b1)
  for (let i = 0; i < word.length; i++) value = Math.imul(value ^ word.charCodeAt(i), 0x01000193)
  return stir(value)
}

function mix(first: number, second: number): number {
  return stir(Math.imul(first, 0x85ebca6b) ^ second)
}

function stir(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return (mixed ^ (mixed >>> 16)) >>> 0 || 1
}
