/**
 * What becomes of the messages of newsletters: results of attempts, bounces and complaints, each in the unit of work of the organization
 * that records it. Subscribers move (decision D18), suppressions and reputation follow (decisions D25, D26).
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findRecipient, noteRecipient, updateRecipients } from '../../../storage/repos/newsletter-recipients.ts'
import { addToTally } from '../../../storage/repos/sending-tally.ts'
import type { NewsletterRecipientTable } from '../../../storage/schema/tables.ts'
import { suppress } from '../../policy/suppression/suppress.ts'
import type { Services } from '../../type/context.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { RunChanges } from './run-state.ts'

/** The result of one attempt. */
export interface CopyOutcome {
  readonly status: 'sent' | 'refused' | 'deferred'
  readonly smtpReply: string
}

/** Why a recipient could not be reached (jmap/mail/submission/outcomes.ts). */
export interface CopyRefusal {
  readonly isHard: boolean
  readonly isGone: boolean
  readonly smtpReply: string
}

export class CopyOutcomes {
  readonly #services: Pick<Services, 'ids'>
  readonly #unit: AccountUnit
  readonly #changes: RunChanges
  readonly #tally = { recipients: 0, bounces: 0, complaints: 0 }

  /** @param unit of the organization */
  constructor(services: Pick<Services, 'ids'>, unit: AccountUnit) {
    this.#services = services
    this.#unit = unit
    this.#changes = new RunChanges(unit, services.ids)
  }

  /** Of a message whose lease the caller has ended. @param refusal of one that was refused */
  async attempted(id: number, { status, smtpReply }: CopyOutcome, refusal: CopyRefusal | null): Promise<void> {
    const recipient = await findRecipient(this.#unit, this.#unit.account, id)
    if (!recipient) return
    const { newsletter } = recipient
    if (status === 'deferred') {
      await noteRecipient(this.#unit, id, { status: recipient.status, reason: smtpReply, finishedAt: null })
      return
    }
    // The bounce may have come before the worker's report.
    if (recipient.status !== 'queued') return
    const isBounce = status === 'refused'
    await noteRecipient(this.#unit, id, {
      status: isBounce ? 'bounced' : 'delivered',
      reason: smtpReply,
      finishedAt: this.#unit.now,
    })
    this.#changes.add(newsletter, { queued: -1, ...(isBounce ? { bounced: 1 } : { delivered: 1 }) })
    this.#changes.finished(newsletter, refusal?.isHard ?? false)
    this.#tally.recipients++
    if (refusal) await this.#refused(recipient, refusal)
  }

  /** An authenticated report came back: once for each recipient. @returns whether it is news */
  async bounced(recipient: NewsletterRecipientTable, refusal: CopyRefusal): Promise<boolean> {
    if (recipient.status !== 'delivered' && recipient.status !== 'queued') return false
    const { newsletter, id, status } = recipient
    const reason = refusal.smtpReply
    await noteRecipient(this.#unit, id, { status: 'bounced', reason, finishedAt: this.#unit.now })
    // The message was counted when it was delivered, unless its attempt has not been reported yet.
    this.#changes.add(newsletter, { [status]: -1, bounced: 1 })
    this.#changes.finished(newsletter, refusal.isHard)
    if (status === 'queued') this.#tally.recipients++
    await this.#refused(recipient, refusal)
    return true
  }

  /** @param counts whether it is authenticated: others are shown only */
  async complained(recipient: NewsletterRecipientTable, counts: boolean): Promise<boolean> {
    if (recipient.complained === 1 || (recipient.complained === 2 && !counts)) return false
    const { newsletter, id, address } = recipient
    await updateRecipients(this.#unit, [id], { complained: counts ? 1 : 2 })
    if (recipient.complained === 0) this.#changes.add(newsletter, { complained: 1 })
    if (!counts) return true
    this.#tally.complaints++
    await this.#suppress(newsletter, address, { reason: 'complaint' })
    return true
  }

  /** Called once, at the end. */
  async finish(): Promise<void> {
    await this.#changes.keep()
    const { recipients, bounces, complaints } = this.#tally
    if (recipients + bounces + complaints > 0) await addToTally(this.#unit, this.#tally)
  }

  async #refused({ newsletter, address }: NewsletterRecipientTable, refusal: CopyRefusal): Promise<void> {
    if (refusal.isHard) this.#tally.bounces++
    if (refusal.isGone)
      await this.#suppress(newsletter, address, { reason: 'hard_bounce', smtpResponse: refusal.smtpReply })
  }

  async #suppress(
    newsletter: number,
    address: string,
    cause: { readonly reason: 'hard_bounce' | 'complaint'; readonly smtpResponse?: string },
  ): Promise<void> {
    const { ids } = this.#services
    const newsletterId = ids.encode(Newsletter, this.#unit.account, newsletter)
    await suppress(this.#unit, ids, address, { ...cause, newsletterId })
  }
}
