/** Email addresses as clients of the API write them: `a@b`, `Name <a@b>` or `{email, name}`. */
import { type EmailAddress, parseAddresses } from '../../jmap/message/addresses.ts'
import { normaliseDomain } from '../../jmap/message/mail-address.ts'

export type { EmailAddress }

// RFC 5321 4.5.3.1: octets of a local part, and (by the 256 of a path) of an address; RFC 1035 2.3.4: of a label.
const LOCAL_MAX = 64
const ADDRESS_MAX = 254
const LABEL_MAX = 63

const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/
/** RFC 5321 4.1.2: Quoted-string, without its quotes. */
const QUOTED = /^(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** RFC 5321 4.1.2 Mailbox with a domain name of two labels or more; an internationalised domain counts by its A-labels. */
export function isAddress(text: string): boolean {
  return sendableAddress(text) !== null
}

/** The address as written, with its domain in lower-case A-labels; null: mail cannot be sent to it. */
export function sendableAddress(text: string): string | null {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > LOCAL_MAX || !isLocalPart(local)) return null
  const domain = sendableDomain(text.slice(at + 1))
  if (domain === null) return null
  const address = `${local}@${domain}`
  return address.length > ADDRESS_MAX ? null : address
}

/** A domain name of two labels or more in lower-case A-labels; null: any other text. */
export function sendableDomain(written: string): string | null {
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(written) || written.endsWith('.')) return null
  const domain = normaliseDomain(written)
  const labels = domain?.split('.') ?? []
  return labels.length >= 2 && labels.every(isLabel) ? domain : null
}

function isLocalPart(local: string): boolean {
  if (local.startsWith('"')) return local.length > 2 && local.endsWith('"') && QUOTED.test(local.slice(1, -1))
  return local.split('.').every((atom) => ATOM.test(atom))
}

function isLabel(label: string): boolean {
  return label.length <= LABEL_MAX && LABEL.test(label)
}

/** One address with its name; null: the text is not exactly one address that mail can be sent to. */
export function readAddress(text: string): EmailAddress | null {
  // RFC 5322 2.2: a line break would begin another header field.
  if (/[\r\n\0]/.test(text)) return null
  const bare = sendableAddress(text.trim())
  if (bare !== null) return { name: null, email: bare }
  if (!text.includes('<')) return null
  const [address, ...more] = parseAddresses(text)
  if (!address || more.length > 0) return null
  const email = sendableAddress(address.email)
  return email === null ? null : { name: address.name || null, email }
}

/** RFC 5321 2.4 lets local parts be case-sensitive. Mailboxes of this server compare without case. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
