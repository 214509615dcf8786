/**
 * Delivers a message to accounts in one unit of work: the rows of the email, the record of its delivery, what its calendar messages change,
 * events, drafts, and an automatic reply in the queue. All decisions come before (prepare.ts), outside of the unit of work.
 */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { rememberKey } from '../../storage/repos/delivery-memory.ts'
import { insertDraftRequest } from '../../storage/repos/draft-requests.ts'
import { insertEmailDelivery } from '../../storage/repos/email-deliveries.ts'
import { appendEvent } from '../events/append.ts'
import { recordBlob } from '../mail/blob/blobs.ts'
import { Email } from '../mail/email/email.type.ts'
import { type PreparedEmail, type StoredEmail, storeEmail } from '../mail/email/store-email.ts'
import { hasRoomFor } from '../mail/quota/octets.ts'
import { linkOwnReport, linkReport } from '../mail/submission/reports.ts'
import { Thread } from '../mail/thread/thread.type.ts'
import type { Services } from '../type/context.ts'
import { type CalendarMessages, calendarMessagesIn, takeCalendarMessages } from './calendar-messages.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryResult } from './delivery-result.ts'
import { storeDraft } from './drafts.ts'
import { matchedEvent, receivedEvent } from './event-data.ts'
import type { InboundMessage } from './inbound-message.ts'
import { queueAnswer } from './outgoing.ts'
import { type PreparedDelivery, prepareAll } from './prepare.ts'
import { reportOf } from './reports/report-of.ts'
import { resolveTargets } from './target-mailboxes.ts'

/** All or nothing over the recipients, and durable when it resolves. */
export async function deliver(
  services: Services,
  message: InboundMessage,
  email: PreparedEmail,
): Promise<DeliveryResult[]> {
  const deliveries = await prepareAll(services, message, email)
  const refusal = refusalOf(deliveries)
  if (refusal) return message.recipients.map(() => refusal)
  const report = message.reports ? null : reportOf(message, email.parsed)
  const calendars = await calendarMessagesIn(services, message, email)
  const accounts = deliveries.map(({ account }) => account)
  const results = await services.store.writeBatched(accounts, async (work) => {
    await recordBlob(work, email.blob)
    const done = new Map<number, DeliveryResult>()
    for (const delivery of deliveries) {
      const unit = work.account(delivery.account)
      // The account was deleted between RCPT and the end of the message.
      if (unit.isDeleted) continue
      const { result, stored } = await deliverTo(services, work, unit, { message, email, calendars }, delivery)
      done.set(delivery.account, result)
      if (!stored) continue
      if (message.reports) await linkOwnReport(unit, message.reports.submission, stored.blob)
      else if (report) await linkReport(services, unit, { report, blob: stored.blob, returned: message.returned ?? [] })
    }
    return done
  })
  return message.recipients.map(({ account }) => results.get(account) ?? { status: 'unknownAccount' })
}

/**
 * RFC 5429 2.1: the message is refused in the SMTP session when all recipients refuse it. Otherwise a refusing recipient keeps it, since no
 * bounce is sent (promise S9).
 */
function refusalOf(deliveries: readonly PreparedDelivery[]): DeliveryResult | null {
  const endings = deliveries.map(({ plan }) => plan.ending)
  const first = endings[0]
  if (first?.kind === 'rejected' && endings.every((ending) => ending?.kind === 'rejected'))
    return { status: 'rejected', reason: first.reason }
  for (const { plan } of deliveries) {
    if (plan.ending?.kind !== 'rejected') continue
    plan.ending = null
    plan.log.note('delivery', 'Kept though the script refuses it: another recipient of the message took it.')
  }
  return null
}

/** What is delivered: the same for all accounts. */
interface Delivered {
  readonly message: InboundMessage
  readonly email: PreparedEmail
  readonly calendars: CalendarMessages
}

