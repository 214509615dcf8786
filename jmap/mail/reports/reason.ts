/** Why mail was not delivered, from the words of servers: a reason, and whether it is permanent. Pure, and total. */

import { REASONS_ABROAD } from './other-languages.ts'
import type { BounceRules } from './rules/all.ts'
import { reasonOfReply, reasonOfStatus } from './rules/codes.ts'
import type { BounceReason, ReasonRule } from './rules/rule.ts'
import { type SmtpStage, stageIn } from './smtp-stage.ts'

export type { BounceReason } from './rules/rule.ts'

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

export interface Said {
  /** RFC 3463, such as `5.1.1`. */
  readonly status: string | null
  /** RFC 5321 4.2.3 */
  readonly code: number | null
  /** The server's words about this recipient. */
  readonly diagnosis: string
  /** The text of the whole notice, the reason and the refused command in it: used if the diagnosis is unclear. */
  readonly notice: { readonly text: string; readonly reason: BounceReason | null; readonly stage: SmtpStage | null }
  readonly isDelayed: boolean
}

/** Refusals of the connection and of the sender, if the words mean nothing. */
const STAGES: { readonly [stage in SmtpStage]?: BounceReason } = { connect: 'blocked', HELO: 'blocked', MAIL: 'sender' }

export function reasonOf({ status, code, diagnosis, notice, isDelayed }: Said, rules: BounceRules): BounceReason {
  const told = ruleInWords(diagnosis, rules)
  const said = told?.reason ?? null
  const coded = reasonOfStatus(status)
  const isTemporary = code === null ? status?.startsWith('4') : code < 500
  // A name that is not found today may be found tomorrow.
  if (status?.startsWith('4') && (said === 'unknownHost' || said === 'noMail') && !isDelayed) return 'network'
  // A recipient that is called disabled in the same sentence exists.
  if (said === 'unknownUser' && /account (?:is|has been) (?:disabled|suspended)/i.test(notice.text)) return 'disabled'
  if (said === 'unknownUser' && coded === 'moved') return coded
  // RFC 3463 3.5: a routing loop is about systems, not about a user.
  if (said === 'unknownUser' && status?.endsWith('.4.6')) return 'network'
  // RFC 3463 3.2: the address is the subject of the code, whatever its detail.
  if (
    said === 'unknownUser' &&
    !SURE.includes(told!.name) &&
    !status?.startsWith('5.1.') &&
    (coded === null || classOf(coded) !== 'hard')
  )
    return isSaidOfRecipient(diagnosis, notice.stage) ? said : filterReason(diagnosis, rules)
  const stage = stageIn(diagnosis) ?? notice.stage
  const atStage = stage !== null && code !== null && code >= 500 ? STAGES[stage] : undefined
  // RFC 5321 3.1: who refuses the connection for good refuses the client.
  if (stage === 'connect' && atStage !== undefined && told !== null && classOf(told.reason) === 'soft') return atStage
  if (told !== null && !isVaguer(told, coded, diagnosis.includes(status ?? ' ')))
    return told.name === 'rejected' && isTemporary ? 'deferred' : told.reason
  if (coded !== null) return coded
  if (atStage !== undefined) return atStage
  return reasonOfReply(code) ?? notice.reason ?? (isDelayed ? 'expired' : isTemporary ? 'deferred' : 'undefined')
}

/** Rules whose words no filter uses. */
const SURE = ['unroutable-address', 'resolver']
/** Rules whose words do not exclude that there is no such mailbox. */
const MAY_MEAN_UNKNOWN = ['mailbox-disabled', 'disabled-mailbox']

/** Vague words are less certain than a code. A command that fails says by its exit code why (sysexits.h). */
function isVaguer({ reason, name }: Told, coded: BounceReason | null, isOfReply: boolean): boolean {
  if (coded === null) return false
  if (reason === 'policy') return isOfReply || name === 'rejected'
  return (reason === 'system' || MAY_MEAN_UNKNOWN.includes(name)) && classOf(coded) === 'hard'
}

/** A filter that calls the mailbox unknown may say more. */
function filterReason(diagnosis: string, { reasons }: BounceRules): BounceReason {
  const more = reasons.find(({ reason, words }) => classOf(reason) === 'policy' && words.test(diagnosis))
  return more && more.name !== 'rejected' ? more.reason : 'filtered'
}

/**
 * Whether a server refused a recipient and not the message: filters use the same words at the end of data, about mailboxes that exist.
 * The words of a system about its own users count without a reply code.
 */
function isSaidOfRecipient(diagnosis: string, noticeStage: SmtpStage | null): boolean {
  if (!/\b550\b/.test(diagnosis) || /\b5\.5\.0\b/.test(diagnosis)) return true
  const stage = stageIn(diagnosis) ?? (/recipient address rejected/i.test(diagnosis) ? 'RCPT' : noticeStage)
  return stage === 'RCPT'
}

const ADDRESSES = /<?[^\s<>@]{1,128}@[^\s<>@]{1,255}>?/g

export function reasonInWords(text: string, rules: BounceRules): BounceReason | null {
  return ruleInWords(text, rules)?.reason ?? null
}

type Told = Pick<ReasonRule, 'reason' | 'name'>

function ruleInWords(text: string, { reasons }: BounceRules): Told | null {
  const saidIn = (said: string) => reasons.find(({ words }) => words.test(said))
  // "User <ann@example.org> unknown": the address separates the words.
  const told = saidIn(text) ?? saidIn(text.replace(ADDRESSES, ' '))
  if (told) return told
  const abroad = REASONS_ABROAD.find(([, words]) => words.test(text))?.[0]
  return abroad === undefined ? null : { reason: abroad, name: abroad }
}
