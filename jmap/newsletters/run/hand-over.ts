/**
 * Messages of newsletters that a worker of the queue has claimed. Each is made now, from the template of its newsletter and from the
 * subscriber as it is now. Whether it may still be sent is read at every attempt, so that nothing goes to who has left (decision D19).
 */
import { Turns } from '../../../server/base/turns.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import {
  noteRecipients,
  type RecipientNote,
  type RecipientWithSubscriber,
  recipientsWithSubscribers,
} from '../../../storage/repos/newsletter-recipients.ts'
import { findTemplate } from '../../../storage/repos/newsletter-runs.ts'
import { findNewsletter } from '../../../storage/repos/newsletters.ts'
import { unmailableAmong } from '../../../storage/repos/opt-outs.ts'
import type { ClaimedRow } from '../../../storage/repos/outgoing-leases.ts'
import { endLeases } from '../../../storage/repos/queued.ts'
import type { NewsletterTable } from '../../../storage/schema/tables.ts'
import { domainOf } from '../../message/mail-address.ts'
import { returnSends } from '../../policy/plan.ts'
import type { Services } from '../../type/context.ts'
import { mergeValues } from '../links/merge-values.ts'
import { unsubscribeUrl } from '../links/recipient-links.ts'
import { Subscriber } from '../subscriber/subscriber.type.ts'
import { type MessageTemplate, writeCopy } from './message-template.ts'
import { messageIdOf } from './recipient-ids.ts'
import { RunChanges } from './run-state.ts'

/** Why a message is not sent. `waits`: its newsletter is not sending now. `gone`: nothing is known of it any more. */
export type NotSent = SkipReason | 'waits' | 'gone'

