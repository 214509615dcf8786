/**
 * I-JSON (RFC 7493) from octets. JSON.parse parses; one scan of the octets before it and one walk of the values after it find faults
 * that JSON.parse accepts. The cost is linear in the octets.
 */
import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../../server/base/json.ts'
import { JSON_MAX_DEPTH, JSON_MAX_VALUES } from '../../server/base/limits.ts'
import { quote } from './json-object.ts'

export type ParsedJson = { readonly value: Json } | { readonly fault: string }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c

/** The value, or its fault in words. Noncharacters are accepted: mail contains them, and clients send them back. */
export function parseIJson(bytes: Uint8Array): ParsedJson {
  // RFC 7493 2.1
  if (!isUtf8(bytes)) return { fault: 'The text is not valid UTF-8.' }
  const scan = scanJson(bytes)
  if (typeof scan === 'string') return { fault: scan }
  let value: Json
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    // RFC 8259 8.1: a parser may ignore a byte order mark.
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as Json
  } catch (error) {
    return { fault: syntaxFault(error) }
  }
  const walk = { members: 0, infinite: false }
  walkValue(value, walk)
  // RFC 7493 2.2: every number must fit a double; JSON.parse makes Infinity of 1e400.
  if (walk.infinite) return { fault: 'A number is too large.' }
  // RFC 7493 2.3: of two members with one name JSON.parse keeps the last, so the result has fewer members than the text.
  if (walk.members !== scan.members) return { fault: duplicateFault(text) }
  return { value }
}

const SAYS_NOTHING = Uint8Array.from({ length: 256 }, (_, octet) =>
  Number(!'"[]{},:'.includes(String.fromCharCode(octet))),
)

/**
 * Counts members by their colons. Returns a fault if the text is too deep, has too many values or half a surrogate pair. Syntax is left
 * to JSON.parse. Refused text is not parsed: a million small values take many times the memory of their octets.
 */
function scanJson(bytes: Uint8Array): { members: number } | string {
  const end = bytes.length
  const endOfString = stringScan(bytes)
  let members = 0
  let values = 0
  let depth = 0
  let i = 0
  while (i < end) {
    const byte = bytes[i++]!
    // Most octets outside of strings are white space, digits and letters.
    if (SAYS_NOTHING[byte]) continue
    if (byte === QUOTE) {
      i = endOfString(i)
      if (i < 0) return 'A string holds one half of a surrogate pair.'
    } else if (byte === COLON) {
      members++
    } else if (byte === COMMA || byte === 0x5b || byte === 0x7b) {
      if (++values > JSON_MAX_VALUES) return `The JSON has more than ${JSON_MAX_VALUES} values.`
      if (byte !== COMMA && ++depth > JSON_MAX_DEPTH) return `The JSON is nested deeper than ${JSON_MAX_DEPTH} levels.`
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--
    }
  }
  return { members }
}

/** Octets of a string that are read one by one; the end of a longer one is searched, which is many times faster. */
const SHORT_STRING = 32

/**
 * Makes a function that finds the index after the closing quote of a string from the index of its first octet; indexes must not
 * decrease. -1: half a surrogate pair.
 */
function stringScan(bytes: Uint8Array): (from: number) => number {
  const end = bytes.length
  const search = (octet: number, from: number) => {
    const at = bytes.indexOf(octet, from)
    return at < 0 ? end : at
  }
  // Each is searched again only after it was passed, so that all searches together are linear.
  let backslash = -1
  let closing = -1
  return (from) => {
    let i = from
    let short = Math.min(i + SHORT_STRING, end)
    while (i < end) {
      if (i >= short) {
        if (backslash < i) backslash = search(BACKSLASH, i)
        if (closing < i) closing = search(QUOTE, i)
        i = Math.min(closing, backslash)
        if (i === end) return end
      }
      const octet = bytes[i++]!
      if (octet === QUOTE) return i
      if (octet !== BACKSLASH) continue
      const length = escapeLength(bytes, i)
      if (length === 0) return -1
      i += length
      // Escapes often follow each other.
      short = Math.min(i + SHORT_STRING, end)
    }
    return end
  }
}

/** Octets of an escape after the backslash, including both escapes of a surrogate pair; 0 for half a pair. */
function escapeLength(bytes: Uint8Array, i: number): number {
  if (bytes[i] !== 0x75) return 1
  const unit = hex4(bytes, i + 1)
  if (unit < 0xd800 || unit > 0xdfff) return 5
  // RFC 7493 2.1: the second half must follow the first, and only as an escape.
  if (unit > 0xdbff || bytes[i + 5] !== BACKSLASH || bytes[i + 6] !== 0x75) return 0
  const second = hex4(bytes, i + 7)
  return second >= 0xdc00 && second <= 0xdfff ? 11 : 0
}

/** -1: not four hexadecimal digits. */
function hex4(bytes: Uint8Array, i: number): number {
  let value = 0
  for (let k = i; k < i + 4; k++) {
    const byte = bytes[k] ?? 0
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57
    if (digit < 0 || digit > 15 || (digit > 9 && byte < 0x41)) return -1
    value = value * 16 + digit
  }
  return value
}

function walkValue(value: Json, walk: { members: number; infinite: boolean }): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) walk.infinite = true
  } else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) walkValue(value[i], walk)
  } else if (typeof value === 'object' && value !== null) {
    // Object.values takes three times as long for an object of a million members.
    const keys = Object.keys(value)
    walk.members += keys.length
    for (let i = 0; i < keys.length; i++) walkValue((value as JsonObject)[keys[i]!]!, walk)
  }
}

/** JSON.parse's message may quote the request with passwords in it, so only the position is reported. */
function syntaxFault(error: unknown): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')
  return position ? `The text is not JSON, at character ${position[1]}.` : 'The text is not JSON.'
}

/** Names the member that occurs twice, in text that JSON.parse accepts. */
function duplicateFault(text: string): string {
  const open: (Set<string> | null)[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{') open.push(new Set())
    else if (char === '[') open.push(null)
    else if (char === '}' || char === ']') open.pop()
    else if (char === '"') {
      const end = stringEnd(text, i)
      if (isName(text, end)) {
        const name = JSON.parse(text.slice(i, end)) as string
        const seen = open.at(-1)
        if (seen?.has(name)) return `An object has two members named '${quote(name)}'.`
        seen?.add(name)
      }
      i = end - 1
    }
  }
  return 'An object has two members of one name.'
}

/** The index after a string's closing quote. */
function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i + 1
}

function isName(text: string, end: number): boolean {
  let i = end
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return text[i] === ':'
}
