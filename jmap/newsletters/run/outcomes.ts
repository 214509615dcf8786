/**
 * What becomes of the messages of newsletters: results of attempts, bounces and complaints, each in the unit of work of the organization
 * that records it. Subscribers move (decision D18), suppressions and reputation follow (decisions D25, D26).
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  findRecipients,
  noteRecipients,
  type RecipientNote,
  updateRecipients,
} from '../../../storage/repos/newsletter-recipients.ts'
import { addToTally } from '../../../storage/repos/sending-tally.ts'
import type { NewsletterRecipientTable } from '../../../storage/schema/tables.ts'
import { suppress } from '../../policy/suppression/suppress.ts'
import type { Services } from '../../type/context.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { RunChanges } from './run-state.ts'

/** The result of one attempt at the message of a recipient. */
export interface CopyAttempt {
  /** Number of the recipient. */
  readonly id: number
  readonly status: 'sent' | 'refused' | 'deferred'
  readonly smtpReply: string
  /** Of one that was refused. */
  readonly refusal: CopyRefusal | null
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

  /** Results of attempts, each of a message whose lease the caller has ended. Together, in few statements. */
  async attempted(attempts: readonly CopyAttempt[]): Promise<void> {
    const unit = this.#unit
    const ids = attempts.map(({ id }) => id)
    const found = new Map((await findRecipients(unit, unit.account, ids)).map((row) => [row.id, row]))
    const notes: RecipientNote[] = []
    const refused: (() => Promise<void>)[] = []
    for (const { id, status, smtpReply: reason, refusal } of attempts) {
      const recipient = found.get(id)
      if (!recipient) continue
      if (status === 'deferred') notes.push({ id, status: recipient.status, reason, finished_at: null })
      // The bounce may have come before the worker's report.
      if (status === 'deferred' || recipient.status !== 'queued') continue
      const isBounce = status === 'refused'
      notes.push({ id, status: isBounce ? 'bounced' : 'delivered', reason, finished_at: unit.now })
      this.#changes.add(recipient.newsletter, { queued: -1, ...(isBounce ? { bounced: 1 } : { delivered: 1 }) })
      this.#changes.finished(recipient.newsletter, refusal?.isHard ?? false)
      this.#tally.recipients++
      if (refusal) refused.push(() => this.#refused(recipient, refusal))
    }
    await noteRecipients(unit, notes)
    for (const follow of refused) await follow()
  }

  /** An authenticated report came back: once for each recipient. @returns whether it is news */
  async bounced(recipient: NewsletterRecipientTable, refusal: CopyRefusal): Promise<boolean> {
    if (recipient.status !== 'delivered' && recipient.status !== 'queued') return false
    const { newsletter, id, status } = recipient
    const reason = refusal.smtpReply
    await noteRecipients(this.#unit, [{ id, status: 'bounced', reason, finished_at: this.#unit.now }])
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
