/** What the symbols look at, taken once from a parsed message: words, HTML source, links, header values. Bounded in all. */
import { SPAM_HTML_MAX_BYTES, SPAM_TEXT_MAX_CHARS, SPAM_WORDS_MAX } from '../../../server/base/spam-limits.ts'
import { asBuffer } from '../message/charset.ts'
import { decodePartText } from '../message/decode.ts'
import { fieldText, type HeaderField, unfold } from '../message/headers.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { type Link, linksOfHtml, linksOfText } from './links.ts'

export interface Content {
  readonly bytes: Buffer
  /** Header fields by lower-case name; all of a name in order. */
  readonly fields: ReadonlyMap<string, readonly HeaderField[]>
  /** The head of the body text. */
  readonly text: string
  /** Its words in lower case, in order. */
  readonly words: readonly string[]
  readonly subjectWords: readonly string[]
  /** The head of the HTML bodies' source; '' when there is none. */
  readonly html: string
  readonly links: readonly Link[]
}

export function contentOf(parsed: ParsedMessage, input: Uint8Array): Content {
  const bytes = asBuffer(input)
  const text = parsed.searchText.slice(0, SPAM_TEXT_MAX_CHARS)
  const html = htmlOf(parsed, bytes)
  const links = html === '' ? linksOfText(text) : [...linksOfHtml(html), ...linksOfText(text)]
  return {
    bytes,
    fields: fieldsOf(parsed),
    text,
    words: wordsOf(text),
    subjectWords: wordsOf(parsed.subject ?? ''),
    html,
    links,
  }
}

function htmlOf({ structure }: ParsedMessage, bytes: Buffer): string {
  let html = ''
  for (const number of structure.htmlBody) {
    const part = structure.parts[number - 1]
    const maxBytes = SPAM_HTML_MAX_BYTES - html.length
    if (part?.type === 'text/html' && maxBytes > 0) html += decodePartText(bytes, part, { maxBytes }).value
  }
  return html
}

function fieldsOf({ headers }: ParsedMessage): Map<string, HeaderField[]> {
  const fields = new Map<string, HeaderField[]>()
  for (const field of headers) {
    const name = field.name.toLowerCase()
    const others = fields.get(name)
    if (others) others.push(field)
    else fields.set(name, [field])
  }
  return fields
}

/** The value of the first field of that lower-case name as it stands, unfolded; '' when there is none. */
export function fieldValue({ bytes, fields }: Content, name: string): string {
  const [field] = fields.get(name) ?? []
  return field ? unfold(fieldText(bytes, field)).trim() : ''
}

const ASCII_ONLY = /^[\x00-\x7f]*$/
const ASCII_WORD = /[a-z0-9$%]+(?:['-][a-z0-9]+)*/g
const ANY_WORD = /[\p{L}\p{M}\p{N}$%]+/gu
/** Scripts without spaces: characters in overlapping pairs stand for words. */
const UNSPACED = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]/

/** Words in lower case; compatibility forms (letters of mathematics, full width ones) are what they look like. */
export function wordsOf(text: string): string[] {
  if (ASCII_ONLY.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).slice(0, SPAM_WORDS_MAX)
  const words: string[] = []
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(ANY_WORD)) {
    if (words.length >= SPAM_WORDS_MAX) break
    if (UNSPACED.test(word)) for (let i = 0; i + 1 < word.length; i++) words.push(word.slice(i, i + 2))
    else words.push(word)
  }
  return words
}
