/** Links arriving reports to their submission: its dsnBlobIds, mdnBlobIds, deliveryStatus (RFC 8621 7). */

import {
  REPORT_CANDIDATES_MAX,
  REPORT_MESSAGE_IDS_MAX,
  REPORTS_PER_SUBMISSION_MAX,
  SMTP_REPLY_MAX_CHARS,
} from '../../../server/base/outbound-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { recipientsOf, updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import { insertReport, reportsOf, submissionsOfMessages } from '../../../storage/repos/submission-reports.ts'
import { findSubmission } from '../../../storage/repos/submissions.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { MessageReport, ReportedRecipient } from '../../message/report.ts'
import type { Services } from '../../type/context.ts'
import { AddressParameters, EmailSubmission } from './email-submission.type.ts'
import { Consequences } from './outcomes.ts'
import type { ReturnToken } from './return-token.ts'

/** A report from outside, stored as a blob of the account. */
export interface ArrivedReport {
  readonly report: MessageReport
  readonly blob: number
  /** The return addresses that it was sent to: more reliable than its content. */
  readonly returned: readonly ReturnToken[]
}

/** Inside a unit of work: records the results in a report from a server that the message was handed over to. */
export async function linkReport(
  services: Services,
  unit: AccountUnit,
  { report, blob, returned }: ArrivedReport,
): Promise<void> {
  const token = returned.find(({ account, isAddressee }) => isAddressee && account === unit.account)
  const submission = token
    ? await findSubmission(unit, unit.account, token.submission)
    : await findReported(services, unit, report)
  // A report about a message that is not sent cannot be true.
  if (submission?.undo_status !== 'final') return
  if (!(await keepReport(unit, submission.id, report.kind, blob))) return
  const recipients = await recipientsOf(unit, unit.account, submission.id)
  const isNews =
    report.kind === 'dsn'
      ? // Reports to a return address are processed already, for the recipient that the address names (jmap/delivery/reports/take.ts).
        !token && (await noteDelivery(services, unit, submission, recipients, report.recipients))
      : await noteDisplay(unit, recipients, report)
  const list = report.kind === 'dsn' ? 'dsnBlobIds' : 'mdnBlobIds'
  unit.change('EmailSubmission', submission.id, 'u', isNews ? [list, 'deliveryStatus'] : [list])
}

/** Inside a unit of work: records a report of this server. The queue has the details. */
export async function linkOwnReport(unit: AccountUnit, submission: number, blob: number): Promise<void> {
  if (!(await findSubmission(unit, unit.account, submission))) return
  if (await keepReport(unit, submission, 'dsn', blob)) unit.change('EmailSubmission', submission, 'u', ['dsnBlobIds'])
}

/** false: the report is stored already, or the submission has enough. */
async function keepReport(unit: AccountUnit, submission: number, kind: 'dsn' | 'mdn', blob: number): Promise<boolean> {
  const known = await reportsOf(unit, unit.account, submission)
  if (known.length >= REPORTS_PER_SUBMISSION_MAX || known.some((row) => row.blob === blob)) return false
  await insertReport(unit, { submission, position: known.length, kind, blob })
  return true
}

/** By the envelope id that this server assigned (RFC 3461 4.4), else by the Message-ID. */
export async function findReported(
  services: Services,
  unit: AccountUnit,
  report: MessageReport,
): Promise<SubmissionTable | null> {
  const envelopeId = report.kind === 'dsn' ? report.envelopeId : null
  const own = envelopeId === null ? null : services.ids.decode(EmailSubmission, envelopeId)
  if (own) return own.account === unit.account ? findSubmission(unit, unit.account, own.object) : null
  const ids = report.messageIds.slice(0, REPORT_MESSAGE_IDS_MAX)
  if (ids.length === 0) return null
  const candidates = await submissionsOfMessages(unit, unit, ids, REPORT_CANDIDATES_MAX)
  const first = ids.find((id) => candidates.some((row) => row.message_id === id))
  const ofMessage = candidates.filter((row) => row.message_id === first)
  // The same message may have been sent several times.
  const named = ofMessage.find((row) => envelopeId !== null && envelopeIdOf(row) === envelopeId)
  return named ?? (await sentTo(unit, ofMessage, report)) ?? ofMessage[0] ?? null
}

function envelopeIdOf({ parameters }: SubmissionTable): string | null {
  const { ENVID = null } = AddressParameters.fromText(parameters) ?? {}
  return ENVID
}

