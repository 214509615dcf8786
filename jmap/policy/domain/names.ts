/** Names under which an organization may receive mail (decision D7). */
import { createRequire } from 'node:module'
import { onDemand } from '../../../server/base/on-demand.ts'

/** The public suffix list takes 6 MB. */
const tldts = onDemand(() => createRequire(import.meta.url)('tldts') as typeof import('tldts'))

/** The registered domain above this name, or the name itself; null for a public suffix. */
export function registrableOf(name: string): string | null {
  return tldts().getDomain(name, { validateHostname: false, allowPrivateDomains: false })
}

/** RFC 6761 6: names that never resolve outside. */
export function isReserved(name: string): boolean {
  return /(^|\.)(test|example|invalid)$/.test(name) || /(^|\.)example\.(com|net|org)$/.test(name)
}
