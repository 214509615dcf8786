/** Names of folders of a source as names of mailboxes: depth and length are cut, and characters that are not allowed are replaced. Pure. */
import { hash } from 'node:crypto'

export interface NameLimits {
  readonly maxSizeMailboxName: number
  /** Levels that a path may have. */
  readonly depth: number
}

/** RFC 5198 2: what no mailbox name may have (jmap/mail/mailbox/faults.ts). */
const NOT_ALLOWED = /[\p{Cc}\p{Cn}\p{Cs}\u2028\u2029]|^\ufeff/gu
const HASH_CHARS = 8

/** The path with names that a mailbox can have. Levels that are too deep are joined to one name. */
export function mailboxPath(path: readonly string[], { maxSizeMailboxName, depth }: NameLimits): string[] {
  const levels = Math.max(1, depth)
  const kept = path.length <= levels ? [...path] : [...path.slice(0, levels - 1), path.slice(levels - 1).join(' / ')]
  return kept.map((name) => mailboxName(name, maxSizeMailboxName))
}

function mailboxName(given: string, maxOctets: number): string {
  const name = given.toWellFormed().normalize('NFC').replace(NOT_ALLOWED, '_').trim() || '_'
  if (Buffer.byteLength(name) <= maxOctets) return name
  // Two long names that begin alike stay two.
  const end = `~${hash('sha256', name, 'base64url').slice(0, HASH_CHARS)}`
  const room = maxOctets - end.length
  let short = ''
  let octets = 0
  for (const char of name) {
    octets += Buffer.byteLength(char)
    if (octets > room) break
    short += char
  }
  return `${short.trimEnd()}${end}`
}
