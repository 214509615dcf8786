/** Encodes address lists as pieces of a header field: RFC 5322 3.4, RFC 2047 5 (3), RFC 6532. */
import { Buffer } from 'node:buffer'
import { domainToASCII } from 'node:url'
import type { EmailAddress, EmailAddressGroup } from './addresses.ts'
import {
  append,
  clean,
  type EncodingFault,
  encodedWords,
  hasLineBreak,
  ITEM_MAX,
  LINE_BREAK,
  WORD_MAX,
} from './header-pieces.ts'

const ATOM = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+$/
const DOT_ATOM =
  /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\x80-\u{10ffff}]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\x80-\u{10ffff}]+)*$/u

export function groupPieces(groups: readonly EmailAddressGroup[]): string[] | EncodingFault {
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

export function addressPieces(addresses: readonly EmailAddress[]): string[] | EncodingFault {
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
 * An addr-spec for a header. A half-typed address of a draft is kept, and quoted if it would be read as syntax (RFC 8621 4.6). A domain
 * beyond ASCII is written in its ASCII form; a local part beyond ASCII stays UTF-8 (RFC 6532).
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
