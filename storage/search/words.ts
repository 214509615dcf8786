/** What of an email goes into the search index: the same words for both engines, in the same order, cut off at the same place. */
import { Buffer } from 'node:buffer'
import { SEARCH_WORDS_MAX_BYTES } from '../../server/base/limits.ts'
import { tokenText } from './tokens.ts'

export const SEARCH_FIELDS = ['from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachment'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]

/** Texts of an email, and the names of its header fields. */
export type SearchDocument = { readonly [F in SearchField]: string } & { readonly headerNames: readonly string[] }

/** Tokens of each field with a space between; `header`: a token for each name. */
export type SearchWords = { readonly [F in SearchField]: string } & { readonly header: string }

/** What a mark before a word takes. */
const MARK_BYTES = 3

/** Small fields first: what is cut off is the end of the body. */
const ORDER: readonly SearchField[] = ['from', 'to', 'cc', 'bcc', 'subject', 'attachment', 'body']

export function wordsOf(document: SearchDocument): SearchWords {
  const names = [...new Set(document.headerNames.map(headerToken))]
  const fields = new Map<SearchField | 'header', string>([['header', names.join(' ')]])
  for (const field of ORDER) fields.set(field, tokenText(document[field]))
  cutOff(fields)
  return Object.fromEntries(fields) as SearchWords
}

/** PostgreSQL bounds the octets of the different words of an email; both engines keep to it. */
function cutOff(fields: Map<SearchField | 'header', string>): void {
  let units = 0
  for (const text of fields.values()) units += text.length + 1
  // A UTF-16 unit is at most three octets, and short fields are there twice (tsvector.ts).
  if (units * 6 <= SEARCH_WORDS_MAX_BYTES) return
  let bytes = 0
  for (const [field, text] of fields) {
    const seen = new Set<string>()
    const times = field === 'body' ? 1 : 2
    let at = 0
    for (const token of text === '' ? [] : text.split(' ')) {
      if (!seen.has(token)) {
        seen.add(token)
        bytes += (Buffer.byteLength(token) + MARK_BYTES) * times
        if (bytes > SEARCH_WORDS_MAX_BYTES) {
          fields.set(field, text.slice(0, Math.max(0, at - 1)))
          break
        }
      }
      at += token.length + 1
    }
  }
}

/** Private-use characters begin it and stand for what is no letter or digit: no word of a text is like it, and no other name. */
const NAME_MARK = '\ue000'
/** Names longer than this are the same to the index; whoever asks for one compares it itself. */
export const HEADER_NAME_MAX_CHARS = 80

export function headerToken(name: string): string {
  const key = name.slice(0, HEADER_NAME_MAX_CHARS).toLowerCase()
  return (
    NAME_MARK + key.replace(/[^a-z0-9]/g, (character) => String.fromCharCode(0xe100 + (character.charCodeAt(0) & 0xff)))
  )
}
