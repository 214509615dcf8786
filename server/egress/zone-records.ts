/** Records of DNS providers' APIs in the form of the core: names without a dot at the end, TXT unquoted and in one piece. Pure. */
import type { HeldRecord, ZoneRecord } from '../../jmap/type/dns-provider-port.ts'

export const RECORD_TYPES = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'TXT',
  'SRV',
  'TLSA',
  'CAA',
] as const satisfies readonly ZoneRecord['type'][]

interface Listed {
  readonly ref: string | null
  /** Fully qualified. */
  readonly name: string
  readonly type: unknown
  readonly value: string
  readonly ttl: unknown
  readonly priority: unknown
}

/** None for types that the core does not know. */
export function heldRecord({ ref, name, type, value, ttl, priority }: Listed): HeldRecord[] {
  const known = RECORD_TYPES.find((one) => one === type)
  if (known === undefined) return []
  const hasPriority = known === 'MX' || known === 'SRV'
  const text = known === 'TXT' ? unquoted(value) : withoutDots(value)
  return [
    {
      ref,
      name: withoutDot(name).toLowerCase(),
      type: known,
      value: text,
      ...(hasPriority && { priority: Number(priority ?? 0) || 0 }),
      ttl: Number(ttl) || 0,
    },
  ]
}

/**
 * RFC 1035 5.1: one or several quoted strings, with `\"`, `\\` and `\ddd`; text without quotes as it is. A string without an end is left out. In
 * one pass: a provider may send megabytes of backslashes.
 */
export function unquoted(text: string): string {
  if (!text.startsWith('"')) return text
  let [strings, string, isWithin] = ['', '', false]
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '"') {
      if (isWithin) strings += string
      string = ''
      isWithin = !isWithin
    } else if (char === '\\') {
      const code = text.slice(i + 1, i + 4)
      const isCode = /^\d{3}$/.test(code)
      string += isCode ? String.fromCharCode(Number(code) & 0xff) : code.slice(0, 1)
      i += isCode ? 3 : 1
    } else string += char
  }
  return strings
}

/** Octets of one string of a TXT record (RFC 1035 3.3). */
const STRING_MAX = 255

/** RFC 1035 5.1 */
export function quoted(text: string): string {
  const pieces = text.match(new RegExp(`.{1,${STRING_MAX}}`, 'gs')) ?? ['']
  return pieces.map((piece) => `"${piece.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(' ')
}

/** The part of a name below the zone; empty for the zone itself. */
export function relativeName(name: string, zone: string): string {
  return name === zone ? '' : name.slice(0, -(zone.length + 1))
}

export function absoluteName(relative: string, zone: string): string {
  return relative === '' || relative === '@' ? zone : `${relative}.${zone}`
}

function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** The last word is a name, except in CAA, whose last word is quoted. */
function withoutDots(value: string): string {
  return value.endsWith('"') ? value : withoutDot(value.trim().toLowerCase())
}
