/** Automatic replies (RFC 3834): whether a message is answered at all, and what the answer says. */
import { ANSWER_AGAIN_MS, ANSWER_SUBJECT_MAX_CHARS } from '../../../server/base/delivery-limits.ts'
import { SIEVE_REASON_MAX_CHARS } from '../../../server/base/sieve-limits.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { SieveMessage, SieveVacation } from '../../sieve/index.ts'
import { baseAddress, normaliseAddress } from '../addresses.ts'
import type { InboundVerdict } from '../inbound-verdict.ts'
import { decodePartText } from '../message/decode.ts'
import { htmlToText } from '../message/html-text.ts'
import { parseMessage } from '../message/structure.ts'
import { isAutoSubmitted, precedenceOf } from '../rules/automatic.ts'
import type { StoredVacationResponse } from '../vacation/auto-reply.ts'
import { oneLine } from './compose.ts'

/** An answer that is to be given unless it was given lately. */
export interface Answer {
  /** To whom: the reverse-path, normalised. */
  readonly to: string
  /** Under which it is remembered, and for how long (ms). */
  readonly key: string
  readonly forMs: number
  readonly subject: string
  readonly text: string
  readonly html: string | null
  /** An address of the account to answer from; null: its own. */
  readonly from: string | null
}

export interface Answered {
  readonly message: SieveMessage
  readonly mailFrom: string
  readonly verdict: InboundVerdict | null
  readonly isJunk: boolean
  /** Normalised addresses of the account. */
  readonly ownAddresses: readonly string[]
  /** Epoch ms. */
  readonly now: number
}

/** A script's answer stands in for that of the record. */
export function answerFor(
  answered: Answered,
  vacation: StoredVacationResponse,
  script: SieveVacation | null,
): { readonly answer: Answer } | { readonly none: string } | null {
  if (!script && !isAway(vacation, answered.now)) return null
  const silence = whySilent(answered, script?.addresses ?? [])
  if (silence !== null) return { none: silence }
  const to = normaliseAddress(answered.mailFrom)!
  return { answer: script ? scriptAnswer(answered, script, to) : recordAnswer(answered, vacation, to) }
}

/** RFC 8621 8: between its dates, as far as it has them. */
export function isAway({ isEnabled, fromDate, toDate }: StoredVacationResponse, now: number): boolean {
  if (!isEnabled) return false
  return (fromDate === null || parseUTCDate(fromDate)! <= now) && (toDate === null || now < parseUTCDate(toDate)!)
}

/** RFC 3834 2: senders that are programs, by what their addresses are called. */
const PROGRAMS =
  /^(?:owner-|mailer-daemon|listserv|majordomo|postmaster|bounces?[+-]|bounces?$|no[-_.]?reply|do[-_.]?not[-_.]?reply)|-(?:request|relay|owner|bounces?)$/

/** Why there is no answer, in words; null: there is to be one. */
function whySilent({ message, mailFrom, verdict, isJunk, ownAddresses }: Answered, others: readonly string[]) {
  // RFC 3834 2: never to a null reverse-path.
  const sender = normaliseAddress(mailFrom)
  if (sender === null) return 'the message has no sender to answer'
  const own = new Set([...ownAddresses, ...others.flatMap((address) => normaliseAddress(address) ?? [])])
  const isOwn = (address: string) => own.has(address) || own.has(baseAddress(address))
  if (isOwn(sender)) return 'the sender is the mailbox itself'
  if (isJunk) return 'the message is junk'
  if (PROGRAMS.test(sender.slice(0, sender.lastIndexOf('@')))) return 'the sender is a program'
  if (isAutoSubmitted(message)) return 'the message is an automatic one itself'
  if (LIST_FIELDS.some((name) => message.fields(name).length > 0)) return 'the message came over a list'
  const precedence = precedenceOf(message)
  if (precedence !== null) return `the message has the precedence ${precedence}`
  if (message.texts('x-auto-response-suppress').some((value) => /\b(all|oof|autoreply)\b/i.test(value)))
    return 'the sender asks for no automatic reply'
  if (isForged(verdict)) return 'the sender may be forged'
  const named = RECIPIENT_FIELDS.flatMap((name) => message.addresses(name).flat())
  const isNamed = named.some(({ email }) => isOwn(normaliseAddress(email) ?? ''))
  return isNamed ? null : 'no address of the mailbox is in To or Cc'
}

/** RFC 2369, RFC 2919: what lists write. */
const LIST_FIELDS = [
  'list-id',
  'list-help',
  'list-subscribe',
  'list-unsubscribe',
  'list-post',
  'list-owner',
  'list-archive',
]
/** RFC 5230 4.5 */
const RECIPIENT_FIELDS = ['to', 'cc', 'resent-to', 'resent-cc']

/** Whoever is not the one that the address belongs to must not make us write to that one (promise S9). */
function isForged(verdict: InboundVerdict | null): boolean {
  const { spf, dmarc } = verdict?.authentication ?? {}
  return dmarc?.result === 'fail' || spf?.result === 'fail' || spf?.result === 'softfail'
}

function recordAnswer({ message }: Answered, vacation: StoredVacationResponse, to: string): Answer {
  const { subject, textBody, htmlBody } = vacation
  // RFC 8621 8: without a text of its own, made of the HTML; without either, a suitable one.
  const text = textBody ?? (htmlBody === null ? AWAY_TEXT : htmlToText(htmlBody, htmlBody.length).trim())
  const key = `vacation ${to}`
  return { to, key, forMs: ANSWER_AGAIN_MS, subject: answerSubject(message, subject), text, html: htmlBody, from: null }
}

const AWAY_TEXT = 'I am away at the moment and will read your message when I am back.'

function scriptAnswer({ message }: Answered, vacation: SieveVacation, to: string): Answer {
  const { handle, seconds, subject, from, reason, mime } = vacation
  const said = mime ? readEntity(reason) : { text: reason, html: null }
  const key = `script ${handle} ${to}`
  return { to, key, forMs: seconds * 1_000, subject: answerSubject(message, subject), ...said, from }
}

/** RFC 5230 4.3: an entity with its header; its texts are taken over, so that nothing else of it can be. */
function readEntity(reason: string): { readonly text: string; readonly html: string | null } {
  const bytes = Buffer.from(reason)
  const { structure } = parseMessage(bytes)
  const textOf = (numbers: readonly number[], type: string) => {
    const part = structure.parts[(numbers[0] ?? 0) - 1]
    return part?.type === type ? decodePartText(bytes, part, { maxBytes: SIEVE_REASON_MAX_CHARS }).value : null
  }
  const html = textOf(structure.htmlBody, 'text/html')
  return {
    text: textOf(structure.textBody, 'text/plain') ?? htmlToText(html ?? '', SIEVE_REASON_MAX_CHARS).trim(),
    html,
  }
}

/** Decision D8: `Auto: ` before the subject of the message, unless it has one of its own. */
function answerSubject({ parsed }: SieveMessage, subject: string | null): string {
  const own = oneLine(subject ?? '')
  return (own || oneLine(`Auto: ${parsed.subject ?? ''}`)).slice(0, ANSWER_SUBJECT_MAX_CHARS)
}
