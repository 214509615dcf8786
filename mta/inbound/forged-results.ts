/**
 * RFC 8601 5: Authentication-Results fields with the authserv-id of this server that others have written are removed, since readers would
 * trust them. A field whose authserv-id cannot be parsed is removed too: a reader may parse it in another way.
 */
import { domainToASCII } from 'node:url'
import type { HeaderField } from '../../jmap/message/header-block.ts'
import { isNamed, unfoldedText } from '../../jmap/message/headers.ts'
import { RESULTS_MAX_BYTES } from '../../server/base/inbound-limits.ts'

/** @param authservId in lower case */
export function isForgedResults(bytes: Buffer, field: HeaderField, authservId: string): boolean {
  if (!isNamed(field, 'authentication-results')) return false
  if (field.end - field.start > RESULTS_MAX_BYTES) return true
  const id = readAuthservId(unfoldedText(bytes, field))
  return id === null || sameHost(id, authservId)
}

/** The authserv-id: the first word of the field, without comments and quotes (RFC 8601 2.2); null: it cannot be parsed. */
export function readAuthservId(text: string): string | null {
  const start = skipComments(text, 0)
  if (start === null) return null
  if (text[start] === '"') return readQuoted(text, start)
  const word = /^[^\s;()"\\]+/.exec(text.slice(start))?.[0]
  if (word === undefined) return null
  const next = skipComments(text, start + word.length)
  // A version, the results, or nothing follow.
  return next === null || !/^(?:\d|;|$)/.test(text.slice(next)) ? null : word
}

function readQuoted(text: string, start: number): string | null {
  let value = ''
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '"') return value
    if (text[i] === '\\') i++
    value += text[i] ?? ''
  }
  return null
}

/** Index after white space and comments; null: a comment does not end. */
function skipComments(text: string, from: number): number | null {
  let depth = 0
  let i = from
  for (; i < text.length; i++) {
    const char = text[i]!
    if (depth > 0 && char === '\\') i++
    else if (char === '(') depth++
    else if (char === ')' && depth > 0) depth--
    else if (depth === 0 && !/\s/.test(char)) break
  }
  return depth > 0 ? null : Math.min(i, text.length)
}

function sameHost(id: string, authservId: string): boolean {
  // Invisible characters, such as soft hyphens and control characters, do not make it another name.
  const plain = id.replace(/[\p{C}\s]/gu, '').replace(/\.+$/, '')
  return plain.toLowerCase() === authservId || domainToASCII(plain).toLowerCase() === authservId
}
