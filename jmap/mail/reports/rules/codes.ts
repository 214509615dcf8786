/** What codes mean if they mean more than a failure. */
import type { BounceReason } from './rule.ts'

/**
 * Subject and detail of enhanced status codes: RFC 3463 3, RFC 4954 6, RFC 5248, RFC 6531, RFC 7293, RFC 7372, RFC 7505, RFC 8689, as in
 * IANA's registry.
 */
const DETAILS: { readonly [detail: string]: BounceReason } = {
  '1.0': 'unknownUser',
  '1.1': 'unknownUser',
  '1.2': 'unknownHost',
  '1.3': 'unknownUser',
  '1.4': 'unknownUser',
  '1.6': 'moved',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.9': 'system',
  '1.10': 'noMail',
  '2.1': 'disabled',
  '2.2': 'mailboxFull',
  '2.3': 'tooLarge',
  '2.4': 'filtered',
  '3.1': 'system',
  '3.2': 'system',
  '3.3': 'system',
  '3.4': 'tooLarge',
  '3.5': 'system',
  '4.1': 'network',
  '4.2': 'network',
  '4.3': 'network',
  '4.4': 'unknownHost',
  '4.5': 'network',
  '4.6': 'network',
  '4.7': 'expired',
  '5.2': 'policy',
  '5.3': 'blocked',
  '5.4': 'system',
  '5.5': 'system',
  '5.6': 'policy',
  '7.13': 'disabled',
  '7.16': 'tooLarge',
  '7.17': 'moved',
  '7.18': 'moved',
  '7.20': 'authentication',
  '7.21': 'authentication',
  '7.22': 'authentication',
  '7.23': 'authentication',
  '7.24': 'authentication',
  '7.25': 'blocked',
  '7.26': 'authentication',
  '7.27': 'sender',
  '7.28': 'spam',
  '7.29': 'authentication',
}

/** RFC 3463 3.7, 3.8: what is wrong with the content, or not permitted. */
const SUBJECTS: { readonly [subject: string]: BounceReason } = { 6: 'policy', 7: 'policy' }

export function reasonOfStatus(status: string | null): BounceReason | null {
  const [kind, subject, detail] = status?.split('.') ?? []
  if (kind === undefined || kind === '2') return null
  // RFC 3463 3.4: for good, the host accepts no mail (RFC 7504 4).
  if (kind === '5' && subject === '3' && detail === '2') return 'noMail'
  return DETAILS[`${subject}.${detail}`] ?? SUBJECTS[subject ?? ''] ?? null
}

/** RFC 5321 4.2.3, RFC 7504, RFC 4954 6: replies that mean one thing. */
const REPLIES: { readonly [code: number]: BounceReason } = {
  452: 'system',
  521: 'noMail',
  530: 'policy',
  535: 'policy',
  551: 'moved',
  552: 'mailboxFull',
  553: 'unknownUser',
  556: 'noMail',
}

export function reasonOfReply(code: number | null): BounceReason | null {
  if (code === null) return null
  return REPLIES[code] ?? (code >= 500 && code < 505 ? 'policy' : null)
}
