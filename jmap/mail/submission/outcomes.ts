/**
 * The effects of a recipient's result, in the unit of work that records it: events (decision D24), the counts behind the organization's
 * reputation (decision D26), suppressions (decision D25).
 */

import type { AccountUnit } from '../../../storage/ports.ts'
import { packedEmail } from '../../../storage/repos/queued.ts'
import { addToTally } from '../../../storage/repos/sending-tally.ts'
import { updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import { appendEvent } from '../../events/append.ts'
import { suppress } from '../../policy/suppression/suppress.ts'
import type { Services } from '../../type/context.ts'
import { Email } from '../email/email.type.ts'
import { packedLines, packedValue } from '../email/packed.ts'
import { noteUndelivered } from './undelivered.ts'

/** Why a recipient could not be reached. */
export interface Refusal {
  /** The address, or its domain, accepts no mail now or later. */
  readonly isHard: boolean
  /** The recipient is reported as gone: no more mail must be sent to it. */
  readonly isGone: boolean
  /** One line. */
  readonly smtpReply: string
}

/** The reported properties of a submission, and of a recipient. */
type Told = Pick<SubmissionTable, 'id' | 'email' | 'mail_from' | 'calendar_event'>
type ToldRecipient = Pick<SubmissionRecipientTable, 'position' | 'address' | 'status' | 'delivered' | 'bounced'>

/** Collects the effects for one mailbox within one unit of work. */
export class Consequences {
  readonly #services: Services
  readonly #unit: AccountUnit
  readonly #organization: AccountUnit | null
  #mailboxId: string | null = null
  readonly #tally = { recipients: 0, bounces: 0, complaints: 0 }

  /** @param organization the owner of the suppression list; null: no result can lead to a suppression */
  constructor(services: Services, unit: AccountUnit, organization: AccountUnit | null) {
    this.#services = services
    this.#unit = unit
    this.#organization = organization
  }

  /** The first acceptance of a message. @param recipients all of them */
  async sent(submission: Told, recipients: readonly Pick<ToldRecipient, 'address'>[]): Promise<void> {
    if (isOwn(submission)) return
    const packed = await packedEmail(this.#unit, this.#unit.account, submission.email)
    const subject = packed === null ? null : packedValue(packedLines(packed), 'subject')
    const to = recipients.map(({ address }) => address)
    await appendEvent(this.#unit, 'message.sent', { ...this.#about(submission), to, subject: subject ?? '' })
  }

  /** A server, or a mailbox of this server, has accepted it. */
  async delivered(submission: Told, { address, bounced }: Pick<ToldRecipient, 'address' | 'bounced'>): Promise<void> {
    if (isOwn(submission)) return
    // The bounce may have come before the worker's report, and has counted it.
    if (bounced !== 1) this.#tally.recipients++
    await appendEvent(this.#unit, 'message.delivered', { ...this.#about(submission), to: address })
  }

  /** Reported once and counted once. An unauthenticated bounce is reported but not counted. */
  async bounced(
    submission: Told,
    recipient: ToldRecipient,
    refusal: Refusal & { readonly counts: boolean },
  ): Promise<void> {
    if (isOwn(submission)) return
    const { address, delivered, bounced, status } = recipient
    const { smtpReply, isHard, isGone, counts } = refusal
    if (delivered !== 'no')
      await appendEvent(this.#unit, 'message.bounced', {
        ...this.#about(submission),
        to: address,
        // Decision D24: temporary failures are not reported.
        bounce_type: 'permanent',
        smtp_code: Number(/^\d{3}/.exec(smtpReply)?.[0] ?? '') || null,
        diagnostic: smtpReply,
      })
    if (!counts || bounced === 1) return
    if (submission.calendar_event !== null)
      await noteUndelivered(this.#unit, submission.calendar_event, { undelivered: address, reason: smtpReply })
    await updateRecipient(this.#unit, submission.id, recipient.position, { bounced: 1 })
    // A recipient that was accepted before is counted already.
    if (status === 'open') this.#tally.recipients++
    if (isHard) this.#tally.bounces++
    if (isGone) await this.#suppress(submission, address, { reason: 'hard_bounce', smtpResponse: smtpReply })
  }

  /** Reported once. @param counts as for `bounced` */
  async complained(
    submission: Told,
    { address, complained }: Pick<SubmissionRecipientTable, 'address' | 'complained'>,
    counts: boolean,
  ): Promise<void> {
    if (isOwn(submission)) return
    if (!complained) await appendEvent(this.#unit, 'message.complained', { ...this.#about(submission), to: address })
    if (!counts) return
    this.#tally.complaints++
    await this.#suppress(submission, address, { reason: 'complaint' })
  }

  /** Called once, at the end. */
  async finish(): Promise<void> {
    const { recipients, bounces, complaints } = this.#tally
    if (recipients + bounces + complaints > 0) await addToTally(this.#unit, this.#tally)
  }

  #about({ email }: Told) {
    const { ids } = this.#services
    const { account } = this.#unit
    this.#mailboxId ??= ids.accountId('mailbox', account)
    return { message_id: ids.encode(Email, account, email), mailbox_id: this.#mailboxId }
  }

  async #suppress(
    { email }: Told,
    address: string,
    cause: { readonly reason: 'hard_bounce' | 'complaint'; readonly smtpResponse?: string },
  ): Promise<void> {
    if (this.#organization === null) return
    const sourceMessageId = this.#services.ids.encode(Email, this.#unit.account, email)
    await suppress(this.#organization, this.#services.ids, address, { ...cause, sourceMessageId })
  }
}

/** Notices and automatic replies of this server, with the null sender, do not count as sends (decision D8). */
function isOwn({ mail_from }: Told): boolean {
  return mail_from === ''
}
