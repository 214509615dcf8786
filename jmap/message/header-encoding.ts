/** Encodes values in a form (RFC 8621 4.1.2) as folded ASCII header fields: RFC 5322 2.2.3, RFC 2047. */

import { addressPieces, groupPieces } from './address-encoding.ts'
import type { EmailAddress, EmailAddressGroup } from './addresses.ts'
import { formatDate, parseDate } from './date.ts'
import {
  clean,
  type EncodingFault,
  encodedWords,
  foldPieces,
  hasLineBreak,
  ITEM_MAX,
  LINE_BREAK,
  LINE_MUST,
  WORD_MAX,
} from './header-pieces.ts'

/** A header field to write, with a value in one of the forms of `header:{name}:as{form}`. Date is an RFC 3339 date-time. */
export type HeaderSpec =
  | { readonly name: string; readonly form: 'Raw' | 'Text' | 'Date'; readonly value: string }
  | { readonly name: string; readonly form: 'Addresses'; readonly value: readonly EmailAddress[] }
  | { readonly name: string; readonly form: 'GroupedAddresses'; readonly value: readonly EmailAddressGroup[] }
  | { readonly name: string; readonly form: 'MessageIds' | 'URLs'; readonly value: readonly string[] }

/**
 * One header field with its final CRLF, or '' for an empty list (such a field cannot be written). A CR, LF or NUL in a value is
 * refused, so that no value can add a field (Raw may be folded). Other control characters are dropped.
 */
export function encodeHeader(spec: HeaderSpec): string | EncodingFault {
  // RFC 5322 3.6.8: printable ASCII except the colon.
  if (!/^[\x21-\x39\x3b-\x7e]{1,76}$/.test(spec.name)) return { fault: 'the field name is not valid' }
  if (spec.form === 'Raw') return encodeRaw(spec.name, spec.value)
  const pieces = piecesOf(spec)
  if ('fault' in pieces) return pieces
  return pieces.length === 0 ? '' : `${foldPieces(spec.name, pieces)}\r\n`
}

/** Each piece begins with the white space at which the line may be folded. */
function piecesOf(spec: HeaderSpec): string[] | EncodingFault {
  switch (spec.form) {
    case 'Text':
      return hasLineBreak(spec.value) ? LINE_BREAK : textPieces(spec.value)
    case 'Date': {
      const date = parseDate(spec.value)
      return date ? [` ${formatDate(date.ms, date.offset)}`] : { fault: 'the value is no date' }
    }
    case 'Addresses':
      return addressPieces(spec.value)
    case 'GroupedAddresses':
      return groupPieces(spec.value)
    case 'MessageIds':
      return bracketed(spec.value, '')
    case 'URLs':
      return bracketed(spec.value.map(asciiUrl), ',')
    default:
      return []
  }
}

/** RFC 8621 4.1.2.1: octets as the client gives them, so only a well-formed value is accepted. */
function encodeRaw(name: string, value: string): string | EncodingFault {
  const lines = value.split('\r\n')
  if (lines.some(hasLineBreak) || lines.slice(1).some((line) => !/^[ \t]/.test(line) || line.trim() === '')) {
    return LINE_BREAK
  }
  if (/[^\t\r\n\x20-\x7e]/.test(value)) return { fault: 'a Raw value is printable ASCII; use a parsed form' }
  const field = `${name}:${value}`
  if (field.split('\r\n').some((line) => line.length > LINE_MUST)) return { fault: 'a line is longer than 998 octets' }
  return `${field}\r\n`
}

/**
 * Unstructured text. All text from the first to the last word that needs encoding is encoded, because white space between encoded-words
 * is lost.
 */
function textPieces(value: string): string[] {
  const text = clean(value)
  const words = text.match(/[ \t]*[^ \t]+/g) ?? []
  const first = words.findIndex(needsEncoding)
  if (first < 0) return words.map((word, index) => (index === 0 ? ` ${word}` : word))
  const last = words.findLastIndex(needsEncoding)
  const run = words.slice(first, last + 1).join('')
  const before = words.slice(0, first).map((word, index) => (index === 0 ? ` ${word}` : word))
  // The space before the first encoded-word separates it; further spaces belong to its text.
  const encoded = encodedWords((first === 0 ? run : run.slice(1)).replaceAll('\t', ' '))
  return [...before, ...encoded, ...words.slice(last + 1)]
}

function needsEncoding(word: string): boolean {
  return word.length > WORD_MAX || word.includes('=?') || /[^\t\x20-\x7e]/.test(word)
}

function bracketed(values: readonly string[], separator: string): string[] | EncodingFault {
  for (const value of values) {
    if (!/^[\x21-\x7e]+$/.test(value) || /[<>]/.test(value)) return { fault: 'an item has characters it cannot have' }
    if (value.length > ITEM_MAX) return { fault: 'an item is too long' }
  }
  return values.map((value, index) => ` <${value}>${index < values.length - 1 ? separator : ''}`)
}

function asciiUrl(url: string): string {
  return url.toWellFormed().replace(/[^\0-\x7f]+/g, encodeURIComponent)
}
