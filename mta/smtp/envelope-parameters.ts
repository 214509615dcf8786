/**
 * The parameters of MAIL and RCPT that are understood: SIZE (RFC 1870), BODY (RFC 6152), SMTPUTF8 (RFC 6531), RET, ENVID, NOTIFY and
 * ORCPT (RFC 3461), AUTH (RFC 4954 5, read and dropped). What is carried on is decoded, as RFC 8621 7 has it in an Envelope. Pure.
 */
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import { type Reply, reply } from './reply.ts'
import { decodeXtext, encodeUtf8Address, encodeXtext } from './xtext.ts'

export type ParameterVerdict = { readonly carried: EnvelopeParameters } | { readonly refusal: Reply }

type Raw = ReadonlyMap<string, string | null>

/** RFC 3461 4.4: characters of an ENVID. RFC 3461 4.2: of an ORCPT. */
const MAX_ENVID = 100
const MAX_ORCPT = 500
const UNKNOWN = reply(555, '5.5.4', 'Parameter not recognized or not implemented')

/** Judges the parameters of MAIL. */
export function readMailParameters(raw: Raw, maxBytes: number): ParameterVerdict {
  const carried: Record<string, string | null> = {}
  for (const [name, value] of raw) {
    const read = MAIL[name]?.(value)
    if (read === undefined) return { refusal: name in MAIL ? bad(name) : UNKNOWN }
    // RFC 1870 6.1: a message that is declared too large is refused before it is sent.
    if (name === 'SIZE' && Number(value) > maxBytes) return { refusal: tooLarge(maxBytes) }
    if (name !== 'SIZE' && name !== 'AUTH') carried[name] = read
  }
  return { carried }
}

/** Judges the parameters of RCPT. */
export function readRecipientParameters(raw: Raw): ParameterVerdict {
  const carried: Record<string, string | null> = {}
  for (const [name, value] of raw) {
    const read = RCPT[name]?.(value)
    if (read === undefined) return { refusal: name in RCPT ? bad(name) : UNKNOWN }
    carried[name] = read
  }
  return { carried }
}

export function tooLarge(maxBytes: number): Reply {
  return reply(552, '5.3.4', `Message exceeds the size limit of ${maxBytes} octets`)
}

/** What NOTIFY asks for (RFC 3461 4.1); without it failures are reported. */
export function notifies(parameters: EnvelopeParameters, event: 'SUCCESS' | 'FAILURE' | 'DELAY'): boolean {
  const notify = parameters['NOTIFY']
  if (!notify) return event === 'FAILURE'
  return notify.toUpperCase().split(',').includes(event)
}

/** An ORCPT value as it goes on the wire: only the address is xtext (RFC 3461 4.2). null for what is no ORCPT. */
export function encodeOrcpt(value: string): string | null {
  const semicolon = value.indexOf(';')
  const type = value.slice(0, semicolon)
  const address = value.slice(semicolon + 1)
  if (semicolon <= 0 || !/^[A-Za-z0-9-]+$/.test(type) || address === '') return null
  if (!/[^\u0000-\u007f]/.test(address)) return `${type};${encodeXtext(address)}`
  return `utf-8;${encodeUtf8Address(address)}`
}

type Reader = (value: string | null) => string | null | undefined

const MAIL: { readonly [name: string]: Reader } = {
  SIZE: (value) => (value && /^\d{1,20}$/.test(value) ? value : undefined),
  BODY: (value) => oneOf(value, ['7BIT', '8BITMIME']),
  SMTPUTF8: (value) => (value === null ? null : undefined),
  RET: (value) => oneOf(value, ['FULL', 'HDRS']),
  ENVID: (value) => printable(value, MAX_ENVID),
  AUTH: (value) => printable(value, MAX_ORCPT),
}

const RCPT: { readonly [name: string]: Reader } = {
  NOTIFY: (value) => {
    const words = value?.toUpperCase().split(',') ?? []
    const known = words.every((word) => ['NEVER', 'SUCCESS', 'FAILURE', 'DELAY'].includes(word))
    // RFC 3461 4.1: NEVER stands alone.
    return words.length > 0 && known && (words.length === 1 || !words.includes('NEVER')) ? words.join(',') : undefined
  },
  ORCPT: (value) => {
    const match = /^([A-Za-z0-9-]+);(.+)$/.exec(value ?? '')
    const address = match && printable(unescapeUtf8(match[1]!, match[2]!), MAX_ORCPT)
    return match && address ? `${match[1]};${address}` : undefined
  },
}

function unescapeUtf8(type: string, address: string): string {
  if (type.toLowerCase() !== 'utf-8') return address
  return address.replace(/\\x\{([0-9A-F]{2,6})\}/g, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole
  })
}

function oneOf(value: string | null, words: readonly string[]): string | undefined {
  const upper = value?.toUpperCase()
  return upper && words.includes(upper) ? upper : undefined
}

/** xtext decoded; undefined when it is empty, too long, or hides characters that could break a line elsewhere. */
function printable(value: string | null, max: number): string | undefined {
  const text = value && value.length <= max * 3 ? decodeXtext(value) : null
  if (!text || text.length > max || /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) return undefined
  return text
}

function bad(name: string): Reply {
  return reply(501, '5.5.4', `Bad value of parameter ${name}`)
}