async function sentTo(
  unit: AccountUnit,
  submissions: readonly SubmissionTable[],
  report: MessageReport,
): Promise<SubmissionTable | null> {
  const reported =
    report.kind === 'dsn' ? report.recipients.flatMap((recipient) => recipient.addresses) : report.addresses
  const addresses = reported.map(normaliseAddress)
  for (const submission of submissions) {
    const recipients = byAddress(await recipientsOf(unit, unit.account, submission.id))
    if (addresses.some((address) => address !== null && recipients.has(address))) return submission
  }
  return null
}

async function noteDelivery(
  services: Services,
  unit: AccountUnit,
  submission: SubmissionTable,
  recipients: readonly SubmissionRecipientTable[],
  reported: readonly ReportedRecipient[],
): Promise<boolean> {
  const told = new Set<SubmissionRecipientTable>()
  const known = byAddress(recipients)
  for (const one of reported) {
    // RFC 8621 7: only these two say whether it was delivered.
    if (one.action !== 'delivered' && one.action !== 'failed') continue
    const recipient = named(known, one.addresses) ?? only(recipients, reported)
    if (!recipient || isFinal(recipient) || told.has(recipient)) continue
    told.add(recipient)
    const delivered = one.action === 'delivered' ? 'yes' : 'no'
    const smtpReply = smtpReplyOf(one)
    const news = recipient.status === 'open' ? {} : { smtp_reply: smtpReply, tried_at: unit.now }
    await updateRecipient(unit, recipient.submission, recipient.position, { delivered, ...news })
    // Anyone who has the message could write this: it is reported, but counts neither for reputation nor for suppressions.
    const refusal = { isHard: false, isGone: false, smtpReply, counts: false }
    if (delivered === 'no') await new Consequences(services, unit, null).bounced(submission, recipient, refusal)
  }
  return told.size > 0
}

/** RFC 8621 7: `yes` and `no` are final. */
function isFinal({ status, host, delivered }: SubmissionRecipientTable): boolean {
  return delivered !== null || status === 'refused' || (status === 'sent' && host === null)
}

async function noteDisplay(
  unit: AccountUnit,
  recipients: readonly SubmissionRecipientTable[],
  { addresses, displayed }: { readonly addresses: readonly string[]; readonly displayed: boolean },
): Promise<boolean> {
  const recipient = named(byAddress(recipients), addresses) ?? only(recipients, [addresses])
  if (!displayed || !recipient || recipient.displayed === 1) return false
  await updateRecipient(unit, recipient.submission, recipient.position, { displayed: 1 })
  return true
}

/** Reports on forwarded mail name another address. With a single recipient it is clear which one is meant. */
function only(recipients: readonly SubmissionRecipientTable[], reported: readonly unknown[]) {
  return recipients.length === 1 && reported.length === 1 ? recipients[0] : undefined
}

type ByAddress = Map<string, SubmissionRecipientTable>

/** Recipients by address, and by ORCPT. */
function byAddress(recipients: readonly SubmissionRecipientTable[]): ByAddress {
  const map: ByAddress = new Map()
  for (const recipient of recipients) {
    const { ORCPT } = AddressParameters.fromText(recipient.parameters) ?? {}
    const orcpt = ORCPT ?? ''
    for (const name of [recipient.address, orcpt.slice(orcpt.indexOf(';') + 1)].map(normaliseAddress))
      if (name !== null && !map.has(name)) map.set(name, recipient)
  }
  return map
}

function named(recipients: ByAddress, addresses: readonly string[]): SubmissionRecipientTable | undefined {
  for (const address of addresses) {
    const recipient = recipients.get(normaliseAddress(address) ?? '')
    if (recipient) return recipient
  }
  return undefined
}

/** RFC 8621 7: code, enhanced status code, text, in one line. */
export function smtpReplyOf({
  action,
  status,
  smtpReply,
}: Pick<ReportedRecipient, 'action' | 'status' | 'smtpReply'>): string {
  const [code, enhanced, text] =
    action === 'delivered' ? ['250', '2.0.0', 'Delivered'] : ['550', '5.0.0', 'Delivery failed']
  if (!smtpReply) return `${code} ${status ?? enhanced} ${text}`
  const said = smtpReply.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, SMTP_REPLY_MAX_CHARS)
  return /^\d{3}[ -][245]\.\d{1,3}\.\d{1,3}\b/.test(said)
    ? `${said.slice(0, 3)} ${said.slice(4)}`
    : `${said.slice(0, 3)} ${status ?? `${said[0]}.0.0`} ${said.slice(4).trim()}`
}
