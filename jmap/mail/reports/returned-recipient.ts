/** Whom a returned message was sent to. Pure, and total. */
import type { ParsedMessage } from '../../message/structure.ts'
import { headerOf } from './bounce-signs.ts'
import { ADDRESS } from './rules/recipients.ts'

/** Fields in which servers note the recipient of the envelope. */
const ENVELOPE_FIELDS = [
  'x-failed-recipients',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'delivered-to',
  'x-rcpt-to',
]
const ONE_ADDRESS = new RegExp(ADDRESS, 'i')
/** RFC 5321 4.4: the clause of a trace field. */
const FOR = new RegExp(`\\sfor\\s+<?(${ADDRESS})>?`, 'i')

/** null: it had several recipients, or does not say. */
export function recipientOfReturned(bytes: Uint8Array, returned: ParsedMessage): string | null {
  const addressed = new Set([...(returned.to ?? []), ...(returned.cc ?? [])].map(({ email }) => email.toLowerCase()))
  if (addressed.size === 1) return [...addressed][0]!
  for (const name of ENVELOPE_FIELDS) {
    const found = ONE_ADDRESS.exec(headerOf(bytes, returned, name) ?? '')?.[0]
    if (found !== undefined) return found.toLowerCase()
  }
  return FOR.exec(headerOf(bytes, returned, 'received') ?? '')?.[1]?.toLowerCase() ?? null
}
