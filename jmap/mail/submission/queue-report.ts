/** Records the results of attempts for each recipient, with all effects in one unit of work. */

import type { AccountUnit } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import {
  endLeases,
  finishIfDone,
  type RecipientWithSubmission,
  recipientsWithSubmission,
} from '../../../storage/repos/queued.ts'
import { noteAttempt } from '../../../storage/repos/submission-recipients.ts'
import { updateSubmission } from '../../../storage/repos/submissions.ts'
import { type CopyAttempt, CopyOutcomes } from '../../newsletters/run/outcomes.ts'
import type { Services } from '../../type/context.ts'
import { refusalOfReply } from '../reports/refusal.ts'
import { Consequences, type Refusal } from './outcomes.ts'

/** The result of one attempt for the open recipients of one destination. */
export interface AttemptReport {
  readonly account: number
  readonly submission: number
  readonly lease: string
  readonly outcomes: readonly RecipientOutcome[]
  /** Epoch ms of the next attempt for `deferred` recipients; null: no recipient is left open. */
  readonly retryAt: number | null
}

export interface RecipientOutcome {
  readonly address: string
  /** `sent`: the next hop accepted the message. `refused`: permanent, or expired. `deferred`: tried again at retryAt. */
  readonly status: 'sent' | 'refused' | 'deferred'
  /**
   * The server's reply in the form of RFC 8621 7 (DeliveryStatus.smtpReply): one line `550 5.1.1 text`, generated for failures without
   * a reply.
   */
  readonly smtpReply: string
  /** Host that replied; null: this server, which stored the message in the mailbox. */
  readonly host: string | null
}

/** A report under a lease that has passed to another worker changes nothing. */
export async function reportAttempts(services: Services, reports: readonly AttemptReport[]): Promise<void> {
  // One unit of work for all reports of an account: they share its row and one commit.
  const accounts = Map.groupBy(reports, ({ account }) => account)
  await Promise.all(
    [...accounts].map(async ([account, of]) => {
      const organization = of.some(mayMeanGone) ? await organizationOf(services, account) : null
      const locked = organization === null || organization === account ? [account] : [account, organization]
      await services.store.write(locked, async (work) => {
        const unit = work.account(account)
        const consequences = new Consequences(services, unit, organization === null ? null : work.account(organization))
        const copies = new CopyOutcomes(services, unit)
        await takeAll(unit, of, consequences, copies)
        await consequences.finish()
        await copies.finish()
      })
    }),
  )
}

/** Only then may the organization's suppression list change, for which the organization must be locked. */
function mayMeanGone({ outcomes }: AttemptReport): boolean {
  return outcomes.some((outcome) => outcome.status === 'refused' && refusalOf(outcome).isGone)
}

function organizationOf({ store }: Services, account: number): Promise<number | null> {
  return store.read(async (reader) => (await findAccount(reader, account))?.organization ?? null)
}

function refusalOf({ smtpReply, host }: RecipientOutcome): Refusal {
  return refusalOfReply(smtpReply, host)
}

async function takeAll(
  unit: AccountUnit,
  reports: readonly AttemptReport[],
  consequences: Consequences,
  copies: CopyOutcomes,
): Promise<void> {
  // The lease proves that no other worker holds the entry: it ends first, in the same commit as all effects.
  const ended = await endLeases(unit, reports)
  const ofNewsletters: AttemptReport[] = []
  for (const [i, report] of reports.entries()) {
    const held = ended[i]
    if (!held) continue
    if (held.newsletter !== null) ofNewsletters.push(report)
    else await take(unit, report, held.destination, consequences)
  }
  await copies.attempted(ofNewsletters.flatMap(attemptsOf))
}

function attemptsOf({ submission: id, outcomes }: AttemptReport): CopyAttempt[] {
  return outcomes.map((outcome) => {
    const { status, smtpReply } = outcome
    return { id, status, smtpReply, refusal: status === 'refused' ? refusalOf(outcome) : null }
  })
}

async function take(
  unit: AccountUnit,
  report: AttemptReport,
  destination: string,
  consequences: Consequences,
): Promise<void> {
  const recipients = await recipientsWithSubmission(unit, unit.account, report.submission)
  const [submission] = recipients
  if (!submission) return
  const told = tellings(recipients, report, destination)
  // Decision D24: a message counts as sent when the first server has accepted it.
  const wasSent = recipients.some(({ status }) => status === 'sent')
  if (!wasSent && told.some(([, { status }]) => status === 'sent')) await consequences.sent(submission, recipients)
  for (const [recipient, outcome] of told) {
    await noteAttempt(unit, report.submission, recipient.position, {
      status: outcome.status === 'deferred' ? 'open' : outcome.status,
      smtp_reply: outcome.smtpReply,
      host: outcome.host,
    })
    if (outcome.status === 'sent') await consequences.delivered(submission, recipient)
    if (outcome.status === 'refused')
      await consequences.bounced(submission, recipient, { ...refusalOf(outcome), counts: true })
  }
  if (report.retryAt === null) await finishIfDone(unit, report.submission)
  if (submission.undo_status === 'pending') await updateSubmission(unit, report.submission, { undo_status: 'final' })
  unit.change('EmailSubmission', report.submission, 'u', ['deliveryStatus'])
}

/** The recipients of a report: the open ones of its destination, each once. */
function tellings(
  recipients: readonly RecipientWithSubmission[],
  { outcomes }: AttemptReport,
  destination: string,
): (readonly [RecipientWithSubmission, RecipientOutcome])[] {
  const open = new Set(recipients.filter((row) => row.status === 'open' && row.destination === destination))
  return outcomes.flatMap((outcome) => {
    for (const recipient of open) {
      if (recipient.address !== outcome.address) continue
      open.delete(recipient)
      return [[recipient, outcome] as const]
    }
    return []
  })
}
