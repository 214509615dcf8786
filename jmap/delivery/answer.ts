/** Automatic replies (RFC 3834): whether a message gets one, and its content. */
import { ANSWER_AGAIN_MS, ANSWER_SUBJECT_MAX_CHARS } from '../../server/base/delivery-limits.ts'
import { SIEVE_REASON_MAX_CHARS } from '../../server/base/sieve-limits.ts'
import { isAutoSubmitted, precedenceOf } from '../mail/inbox-rules/automatic.ts'
import type { StoredVacationResponse } from '../mail/vacation/auto-reply.ts'
import { decodePartText } from '../message/decode.ts'
import { htmlToText } from '../message/html-text.ts'
import { baseAddress, normaliseAddress } from '../message/mail-address.ts'
import { oneLine } from '../message/reply-subject.ts'
import { parseMessage } from '../message/structure.ts'
import { epochOf } from '../protocol/primitives.ts'
import type { SieveMessage, SieveVacation } from '../sieve/index.ts'
import type { InboundVerdict } from './inbound-verdict.ts'

/** An automatic reply, to be sent unless the sender got one lately. */
export interface Answer {
  /** The reverse-path, normalised. */
  readonly to: string
  /** Key in the delivery memory, and how long it is remembered (ms). */
  readonly key: string
  readonly forMs: number
  readonly subject: string
  readonly text: string
  readonly html: string | null
  /** From; null: the address of the account. */
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

/** A vacation action of a script replaces the VacationResponse. */
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
  return (fromDate === null || epochOf(fromDate) <= now) && (toDate === null || now < epochOf(toDate))
}

/** RFC 3834 2: local parts of senders that are programs. */
const PROGRAMS =
  /^(?:owner-|mailer-daemon|listserv|majordomo|postmaster|bounces?[+-]|bounces?$|no[-_.]?reply|do[-_.]?not[-_.]?reply)|-(?:request|relay|owner|bounces?)$/

/** Why the message gets no reply, in words; null: it gets one. */
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

/** RFC 2369, RFC 2919: fields of mailing lists. */
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

/** A forged sender must not make this server write to the owner of the address (promise S9). */
function isForged(verdict: InboundVerdict | null): boolean {
  const { spf, dmarc } = verdict?.authentication ?? {}
  return dmarc?.result === 'fail' || spf?.result === 'fail' || spf?.result === 'softfail'
}

function recordAnswer({ message }: Answered, vacation: StoredVacationResponse, to: string): Answer {
  const { subject, textBody, htmlBody } = vacation
  // RFC 8621 8: without textBody, the text is made from htmlBody; without both, the server uses a default.
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

/** RFC 5230 4.3: a MIME entity with its header; only its texts are used. */
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

/** Decision D8: `Auto: ` and the subject of the message, unless the reply has a subject. */
function answerSubject({ parsed }: SieveMessage, subject: string | null): string {
  const own = oneLine(subject ?? '')
  return (own || oneLine(`Auto: ${parsed.subject ?? ''}`)).slice(0, ANSWER_SUBJECT_MAX_CHARS)
}
