/** Words about connections, time and the systems on the way. */
import { type ReasonRule, reasonRule } from './rule.ts'

/** Failures that name other things, which later rules would take for unknown hosts or users. */
export const INTERRUPTED: readonly ReasonRule[] = [
  reasonRule(
    'network',
    'connection-lost',
    'Postfix, Exim, qmail',
    'lost connection',
    'conversation with .{1,120} timed out',
    'timed out while (?:send|receiv|perform)',
    'connection (?:died|dropped|closed|reset|lost|was (?:dropped|closed|reset))\\b(?! by (?:policy|administrator))',
    'remote host closed',
  ),
  reasonRule(
    'network',
    'name-server-fails',
    'RFC 3463 3.5 (X.4.3); Postfix, Exim, sendmail',
    'host not found, try again',
    '(?:domain|host|name ?server|dns)\\b.{0,40}(?:temporar|tempfail|servfail|not respond|time(?:d )?-?out)',
    'name ?server reply',
    'host name lookup failure',
    'lookup (?:did not complete|timed out)',
    'temporary (?:dns|lookup|resol)',
  ),
  reasonRule(
    'network',
    'loop',
    'RFC 5321 6.3; RFC 3463 3.5 (X.4.6)',
    'hop ?count',
    'too many (?:hops|["“]?received|forwards)',
    '\\bloop(?:s|ing|ed)?\\b',
    'loops back',
  ),
]

/** Said before any judgement: the mailbox is only busy, or everybody waits. */
export const BUSY: readonly ReasonRule[] = [
  reasonRule('deferred', 'greylisted', 'RFC 6647 2.1; Postgrey, milter-greylist', 'gr[ae]y ?-?list'),
  reasonRule(
    'deferred',
    'mailbox-busy',
    'RFC 5321 4.2.3 (450)',
    '\\b4[25]\\d\\b.{0,80}mail ?box (?:is )?(?:temporarily )?(?:unavailable|busy|locked)',
    'mail ?box (?:is )?(?:temporarily unavailable|busy|locked by)',
  ),
]

export const DEFERRED: readonly ReasonRule[] = [
  reasonRule(
    'deferred',
    'try-again',
    'RFC 5321 4.2.1 (4yz); Exchange Online',
    '(?:try|come) (?:again|back) (?:later|in|soon)',
    'please (?:try|retry|come back)',
  ),
  reasonRule(
    'deferred',
    'temporary',
    'RFC 5321 4.2.3 (421, 451)',
    'temporar(?:y|ily).{0,30}(?:defer|reject|unavail|fail|error|problem)',
    '\\bdeferred\\b',
    'server (?:is )?busy',
    'resources? .{0,24}unavailable',
  ),
]

export const EXPIRED: readonly ReasonRule[] = [
  reasonRule(
    'expired',
    'expired',
    'RFC 5321 4.5.4.1; RFC 3463 3.5 (X.4.7); Exim, sendmail',
    '(?:message|mail|delivery|it|queue)\\b.{0,30}(?:expired|too (?:old|long in))',
    'retry ?time(?:out)?\\b.{0,12}(?:exceeded|not reached)',
    'retry timeout',
    'delivery (?:time|period) (?:has )?(?:expired|exceeded)',
    'in (?:the )?queue too long',
    'giv(?:en|ing) up(?! on)',
    'long failure period',
    'delivery expired',
    'failing for a long time',
  ),
  reasonRule(
    'expired',
    'for-so-long',
    'RFC 3464 6; sendmail, EZweb',
    'could not be delivered (?:for|within|after)',
    'not delivered within',
    '(?:for|after) (?:more than |over |the last )?\\d+ ?(?:hours?|days?|minutes?|tries|attempts)',
    'undelivered after',
    'delivery attempts?',
    'not been collected',
    'multiple retries',
    'allowed queue period',
  ),
  reasonRule(
    'expired',
    'delayed',
    'RFC 3464 2.3.3 (delayed)',
    'delayed',
    'still (?:being|trying)',
    'will (?:be retried|keep trying|continue)',
    'has not (?:yet )?been delivered',
    'timed? ?-?out',
  ),
]

export const NETWORK: readonly ReasonRule[] = [
  reasonRule(
    'network',
    'connection-fails',
    'RFC 3463 3.5 (X.4.1, X.4.2); Postfix, Exim, qmail',
    'connect(?:ion|ed|ing)?\\b ?(?:to |with )?.{0,60}(?:refused|timed? ?-?out|reset|lost|dropped|closed|fail\\w*|broken|denied)',
    '(?:unable|failed) to (?:connect|contact|establish)',
    "(?:could|can) ?(?:not|n['’]?t) (?:connect|contact|establish|open)",
    'cannot connect',
    "wasn['’]t able to establish",
    'not able to connect',
    'did not (?:respond|answer)',
  ),
  reasonRule(
    'network',
    'no-route',
    'RFC 3463 3.5 (X.4.4); OpenSMTPD',
    'network .{0,24}(?:unreach|error|problem|down)',
    'no route',
    'host .{0,60}(?:unreachable|not respond\\w*|down)',
    'not responding',
    'dns .{0,24}(?:time|fail)',
    'tempfail',
    'mx .{0,24}lookup',
    'handshake',
    'mail forwarding',
  ),
]

export const SYSTEM: readonly ReasonRule[] = [
  reasonRule(
    'system',
    'system-error',
    'RFC 3463 3.4 (X.3); Exchange, Domino',
    '(?:internal|local|system|server|software|configuration|config|operating system|ldap|i/o|disk|database|queue|processing|transaction) (?:error|fail\\w*|problem|fault)',
    'error (?:in processing|while being processed|reading|writing)',
    'mis-?configur',
    'service (?:is )?(?:currently )?(?:not available|unavailable)',
    'interrupted system call',
    'resources',
  ),
  reasonRule(
    'system',
    'system-full',
    'RFC 3463 3.4 (X.3.1)',
    'out of (?:memory|disk)',
    'insufficient system',
    'no space',
    'system storage',
    'disk (?:is )?full',
    'file too large',
  ),
  reasonRule(
    'system',
    'command-failed',
    'RFC 3464 2.3.6 (x-unix); Postfix (pipe), Exim, sendmail, procmail',
    'exit(?:ed)? (?:with )?(?:status|code|value)',
    'command (?:died|failed|output|line)',
    'unknown mailer error',
    'mailer error',
    '\\bpipe\\b',
    '\\bchild\\b',
    'procmail',
    'maildrop',
    'unable to (?:open|write|run|deliver|create)',
    "can(?:not|['’]?t) (?:open|create|lock|write|exec|access|update|append)",
    'could not (?:open|create|lock|write|execute)',
    'local delivery failed',
    'x-unix',
  ),
]

/** A notice says no more than where it comes from. */
export const MAIL_SYSTEM: readonly ReasonRule[] = [
  reasonRule(
    'system',
    'mail-system',
    'Notices in general',
    'mail system',
    '\\block\\b',
    'mailer',
    'unexpected',
    'software',
  ),
]
