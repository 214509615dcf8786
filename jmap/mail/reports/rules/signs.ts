/** Signs of a notice of a mail system that something was not delivered. Pure. */
import { type Rule, rule } from './rule.ts'

/** In the sender's name or address. */
export const DAEMONS: readonly Rule[] = [
  rule(
    'mailer-daemon',
    'RFC 5321 4.5.5; RFC 2142 5',
    'daemon',
    'post_?master',
    'administrator',
    'mail ?delivery',
    'mail ?system',
    'returned mail',
    'bounce',
    'mail ?(?:server|service|gateway|router|subsystem)',
    'delivery (?:subsystem|system|agent|service)',
  ),
]

export const SUBJECTS: readonly Rule[] = [
  rule(
    'undeliverable',
    'RFC 3464 2; Exchange, Exim, Domino',
    'un-?deliver',
    'non-?deliver',
    "(?:not|n['’]?t) (?:be )?deliver",
    'return(?:ed|ing)? (?:mail|to sender|message)',
    '(?:mail|message)[- ](?:returned|bounced)',
    'bounce',
  ),
  rule(
    'delivery-failed',
    'Exim, qmail, Courier, Gmail',
    'deliver(?:y|ed|ing)\\b.{0,40}(?:fail|stat|notif|problem|error|delay|report|unsuccess|not|warn|subsys)',
    '(?:fail|problem|error|delay|could not|can ?not|unable|warning|not).{0,30}deliver',
    'failure (?:notice|notification|of delivery|delivery)',
    'mail (?:failure|failed|error|delivery|system error)',
  ),
  rule(
    'message-rejected',
    'Exchange, Mimecast',
    'rejected',
    '(?:could|can) ?not (?:be )?(?:sen[dt]|forward)',
    'message (?:status|you sent|blocked|notification|frozen|refused|failed)',
    'dsn[: ]',
    'warning:',
    '(?:user|host|recipient|mailbox|address).{0,20}(?:unknown|full|not|invalid|failed)',
    'returned',
  ),
]

/** In the text; people seldom write so. */
export const RARE_WORDS: readonly Rule[] = [
  rule(
    'rare-words',
    'RFC 3464 1.1; Exim, Exchange',
    "(?:could|can)(?: ?not|n['’]?t) be delivered",
    "(?:not|n['’]?t|unable to) deliver(?:ed)? (?:your |the |this )?(?:message|mail)",
    'undeliverable',
    "(?:was|were|is|are) (?:not|n['’]?t) (?:been )?delivered",
    "(?:not|n['’]?t) able to deliver",
    'delivery (?:errors?|problems?|failed|failure)',
    'permanent (?:fatal )?errors?',
    'transcript of (?:the )?session',
    '(?:unknown|no such|invalid) (?:user|recipient|host)',
    '(?:^|\\n|said: |<<< )5\\d\\d[ -](?:[45]\\.\\d\\.\\d|<?[^\\s@]{1,64}@)',
    'not yet been delivered',
    '(?:recipients?|address(?:es)?)\\S{0,5} (?:failed|could not be|did not (?:receive|get))',
    'failed addresses',
  ),
]

export const FAILURES: readonly Rule[] = [
  rule(
    'did-not-arrive',
    'RFC 3464 1.1; Postfix, Exim, Exchange',
    "(?:could|can|has|was|were|did|have|had)(?: ?not|n['’]?t)(?: yet)?(?: be| been| reach)?[^.]{0,60}(?:deliver|sent|reach|accept|received?|process)",
    'undeliver',
    'not (?:be )?(?:delivered|accepted|processed|reach)',
    'unable to (?:deliver|send|forward|process)',
    'transcript of (?:the )?session',
  ),
  rule(
    'delivery-fails',
    'RFC 3464 2.3.3; sendmail, qmail',
    'deliver(?:y|ing)?\\b[^.]{0,60}(?:fail|delay|problem|error|not|unsuccess|temporar|suspend)',
    'fail(?:ed|ure)?\\b[^.]{0,60}(?:deliver|recipient|address|permanent)',
    '(?:permanent|fatal|temporary) (?:fatal )?error',
    'returned to (?:you|sender)',
    '(?:is|was|been) (?:rejected|returned|refused|blocked|bounced)',
    'will (?:be retried|continue|keep)',
  ),
  rule('code-of-a-reply', 'RFC 5321 4.2; RFC 3463 2', '\\b5\\d\\d[ -]', '\\b[45]\\.\\d\\.\\d\\b'),
  rule(
    'recipient-fails',
    'RFC 3463 3.2',
    '(?:users?|recipients?|host|address|mailbox|account)[^.]{0,40}(?:unknown|not found|full|in-?active|not exist|invalid|over quota|disabled|limited)',
    'no such (?:user|host)',
    'does not exist',
  ),
]

export const DELAYS: readonly Rule[] = [
  rule(
    'delay',
    'RFC 3464 2.3.3 (delayed); Exim, sendmail, Gmail',
    'warning message only',
    'just a warning',
    'attempts will continue',
    'has (?:not yet been|been) delayed',
    'delivery (?:is )?delayed',
    '\\(delay\\)',
    'will (?:be retried|continue to be (?:tried|made)|keep trying|try again)',
    'still (?:be )?(?:trying|being|retry)',
    'not yet been delivered',
    'no action is required',
    'do not need to (?:resend|take)',
    'delayed',
  ),
]

export const GIVEN_UP: readonly Rule[] = [
  rule(
    'given-up',
    'RFC 3464 2.3.3 (failed)',
    'permanent (?:fatal )?error',
    'giv(?:en|ing) up',
    'failed permanently',
    'will be (?:deleted|returned)',
    'no further attempts',
  ),
]
