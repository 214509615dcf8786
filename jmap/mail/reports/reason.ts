/** Why mail was not delivered, from the words of servers: a reason, and whether it is permanent. Pure, and total. */

import { REASONS_ABROAD } from './other-languages.ts'
import { type BounceReason, REASON_WORDS } from './reason-words.ts'

export type { BounceReason } from './reason-words.ts'

export type BounceClass = 'hard' | 'soft' | 'policy'

/** `hard`: the address or its domain does not accept mail, now or later. `policy`: any address there would refuse the same mail. */
const CLASSES: { readonly [reason in BounceReason]: BounceClass } = {
  unknownUser: 'hard',
  unknownHost: 'hard',
  moved: 'hard',
  noMail: 'hard',
  mailboxFull: 'soft',
  disabled: 'soft',
  filtered: 'soft',
  tooLarge: 'soft',
  expired: 'soft',
  deferred: 'soft',
  network: 'soft',
  system: 'soft',
  spam: 'policy',
  virus: 'policy',
  blocked: 'policy',
  authentication: 'policy',
  sender: 'policy',
  policy: 'policy',
  undefined: 'soft',
}

export function classOf(reason: BounceReason): BounceClass {
  return CLASSES[reason]
}

/** The meaning of codes by RFC 3463 3, if they mean more than a failure. */
const STATUS: { readonly [detail: string]: BounceReason } = {
  '1.0': 'unknownUser',
  '1.1': 'unknownUser',
  '1.2': 'unknownHost',
  '1.3': 'unknownUser',
  '1.4': 'unknownUser',
  '1.6': 'moved',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.10': 'noMail',
  '2.1': 'disabled',
  '2.2': 'mailboxFull',
  '2.3': 'tooLarge',
  '3.1': 'system',
  '3.2': 'system',
  '3.4': 'tooLarge',
  '3.5': 'system',
  '4.1': 'network',
  '4.2': 'network',
  '4.3': 'network',
  '4.4': 'unknownHost',
  '4.5': 'network',
  '4.6': 'network',
  '4.7': 'expired',
}

export interface Said {
  /** RFC 3463, such as `5.1.1`. */
  readonly status: string | null
  /** The server's words about this recipient. */
  readonly diagnosis: string
  /** The text of the whole notice, and the reason in it: used if the diagnosis is unclear. */
  readonly notice: { readonly text: string; readonly reason: BounceReason | null }
  readonly isDelayed: boolean
}

export function reasonOf({ status, diagnosis, notice, isDelayed }: Said): BounceReason {
  const said = reasonInWords(diagnosis)
  const coded = reasonOfStatus(status)
  // A name that is not found today may be found tomorrow.
  if (status?.startsWith('4') && (said === 'unknownHost' || said === 'noMail') && !isDelayed) return 'network'
  // A recipient that is called disabled in the same sentence exists.
  if (said === 'unknownUser' && /account (?:is|has been) (?:disabled|suspended)/i.test(notice.text)) return 'disabled'
  if (said === 'unknownUser' && coded === 'moved') return coded
  // RFC 3463 3.5: a routing loop is about systems, not about a user.
  if (said === 'unknownUser' && status?.endsWith('.4.6')) return 'network'
  if (said === 'unknownUser' && coded !== 'unknownUser')
    return isSaidOfRecipient(diagnosis, notice.text) ? said : 'filtered'
  // Vague words are less certain than a code.
  if (said !== null && !(said === 'policy' && coded !== null)) return said
  if (coded !== null) return coded
  return notice.reason ?? (isDelayed ? 'expired' : 'undefined')
}

/**
 * Whether a server refused a recipient and not the message: filters use the same words at the end of data, about mailboxes that exist.
 * The words of a system about its own users count without a reply code.
 */
function isSaidOfRecipient(diagnosis: string, notice: string): boolean {
  if (!/\b550\b/.test(diagnosis) || /\b5\.5\.0\b/.test(diagnosis)) return true
  const where = /end of data|>>> DATA|command:? DATA|after (?:end of )?data/i
  if (where.test(diagnosis)) return false
  return (
    /\bRCPT\b|does not like recipient|recipient address rejected/i.test(diagnosis) ||
    (/\bRCPT\b/i.test(notice) && !where.test(notice))
  )
}

const ADDRESSES = /<?[^\s<>@]{1,128}@[^\s<>@]{1,255}>?/g

export function reasonInWords(text: string): BounceReason | null {
  const saidIn = (said: string) => REASON_WORDS.find(([, words]) => words.test(said))?.[0]
  // "User <ann@example.org> unknown": the address separates the words.
  return (
    saidIn(text) ??
    saidIn(text.replace(ADDRESSES, ' ')) ??
    REASONS_ABROAD.find(([, words]) => words.test(text))?.[0] ??
    null
  )
}

function reasonOfStatus(status: string | null): BounceReason | null {
  const [kind, subject, detail] = status?.split('.') ?? []
  if (kind === undefined || kind === '2') return null
  return STATUS[`${subject}.${detail}`] ?? (subject === '7' ? 'policy' : null)
}
