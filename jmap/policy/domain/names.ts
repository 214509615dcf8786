/** Which names an organization may receive mail under (decision D7). */
import { getDomain } from 'tldts'

/** The name that somebody has registered above this one, or the name itself; null for a public suffix. */
export function registrableOf(name: string): string | null {
  return getDomain(name, { validateHostname: false, allowPrivateDomains: false })
}

/** RFC 6761 6: names that never lead anywhere outside. */
export function isReserved(name: string): boolean {
  return /(^|\.)(test|example|invalid)$/.test(name) || /(^|\.)example\.(com|net|org)$/.test(name)
}