export const SKIP_REASONS = ['not_mailable', 'not_subscribed', 'deleted'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

export type HandOver =
  | { readonly notSent: NotSent }
  /** The message cannot be made, which must not hold up others. */
  | { readonly error: unknown }
  | {
      readonly address: string
      readonly mailFrom: string
      /** Epoch ms. */
      readonly queuedAt: number
      readonly bytes: Uint8Array
    }

interface Sending {
  readonly row: NewsletterTable
  /** Read at its first use. @throws if it cannot be read */
  readonly template: () => MessageTemplate
}

/** One for each row, in order. All rows are of newsletters. */
export async function describeCopies(
  services: Pick<Services, 'ids' | 'keyring'>,
  reader: Reader,
  rows: readonly ClaimedRow[],
): Promise<HandOver[]> {
  const made = new Map<ClaimedRow, HandOver>()
  const turns = new Turns()
  for (const [account, ofAccount] of Map.groupBy(rows, (row) => row.account)) {
    const ids = ofAccount.map(({ submission }) => submission)
    const recipients = new Map((await recipientsWithSubscribers(reader, account, ids)).map((one) => [one.id, one]))
    for (const [newsletter, own] of Map.groupBy(ofAccount, (row) => row.newsletter!)) {
      const sending = await sendingOf(reader, account, newsletter)
      const audience = sending?.row.audience ?? null
      const addresses = own.flatMap(({ submission }) => recipients.get(submission)?.address ?? [])
      const unmailable = await unmailableAmong(reader, { account, audience: audience ?? 0 }, addresses)
      for (const row of own) {
        const recipient = recipients.get(row.submission)
        const notSent = whyNot(sending, recipient, unmailable)
        made.set(row, notSent ? { notSent } : write(services, sending!, audience, recipient!))
        // Results of attempts are recorded by the same thread on SQLite, and must not wait for a whole claim.
        await turns.rest()
      }
    }
  }
  return rows.map((row) => made.get(row)!)
}

async function sendingOf(reader: Reader, account: number, newsletter: number): Promise<Sending | null> {
  const row = await findNewsletter(reader, account, newsletter)
  if (row?.status !== 'sending') return null
  const text = await findTemplate(reader, account, newsletter)
  let template: MessageTemplate | null = null
  return text === null ? null : { row, template: () => (template ??= JSON.parse(text) as MessageTemplate) }
}

function whyNot(
  sending: Sending | null,
  recipient: RecipientWithSubscriber | undefined,
  unmailable: ReadonlySet<string>,
): NotSent | null {
  if (recipient?.status !== 'queued') return 'gone'
  if (!sending) return 'waits'
  return skipReason(recipient, unmailable)
}

/** Why a recipient gets no newsletter any more; null: it does. */
export function skipReason(
  { address, subscriber_status }: Pick<RecipientWithSubscriber, 'address' | 'subscriber_status'>,
  unmailable: ReadonlySet<string>,
): SkipReason | null {
  if (subscriber_status === null) return 'deleted'
  if (unmailable.has(address)) return 'not_mailable'
  return subscriber_status === 'subscribed' ? null : 'not_subscribed'
}

function write(
  services: Pick<Services, 'ids' | 'keyring'>,
  sending: Sending,
  audience: number | null,
  recipient: RecipientWithSubscriber,
): HandOver {
  try {
    return copyOf(services, sending, audience, recipient)
  } catch (error) {
    return { error }
  }
}

function copyOf(
  { ids, keyring }: Pick<Services, 'ids' | 'keyring'>,
  { row, template: read }: Sending,
  audience: number | null,
  recipient: RecipientWithSubscriber,
): HandOver {
  const { account, address, display_name: displayName } = recipient
  const template = read()
  const { fromAddress, baseUrl, archiveUrl } = template
  const leaving = { account, newsletter: row.id, audience: audience ?? 0, address }
  const link = unsubscribeUrl(keyring, baseUrl, leaving)
  const mergeFields = Subscriber.properties.mergeFields.fromText(recipient.merge_fields ?? '{}')
  const queuedAt = recipient.queued_at ?? row.updated_at
  const bytes = writeCopy(template, {
    to: address,
    toName: displayName,
    messageId: messageIdOf(ids, account, recipient.id, domainOf(fromAddress)),
    date: queuedAt,
    values: mergeValues({ address, displayName, mergeFields, unsubscribeUrl: link, archiveUrl }),
    unsubscribeUrl: link,
  })
  return { address, mailFrom: fromAddress, queuedAt, bytes }
}

/** A message that was claimed and is not sent. */
export interface Unsent {
  readonly row: ClaimedRow
  readonly reason: NotSent
}

/** Takes messages out of the queue that are not to be sent. Those that wait are queued again when their newsletter goes on. */
export async function takeBack(
  { store, ids, limits }: Pick<Services, 'store' | 'ids' | 'limits'>,
  unsent: readonly Unsent[],
): Promise<void> {
  const accounts = Map.groupBy(unsent, ({ row }) => row.account)
  await Promise.all(
    [...accounts].map(([account, of]) =>
      store.write([account], async (work) => {
        const unit = work.account(account)
        const changes = new RunChanges(unit, ids)
        const taken = await takeAll(unit, changes, of)
        await changes.keep()
        // They were counted when they were queued, and are again if they are queued again.
        if (taken > 0) await returnSends(unit, limits, unit.now, taken)
      }),
    ),
  )
}

/** @returns how many sends were not made */
async function takeAll(unit: AccountUnit, changes: RunChanges, unsent: readonly Unsent[]): Promise<number> {
  const ended = await endLeases(
    unit,
    unsent.map(({ row: { submission, lease } }) => ({ submission, lease, retryAt: null })),
  )
  const notes: RecipientNote[] = []
  for (const [i, { row, reason }] of unsent.entries()) {
    if (ended[i] === null || reason === 'gone') continue
    const id = row.submission
    const isWaiting = reason === 'waits'
    notes.push(
      isWaiting
        ? { id, status: 'waiting', reason: null, finished_at: null }
        : { id, status: 'skipped', reason, finished_at: unit.now },
    )
    changes.add(row.newsletter!, { queued: -1, ...(isWaiting ? { waiting: 1 } : { skipped: 1 }) })
  }
  await noteRecipients(unit, notes)
  return notes.length
}
