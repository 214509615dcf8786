/** Header fields from values in a form (RFC 8621 4.1.2) to folded ASCII lines: RFC 5322 2.2.3, RFC 2047. */
import { Buffer } from 'node:buffer'
import { domainToASCII } from 'node:url'
import libmime from 'libmime'
import type { EmailAddress, EmailAddressGroup } from './addresses.ts'
import { formatDate, parseDate } from './date.ts'

/** A header field to write: its value in one of the forms, as `header:{name}:as{form}` has it. Date is an RFC 3339 date-time. */
export type HeaderSpec =
  | { readonly name: string; readonly form: 'Raw' | 'Text' | 'Date'; readonly value: string }
  | { readonly name: string; readonly form: 'Addresses'; readonly value: readonly EmailAddress[] }
  | { readonly name: string; readonly form: 'GroupedAddresses'; readonly value: readonly EmailAddressGroup[] }
  | { readonly name: string; readonly form: 'MessageIds' | 'URLs'; readonly value: readonly string[] }

/** Why a value cannot be written, in words that name no more than the value's kind. */
export interface EncodingFault {
  readonly fault: string
}

/** RFC 5322 2.1.1: the length lines SHOULD keep to, and the one they MUST. */
const LINE_SHOULD = 78
const LINE_MUST = 998
/** RFC 2047 2: an encoded-word has at most 75 characters; this leaves room for `Subject: `. */
const ENCODED_WORD_MAX = 64
/** Words and runs of white space longer than this are written as encoded-words, which can be folded. */
const WORD_MAX = 200
/** Octets of one address, message id or URL: it cannot be folded, and LINE_MUST holds. */
const ITEM_MAX = 900

const ATOM = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+$/
const DOT_ATOM =
  /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\x80-\u{10ffff}]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\x80-\u{10ffff}]+)*$/u

/**
 * One header field with its ending CRLF, or '' for an empty list (such a field cannot be written). A CR, LF or NUL in any value
 * is refused, so that no value can add a field (Raw may be folded); other control characters are dropped.
 */
export function encodeHeader(spec: HeaderSpec): string | EncodingFault {
  // RFC 5322 3.6.8: printable ASCII but for the colon.
  if (!/^[\x21-\x39\x3b-\x7e]{1,76}$/.test(spec.name)) return { fault: 'the field name is not valid' }
  if (spec.form === 'Raw') return encodeRaw(spec.name, spec.value)
  const pieces = piecesOf(spec)
  if ('fault' in pieces) return pieces
  return pieces.length === 0 ? '' : `${foldPieces(spec.name, pieces)}\r\n`
}

/** Pieces begin with the white space at which the line may be folded. */
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

const LINE_BREAK: EncodingFault = { fault: 'the value has a line break or NUL in it' }

function hasLineBreak(value: string): boolean {
  return /[\r\n\0]/.test(value)
}

/** RFC 8621 4.1.2.1: octets as the client gives them, so only what is a well-formed value is taken. */
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

function foldPieces(name: string, pieces: readonly string[]): string {
  const lines: string[] = []
  let line = `${name}:`
  for (const [index, piece] of pieces.entries()) {
    const isTooLong = line.length + piece.length > LINE_SHOULD
    // Right after the name a line is only folded for an encoded-word: some readers trip over an empty first line.
    if (isTooLong && (index > 0 || piece.startsWith(' =?') || line.length + piece.length > LINE_MUST)) {
      lines.push(line)
      line = piece
    } else {
      line += piece
    }
  }
  lines.push(line)
  return lines.join('\r\n')
}

/** Unstructured text. From the first to the last word that needs it, all is encoded, since white space between encoded-words is lost. */
function textPieces(value: string): string[] {
  const text = clean(value)
  const words = text.match(/[ \t]*[^ \t]+/g) ?? []
  const first = words.findIndex(needsEncoding)
  if (first < 0) return words.map((word, index) => (index === 0 ? ` ${word}` : word))
  const last = words.findLastIndex(needsEncoding)
  const run = words.slice(first, last + 1).join('')
  const before = words.slice(0, first).map((word, index) => (index === 0 ? ` ${word}` : word))
  // The space before the first encoded-word separates it; more of them are part of its text.
  const encoded = encodedWords((first === 0 ? run : run.slice(1)).replaceAll('\t', ' '))
  return [...before, ...encoded, ...words.slice(last + 1)]
}

function needsEncoding(word: string): boolean {
  return word.length > WORD_MAX || word.includes('=?') || /[^\t\x20-\x7e]/.test(word)
}

/** RFC 2047: encoded-words of at most ENCODED_WORD_MAX characters, in the shorter of B and Q, each on its own. */
function encodedWords(text: string): string[] {
  const octets = Buffer.byteLength(text)
  const escaped = text.replace(/[A-Za-z0-9!*+\-/ ]/g, '')
  const encoding = octets + 2 * Buffer.byteLength(escaped) > (octets * 4) / 3 + 4 ? 'B' : 'Q'
  const words = libmime.encodeWord(text, encoding, ENCODED_WORD_MAX)
  return words.split(' ').map((word) => ` ${word}`)
}

