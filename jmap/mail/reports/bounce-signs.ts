/** Whether a message is a mail system's notice that something was not delivered. Pure, and total. */
import { firstField, unfoldedText } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { DELAYED_ABROAD, NOT_DELIVERED_ABROAD } from './other-languages.ts'
import { type BounceRules, someMatch } from './rules/all.ts'
import type { ReportSections } from './sections.ts'

/** The message comes from a mail system and says that something was not delivered. */
export function looksLikeBounce(
  bytes: Uint8Array,
  parsed: ParsedMessage,
  { notice, returned }: ReportSections,
  rules: BounceRules,
): boolean {
  if (headerOf(bytes, parsed, 'x-failed-recipients') || isDeliveryReport(parsed)) return true
  const sender = [...(parsed.from ?? []), ...(parsed.sender ?? [])].map(({ name, email }) => `${name ?? ''} ${email}`)
  const isDaemon = sender.some((text) => someMatch(rules.daemons, text))
  const isNull = /^\s*<>\s*$/.test(headerOf(bytes, parsed, 'return-path') ?? '')
  const subject = parsed.subject ?? ''
  const isSubject = (!ANSWER.test(subject) && someMatch(rules.subjects, subject)) || NOT_DELIVERED_ABROAD.test(subject)
  const signs = [isDaemon, isNull, isSubject, returned !== null].filter(Boolean).length
  if (signs === 0) return false
  const words = notice.join('\n')
  // One sign alone needs words that are rare elsewhere.
  if (signs === 1 && isDaemon) return isFailure(words, rules)
  if (signs === 1) return returned === null && (someMatch(rules.rareWords, words) || NOT_DELIVERED_ABROAD.test(words))
  return isSubject || returned !== null || isFailure(words, rules)
}

/** RFC 5322 3.6.5: people answer and forward notices. */
const ANSWER = /^\s*(?:re|aw|sv|antw|fwd?|wg|tr|rv)\s*:/i

/** RFC 6522 3: a report of another type names it in a part of its own. */
function isDeliveryReport({ structure }: ParsedMessage): boolean {
  if (structure.parts[0]?.type !== 'multipart/report') return false
  return !structure.parts.some(({ type }) =>
    /^message\/(?:(?:global-)?disposition-notification|feedback-report)$/.test(type),
  )
}

function isFailure(words: string, rules: BounceRules): boolean {
  return someMatch(rules.failures, words) || NOT_DELIVERED_ABROAD.test(words)
}

export function headerOf(bytes: Uint8Array, { headers }: ParsedMessage, name: string): string | null {
  const field = firstField(headers, name)
  return field && unfoldedText(bytes, field)
}

/** Whether a notice says that delivery attempts continue. */
export function isDelay(words: string, rules: BounceRules): boolean {
  return (someMatch(rules.delays, words) && !someMatch(rules.givenUp, words)) || DELAYED_ABROAD.test(words)
}
