/** Whether the author in From is shown to have written a message. */
import type { InboundMessage } from './inbound-message.ts'

/**
 * Promise C4: From passed DMARC, or an aligned signature covers it. Local mail has no verdict: its author was checked when it was submitted.
 * A verdict without results comes from a server whose sender checks are off.
 */
export function isAuthenticAuthor({ verdict }: Pick<InboundMessage, 'verdict'>): boolean {
  const results = verdict?.authentication
  if (!results) return true
  return results.dmarc.result === 'pass' || results.dkim.some(({ result, aligned }) => result === 'pass' && aligned)
}
