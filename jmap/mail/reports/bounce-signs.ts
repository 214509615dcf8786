/** Whether a message is a mail system's notice that something was not delivered. Pure, and total. */
import { firstField, unfoldedText } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { DELAYED_ABROAD, NOT_DELIVERED_ABROAD } from './other-languages.ts'
import type { ReportSections } from './sections.ts'

const DAEMON =
  /mailer[-_ ]?daemon|post_?master|administrator|mail ?delivery|mail ?system|mail administrator|returned mail|bounce/i
const SUBJECT =
  /undeliver|un-?deliverable|deliver(?:y|ed)\b.{0,40}(?:fail|stat|notif|problem|error|delay|report|unsuccess|not|warn|subsys)|(?:fail|problem|error|delay|could not|can ?not|unable|warning|not).{0,30}deliver|return(?:ed)? (?:mail|to sender|message)|failure (?:notice|notification|of delivery)|mail (?:failure|error|delivery|system error|returned)|rejected|nondeliver|could not (?:be )?(?:send|sent)|message (?:status|you sent|blocked|notification)|bounce|dsn:|warning:|(?:user|host|recipient|mailbox).{0,20}(?:unknown|full|not)/i
const NOT_DELIVERED =
  /(?:could|can)(?: ?not|n't) be delivered|(?:not|n't|unable to) deliver(?:ed)? (?:your |the |this )?(?:message|mail)|undeliverable|not yet been delivered/i
const FAILURE =
  /(?:could|can|has|was|were|did|have|had)(?: ?not|n't)(?: yet)?(?: be| been| reach)?[^.]{0,60}(?:deliver|sent|reach|accept|received?|process)|undeliver|not (?:be )?(?:delivered|accepted|processed|reach)|deliver(?:y|ing)?\b[^.]{0,60}(?:fail|delay|problem|error|not|unsuccess|temporar|suspend)|unable to (?:deliver|send|forward|process)|fail(?:ed|ure)?\b[^.]{0,60}(?:deliver|recipient|address|deliver|permanent)|(?:permanent|fatal|temporary) (?:fatal )?error|returned to (?:you|sender)|(?:is|was|been) (?:rejected|returned|refused|blocked|bounced)|\b5\d\d[ -]|\b[45]\.\d\.\d\b|(?:user|recipient|host|address|mailbox|account)[^.]{0,40}(?:unknown|not found|full|inactive|not exist|invalid)|no such (?:user|host)|does not exist|transcript of session|will (?:be retried|continue|keep)/i

/** The message comes from a mail system and says that something was not delivered. */
export function looksLikeBounce(
  bytes: Uint8Array,
  parsed: ParsedMessage,
  { notice, returned }: ReportSections,
): boolean {
  if (headerOf(bytes, parsed, 'x-failed-recipients')) return true
  const sender = [...(parsed.from ?? []), ...(parsed.sender ?? [])].map(({ name, email }) => `${name ?? ''} ${email}`)
  const isDaemon = sender.some((text) => DAEMON.test(text))
  const isNull = /^\s*<>\s*$/.test(headerOf(bytes, parsed, 'return-path') ?? '')
  const subject = parsed.subject ?? ''
  const isSubject = SUBJECT.test(subject) || NOT_DELIVERED_ABROAD.test(subject)
  const signs = [isDaemon, isNull, isSubject, returned !== null].filter(Boolean).length
  if (signs === 0) return false
  const words = notice.join('\n')
  // One sign alone needs words that are rare elsewhere.
  if (signs === 1)
    return isDaemon ? isFailure(words) : isSubject && (NOT_DELIVERED.test(words) || NOT_DELIVERED_ABROAD.test(words))
  return isSubject || returned !== null || isFailure(words)
}

function isFailure(words: string): boolean {
  return FAILURE.test(words) || NOT_DELIVERED_ABROAD.test(words)
}

export function headerOf(bytes: Uint8Array, { headers }: ParsedMessage, name: string): string | null {
  const field = firstField(headers, name)
  return field && unfoldedText(bytes, field)
}

const DELAY =
  /warning message only|attempts will continue|has (?:not yet been|been) delayed|delivery (?:is )?delayed|\(delay\)|will (?:be retried|continue to be tried|keep trying|try again)|still (?:be )?(?:trying|being|retry)|not yet been delivered|no action is required|do not need to resend|delayed/i
const GIVEN_UP = /permanent (?:fatal )?error|giv(?:en|ing) up|failed permanently/i

/** Whether a notice says that delivery attempts continue. */
export function isDelay(words: string): boolean {
  return (DELAY.test(words) && !GIVEN_UP.test(words)) || DELAYED_ABROAD.test(words)
}
