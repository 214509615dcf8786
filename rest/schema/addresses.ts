/** Email addresses as clients of the API write them: `a@b`, `Name <a@b>` or `{email, name}`. */
import { type EmailAddress, parseAddresses } from '../../jmap/message/addresses.ts'
import { sendableAddress, sendableDomain } from '../../jmap/message/sendable-address.ts'

export type { EmailAddress }
export { sendableAddress, sendableDomain }

/** RFC 5321 4.1.2 Mailbox with a domain name of two labels or more; an internationalised domain counts by its A-labels. */
export function isAddress(text: string): boolean {
  return sendableAddress(text) !== null
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