async function deliverTo(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  { message, email, calendars }: Delivered,
  delivery: PreparedDelivery,
): Promise<{ readonly result: DeliveryResult; readonly stored: StoredEmail | null }> {
  const { plan, answer } = delivery
  // A unit of work may run more than once: each run has its own notes.
  const log = plan.log.copy()
  if (plan.ending !== null) {
    await remember(unit, delivery)
    if (answer) await queueAnswer(work, unit, answer, unit.nextObject())
    return { result: { status: 'discarded' }, stored: null }
  }
  if (!message.reports?.evenOverQuota && !hasRoomFor(services, unit, message.bytes.length))
    return { result: { status: 'overQuota' }, stored: null }
  const stored = await storeEmail(services, unit, email, {
    mailboxes: await resolveTargets(services, unit, plan, log),
    keywords: plan.settleKeywords(),
    receivedAt: message.receivedAt,
    source: 'inbound',
  })
  await remember(unit, delivery)
  if (answer) {
    const silence = await queueAnswer(work, unit, answer, stored.thread)
    log.note('reply', silence ? `No automatic reply: ${silence}.` : `An automatic reply goes to ${answer.to}.`)
  }
  await takeCalendarMessages(services, { work, unit }, { message, email, calendars, stored }, delivery, log)
  await storeDrafts(services, work, unit, delivery, log)
  await requestModelDrafts(unit, delivery, log, stored)
  await writeEvents(services, unit, message, email, delivery, stored)
  await keepDeliveryRecord(unit, message, delivery, log, stored)
  return {
    result: {
      status: 'stored',
      emailId: services.ids.encode(Email, unit.account, stored.id),
      threadId: services.ids.encode(Thread, unit.account, stored.thread),
    },
    stored,
  }
}

async function remember(unit: AccountUnit, { plan }: PreparedDelivery): Promise<void> {
  for (const { key, until } of plan.track) await rememberKey(unit, 'duplicate', key, until)
}

async function storeDrafts(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  { drafts }: PreparedDelivery,
  log: DeliveryLog,
): Promise<void> {
  for (const draft of drafts) {
    if (!hasRoomFor(services, unit, draft.blob.size)) {
      log.note('rule', 'The reply was not written: the mailbox is full.')
      return
    }
    await storeDraft(services, work, unit, draft)
  }
}

/** The model writes its drafts after the commit. */
async function requestModelDrafts(
  unit: AccountUnit,
  { plan }: PreparedDelivery,
  log: DeliveryLog,
  stored: StoredEmail,
): Promise<void> {
  for (const requested of plan.modelDrafts) {
    const data = JSON.stringify(requested)
    await insertDraftRequest(unit, { id: unit.nextObject(), email: stored.id, data, due_at: unit.now })
    log.note('rule', 'The model is asked for a reply.', requested.rule.name)
  }
}

async function writeEvents(
  { ids }: Services,
  unit: AccountUnit,
  message: InboundMessage,
  { parsed }: PreparedEmail,
  { plan, settings }: PreparedDelivery,
  stored: StoredEmail,
): Promise<void> {
  const received = {
    id: ids.encode(Email, unit.account, stored.id),
    threadId: ids.encode(Thread, unit.account, stored.thread),
    mailboxId: ids.accountId('mailbox', unit.account),
    address: settings.address,
    receivedAt: message.receivedAt,
    mailFrom: message.mailFrom,
  }
  await appendEvent(unit, 'message.received', receivedEvent(received, parsed))
  for (const match of plan.webhooks)
    await appendEvent(unit, 'mailbox.rule_matched', matchedEvent(received, parsed, match, unit.now))
}

async function keepDeliveryRecord(
  unit: AccountUnit,
  { verdict }: InboundMessage,
  { spam, settings }: PreparedDelivery,
  log: DeliveryLog,
  stored: StoredEmail,
): Promise<void> {
  if (!verdict && log.notes.length === 0) return
  const { outside: _outside, ...found } = verdict ?? {}
  const kept = { ...found, ...(spam && { spam: { ...spam, threshold: settings.threshold } }) }
  await insertEmailDelivery(unit, {
    email: stored.id,
    verdict: verdict ? JSON.stringify(kept) : null,
    trace: JSON.stringify(log.notes),
  })
}
