/** The input of the symbols, extracted once from a parsed message: words, HTML source, links, header values. All of it is bounded. */
import { SPAM_HTML_MAX_BYTES, SPAM_TEXT_MAX_CHARS } from '../../../server/base/spam-limits.ts'
import { asBuffer } from '../../message/charset.ts'
import { decodePartHead } from '../../message/decode.ts'
import type { HeaderField } from '../../message/header-block.ts'
import { unfoldedText } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { type Link, linksOfHtml, linksOfText } from './links.ts'
import { type Words, wordsOf } from './words.ts'

export interface Content {
  readonly bytes: Buffer
  /** Header fields by lower-case name; all fields of a name in order. */
  readonly fields: ReadonlyMap<string, readonly HeaderField[]>
  /** The beginning of the body text. */
  readonly text: string
  readonly words: Words
  readonly subjectWords: Words
  /** The beginning of the source of the HTML bodies; '' if there are none. */
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
    if (part?.type === 'text/html' && maxBytes > 0) html += decodePartHead(bytes, part, maxBytes)
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

/** The value of the first field of that lower-case name, unfolded; '' if there is none. */
export function fieldValue({ bytes, fields }: Content, name: string): string {
  const [field] = fields.get(name) ?? []
  return field ? unfoldedText(bytes, field) : ''
}
