/**
 * The argument of MAIL and RCPT: a path and its ESMTP parameters (RFC 5321 4.1.2, 4.1.1.11). Pure. Stricter than smtp-server: it parses quoted
 * local parts, and refuses what two servers could read differently.
 */
import { isIPv4, isIPv6 } from 'node:net'

export interface EnvelopePath {
  /** `local@domain` as written, without a source route; '' is the null reverse-path; `postmaster` may stand alone in RCPT. */
  readonly address: string
  /** Keywords in capitals, and their values as on the wire; null: without `=`. */
  readonly parameters: ReadonlyMap<string, string | null>
}

const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+"
const DOT_STRING = new RegExp(`^${ATEXT}(?:\\.${ATEXT})*$`)
const QUOTED_STRING = /^"(?:[\u0020\u0021\u0023-\u005b\u005d-\u007e\u0080-\uffff]|\\[\u0020-\u007e])*"$/
const LABEL = /^[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9\u0080-\uffff_-]*[A-Za-z0-9\u0080-\uffff])?$/
// RFC 5321 4.1.2: esmtp-keyword and esmtp-value.
const PARAMETER =
  /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([\u0021-\u003c\u003e-\u007e\u0080-\uffff][\u0021-\u007e\u0080-\uffff]*))?$/
// Characters that no address needs: they make two addresses look alike, or split a line.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060\ufeff\ufffd]/
/** RFC 5321 4.5.3.1: octets of a local part, a domain and a path without its brackets. */
const MAX_LOCAL_PART = 64
const MAX_DOMAIN = 255
const MAX_PATH = 254

/** Reads `FROM:<...> PARAM=...`; null: not a path with parameters, or a keyword occurs twice. */
export function parsePathArgument(argument: string, keyword: 'FROM' | 'TO'): EnvelopePath | null {
  const start = new RegExp(`^${keyword}: *<`, 'i').exec(argument)
  if (!start) return null
  const close = closingBracket(argument, start[0].length)
  if (close < 0) return null
  const address = withoutSourceRoute(argument.slice(start[0].length, close))
  if (address === null || (address !== '' && !isEnvelopeAddress(address, keyword === 'TO'))) return null
  const parameters = parseParameters(argument.slice(close + 1))
  return parameters && { address, parameters }
}

/** Whether a text is an address for an envelope. @param bareRecipient whether `postmaster` without a domain counts too */
export function isEnvelopeAddress(address: string, bareRecipient = false): boolean {
  // RFC 5321 4.5.1: postmaster without a domain has to be accepted.
  if (bareRecipient && /^postmaster$/i.test(address)) return true
  const at = address.lastIndexOf('@')
  if (at <= 0 || UNSAFE.test(address) || Buffer.byteLength(address) > MAX_PATH) return false
  const localPart = address.slice(0, at)
  if (Buffer.byteLength(localPart) > MAX_LOCAL_PART) return false
  return (DOT_STRING.test(localPart) || QUOTED_STRING.test(localPart)) && isDomain(address.slice(at + 1))
}

/** The part after the last @, in lower case; '' for an address without one. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1 || address.length).toLowerCase()
}

function isDomain(domain: string): boolean {
  if (Buffer.byteLength(domain) > MAX_DOMAIN) return false
  const literal = /^\[(?:(IPv6:)(.+)|(.+))\]$/i.exec(domain)
  if (literal) return literal[1] ? isIPv6(literal[2]!) : isIPv4(literal[3]!)
  return domain.split('.').every((label) => label.length <= 63 && LABEL.test(label))
}

/** Index of the `>` that ends a path, outside of quoted strings; -1: there is none. */
function closingBracket(text: string, from: number): number {
  let quoted = false
  for (let i = from; i < text.length; i++) {
    const char = text[i]
    if (quoted && char === '\\') i++
    else if (char === '"') quoted = !quoted
    else if (char === '>' && !quoted) return i
    else if (char === '<' && !quoted) return -1
  }
  return -1
}

function withoutSourceRoute(path: string): string | null {
  if (!path.startsWith('@')) return path
  // RFC 5321 4.1.2 and appendix C: a source route is accepted and ignored.
  const colon = path.indexOf(':')
  const route = path.slice(0, colon).split(',')
  return colon > 0 && route.every((hop) => hop.startsWith('@') && isDomain(hop.slice(1))) ? path.slice(colon + 1) : null
}

function parseParameters(text: string): Map<string, string | null> | null {
  const parameters = new Map<string, string | null>()
  const trimmed = text.trimEnd()
  if (trimmed === '') return parameters
  if (!/^[ \t]/.test(trimmed)) return null
  for (const word of trimmed.trimStart().split(/[ \t]+/)) {
    const match = PARAMETER.exec(word)
    const name = match?.[1]?.toUpperCase()
    if (!match || !name || parameters.has(name)) return null
    parameters.set(name, match[2] ?? null)
  }
  return parameters
}