function clean(value: string): string {
  return value
    .toWellFormed()
    .replace(/[\0-\x08\x0a-\x1f\x7f]/g, '')
    .trim()
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

function groupPieces(groups: readonly EmailAddressGroup[]): string[] | EncodingFault {
  const out: string[] = []
  for (const [index, group] of groups.entries()) {
    const addresses = addressPieces(group.addresses)
    if ('fault' in addresses) return addresses
    const isLast = index === groups.length - 1
    if (group.name === null) {
      out.push(...addresses)
      if (!isLast && addresses.length > 0) append(out, ',')
      continue
    }
    if (hasLineBreak(group.name)) return LINE_BREAK
    out.push(...phrasePieces(group.name))
    append(out, ':')
    out.push(...addresses)
    append(out, isLast ? ';' : ';,')
  }
  return out
}

function append(pieces: string[], text: string): void {
  pieces.push((pieces.pop() ?? '') + text)
}

function addressPieces(addresses: readonly EmailAddress[]): string[] | EncodingFault {
  const out: string[] = []
  for (const [index, { name, email }] of addresses.entries()) {
    if (hasLineBreak(email) || (name !== null && hasLineBreak(name))) return LINE_BREAK
    const spec = encodeEmail(clean(email))
    if (Buffer.byteLength(spec) > ITEM_MAX) return { fault: 'an address is too long' }
    const phrase = name === null || clean(name) === '' ? [] : phrasePieces(name)
    const isPlain = phrase.length === 0 && spec !== '' && !spec.startsWith('"')
    out.push(...phrase, isPlain ? ` ${spec}` : ` <${spec}>`)
    if (index < addresses.length - 1) append(out, ',')
  }
  return out
}

/** RFC 5322 3.2.5 phrase: atoms, else a quoted-string, else encoded-words (never inside quotes, RFC 2047 5). */
function phrasePieces(name: string): string[] {
  const text = clean(name)
  const words = text.split(' ')
  if (text !== '' && text.length <= WORD_MAX && !text.includes('=?')) {
    if (words.every((word) => ATOM.test(word))) return words.map((word) => ` ${word}`)
    if (/^[\x20-\x7e]+$/.test(text)) return [` "${escapeQuoted(text)}"`]
  }
  return text === '' ? [' ""'] : encodedWords(text.replaceAll('\t', ' '))
}

/** Escapes the content of a quoted-string (RFC 5322 3.2.4). */
export function escapeQuoted(text: string): string {
  return text.replace(/[\\"]/g, '\\$&')
}

/**
 * An addr-spec as it may stand in a header. A draft's half-typed address is kept, quoted where it would be read as syntax
 * (RFC 8621 4.6). A domain beyond ASCII is written in its ASCII form; a local part beyond ASCII stays UTF-8 (RFC 6532).
 */
function encodeEmail(email: string): string {
  const at = email.lastIndexOf('@')
  if (at < 0) return email === '' || DOT_ATOM.test(email) ? email : `"${escapeQuoted(email)}"`
  const local = email.slice(0, at)
  let domain = email.slice(at + 1)
  if (/[^\0-\x7f]/.test(domain) && !/[^\0-\x7f]/.test(local)) domain = domainToASCII(domain) || domain
  const isLiteral = /^\[[\x21-\x5a\x5e-\x7e]*\]$/.test(domain)
  if (!isLiteral && domain !== '' && !DOT_ATOM.test(domain)) return `"${escapeQuoted(email)}"`
  const isQuoted = /^"(?:[^"\\]|\\.)*"$/.test(local)
  return `${isQuoted || DOT_ATOM.test(local) ? local : `"${escapeQuoted(local)}"`}@${domain}`
}

/** An address list as one unfolded line (RFC 5322 3.4), names encoded where needed. Values with line breaks give ''. */
export function formatAddresses(addresses: readonly EmailAddress[]): string {
  const pieces = addressPieces(addresses)
  return 'fault' in pieces ? '' : pieces.join('').trimStart()
}

/** One structured field from a value and parameters (RFC 2045 5.1, RFC 2231), with its ending CRLF. */
export function encodeParameterised(
  name: string,
  value: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const pieces = [` ${value}`]
  for (const [key, parameter] of parameters) {
    for (const piece of parameterPieces(key, parameter)) {
      append(pieces, ';')
      pieces.push(` ${piece}`)
    }
  }
  return `${foldPieces(name, pieces)}\r\n`
}

function parameterPieces(key: string, value: string): string[] {
  const text = value.toWellFormed()
  if (text.length <= 60 && !text.includes('=?')) {
    if (/^[A-Za-z0-9!#$&+\-.^_`{|}~]+$/.test(text)) return [`${key}=${text}`]
    if (/^[\x20-\x7e]*$/.test(text)) return [`${key}="${escapeQuoted(text)}"`]
  }
  return libmime.buildHeaderParam(key, text, 50).map((part) => {
    return part.key.endsWith('*') ? `${part.key}=${part.value}` : `${part.key}="${escapeQuoted(part.value)}"`
  })
}
