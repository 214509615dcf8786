/** The indexed words of an email: the same for both engines, in the same order, cut at the same place. */
import { Buffer } from 'node:buffer'
import { SEARCH_WORDS_MAX_BYTES } from '../../server/base/limits.ts'
import { tokenText } from './tokens.ts'

export const SEARCH_FIELDS = ['from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachment'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]

/** Texts of an email, and the names of its header fields. */
export type SearchDocument = { readonly [F in SearchField]: string } & { readonly headerNames: readonly string[] }

/** Tokens of each field, separated by spaces; `header`: a token for each name of a header field. */
export type SearchWords = { readonly [F in SearchField]: string } & { readonly header: string }

/** Octets of a prefix of a word (tsvector.ts). */
const MARK_BYTES = 3

/** Short fields first, so that the end of the body is cut. */
const ORDER: readonly SearchField[] = ['from', 'to', 'cc', 'bcc', 'subject', 'attachment', 'body']

export function wordsOf(document: SearchDocument): SearchWords {
  const names = [...new Set(document.headerNames.map(headerToken))]
  const fields = new Map<SearchField | 'header', string>([['header', names.join(' ')]])
  for (const field of ORDER) fields.set(field, tokenText(document[field]))
  cutToLimit(fields)
  return Object.fromEntries(fields) as SearchWords
}

/** PostgreSQL limits the octets of the different words of an email. The limit applies to both engines. */
function cutToLimit(fields: Map<SearchField | 'header', string>): void {
  let units = 0
  for (const text of fields.values()) units += text.length + 1
  // A UTF-16 unit has at most three octets, and the words of short fields are stored twice (tsvector.ts).
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

/**
 * First character of a header token. It is a private-use character, and others replace all characters but letters and digits, so that
 * the token differs from all words of texts and from other names.
 */
const NAME_MARK = '\ue000'
/** The index cannot distinguish names that are longer; the caller has to compare them. */
export const HEADER_NAME_MAX_CHARS = 80

export function headerToken(name: string): string {
  const key = name.slice(0, HEADER_NAME_MAX_CHARS).toLowerCase()
  return (
    NAME_MARK + key.replace(/[^a-z0-9]/g, (character) => String.fromCharCode(0xe100 + (character.charCodeAt(0) & 0xff)))
  )
}
