/**
 * What follows from the fate of a recipient, in the unit of work that records it: events (decision D24), the counts that the
 * organization's reputation is made of (decision D26), suppressions (decision D25).
 */

import type { AccountUnit } from '../../../storage/ports.ts'
import { packedEmail } from '../../../storage/repos/queued.ts'
import { addToTally } from '../../../storage/repos/sending-tally.ts'
import { updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import type { Services } from '../../context.ts'
import { appendEvent } from '../../events/append.ts'
import { suppress } from '../../service/suppression/suppress.ts'
import { Email } from '../email/email.type.ts'
import { packedLines, packedText } from '../email/packed.ts'

/** Why a recipient could not be reached, as far as it matters here. */
export interface Refusal {
  /** The address, or its domain, takes no mail now or later. */
  readonly isHard: boolean
  /** The recipient is named as gone: nothing more is to be sent there. */
  readonly isGone: boolean
  /** One line. */
  readonly smtpReply: string
}

/** What is told of a submission, and of a recipient. */
type Told = Pick<SubmissionTable, 'id' | 'email' | 'mail_from'>
type ToldRecipient = Pick<SubmissionRecipientTable, 'position' | 'address' | 'status' | 'delivered' | 'bounced'>

/** Collects what follows for one mailbox within one unit of work. */
export class Consequences {
  readonly #services: Services
  readonly #unit: AccountUnit
  readonly #organization: AccountUnit | null
  #mailboxId: string | null = null
  readonly #tally = { recipients: 0, bounces: 0, complaints: 0 }

  /** @param organization whose list of suppressions it is; null: nothing that comes can mean one */
  constructor(services: Services, unit: AccountUnit, organization: AccountUnit | null) {
    this.#services = services
    this.#unit = unit
    this.#organization = organization
  }

  /** The first acceptance of a message. @param recipients all of them */
  async sent(submission: Told, recipients: readonly Pick<ToldRecipient, 'address'>[]): Promise<void> {
    if (isOwn(submission)) return
    const packed = await packedEmail(this.#unit, this.#unit.account, submission.email)
    const subject = packed === null ? null : (JSON.parse(packedText(packedLines(packed), 'subject')) as string | null)
    const to = recipients.map(({ address }) => address)
    await appendEvent(this.#unit, 'message.sent', { ...this.#about(submission), to, subject: subject ?? '' })
  }

  /** A server, or a mailbox of ours, has taken it. */
  async delivered(submission: Told, { address, bounced }: Pick<ToldRecipient, 'address' | 'bounced'>): Promise<void> {
    if (isOwn(submission)) return
    // Its bounce may have been faster than the worker, and has counted it.
    if (bounced !== 1) this.#tally.recipients++
    await appendEvent(this.#unit, 'message.delivered', { ...this.#about(submission), to: address })
  }

  /** Told once, and counted once: who says so unasked is told of, but not counted. */
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
        // Decision D24: what is tried again is not told of.
        bounce_type: 'permanent',
        smtp_code: Number(/^\d{3}/.exec(smtpReply)?.[0] ?? '') || null,
        diagnostic: smtpReply,
      })
    if (!counts || bounced === 1) return
    await updateRecipient(this.#unit, submission.id, recipient.position, { bounced: 1 })
    // Who was accepted before is among the recipients already.
    if (status === 'open') this.#tally.recipients++
    if (isHard) this.#tally.bounces++
    if (isGone) await this.#suppress(submission, address, { reason: 'hard_bounce', smtpResponse: smtpReply })
  }

  /** Told once. @param counts as of `bounced` */
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

  /** At the end, once. */
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
    await suppress(this.#organization, address, { ...cause, sourceMessageId })
  }
}

/** Notices and automatic replies of this server's own, with the null sender, are nobody's sending (decision D8). */
function isOwn({ mail_from }: Told): boolean {
  return mail_from === ''
}
