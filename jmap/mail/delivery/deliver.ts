/**
 * A message into accounts, all in one unit of work: rows of the email, what was found and done about it, events, drafts, an automatic
 * reply in the queue. What it takes to decide all that comes before (prepare.ts), outside the transaction.
 */

import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { rememberKey } from '../../../storage/repos/delivery-memory.ts'
import { insertDraftRequest } from '../../../storage/repos/draft-requests.ts'
import { insertEmailDelivery } from '../../../storage/repos/email-deliveries.ts'
import type { Services } from '../../context.ts'
import { appendEvent } from '../../events/append.ts'
import { recordBlob } from '../blobs.ts'
import { Email } from '../email/email.type.ts'
import { type PreparedMessage, type StoredEmail, storeMessage } from '../ingest.ts'
import { hasRoomFor } from '../quota.ts'
import { reportOf } from '../reports/report-of.ts'
import { linkOwnReport, linkReport } from '../submission/reports.ts'
import { Thread } from '../thread/thread.type.ts'
import { storeDraft } from './drafts.ts'
import { matchedEvent, receivedEvent } from './event-data.ts'
import type { DeliveryResult, InboundMessage } from './inbound-message.ts'
import { queueAnswer } from './outgoing.ts'
import { resolvePlaces } from './places.ts'
import { type Prepared, prepareAll } from './prepare.ts'
import type { Trace } from './trace.ts'

/** All or nothing over its recipients, and durable when it resolves. */
export async function deliver(
  services: Services,
  message: InboundMessage,
  prepared: PreparedMessage,
): Promise<DeliveryResult[]> {
  const plans = await prepareAll(services, message, prepared)
  const refusal = refusalOf(plans)
  if (refusal) return message.deliveries.map(() => refusal)
  const report = message.reports ? null : reportOf(message, prepared.parsed)
  const accounts = plans.map(({ account }) => account)
  const results = await services.store.writeBatched(accounts, async (work) => {
    await recordBlob(work, prepared.blob)
    const done = new Map<number, DeliveryResult>()
    for (const planned of plans) {
      const unit = work.account(planned.account)
      // It went between RCPT and the end of the message.
      if (unit.isDeleted) continue
      const result = await deliverTo(services, work, unit, message, prepared, planned)
      done.set(planned.account, result.told)
      if (!result.email) continue
      if (message.reports) await linkOwnReport(unit, message.reports.submission, result.email.blob)
      else if (report)
        await linkReport(services, unit, { report, blob: result.email.blob, returned: message.returned ?? [] })
    }
    return done
  })
  return message.deliveries.map(({ account }) => results.get(account) ?? { status: 'unknownAccount' })
}

/** RFC 5429 2.1: refused in the dialogue when all refuse; else who refuses keeps it, since no bounce is sent (promise S9). */
function refusalOf(plans: readonly Prepared[]): DeliveryResult | null {
  const endings = plans.map(({ plan }) => plan.ending)
  const first = endings[0]
  if (first?.kind === 'rejected' && endings.every((ending) => ending?.kind === 'rejected'))
    return { status: 'rejected', reason: first.reason }
  for (const { plan } of plans) {
    if (plan.ending?.kind !== 'rejected') continue
    plan.ending = null
    plan.trace.note('delivery', 'Kept though the script refuses it: another recipient of the message took it.')
  }
  return null
}

/** A unit of work may run anew: what it notes is its own. */
interface Attempt extends Prepared {
  readonly trace: Trace
}

async function deliverTo(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  message: InboundMessage,
  prepared: PreparedMessage,
  prepare: Prepared,
): Promise<{ readonly told: DeliveryResult; readonly email: StoredEmail | null }> {
  const { plan, answer } = prepare
  const planned: Attempt = { ...prepare, trace: plan.trace.copy() }
  if (plan.ending !== null) {
    await remember(unit, planned)
    if (answer) await queueAnswer(work, unit, answer, unit.nextObject())
    return { told: { status: 'discarded' }, email: null }
  }
  if (!message.reports?.evenOverQuota && !hasRoomFor(services, unit, message.bytes.length))
    return { told: { status: 'overQuota' }, email: null }
  const email = await storeMessage(services, unit, prepared, {
    mailboxes: await resolvePlaces(services, unit, plan, planned.trace),
    keywords: plan.settleKeywords(),
    receivedAt: message.receivedAt,
    source: 'inbound',
  })
  await remember(unit, planned)
  if (answer) {
    const silence = await queueAnswer(work, unit, answer, email.thread)
    planned.trace.note(
      'reply',
      silence ? `No automatic reply: ${silence}.` : `An automatic reply goes to ${answer.to}.`,
    )
  }
  await writeDrafts(services, work, unit, planned)
  await oweDrafts(unit, planned, email)
  await writeEvents(services, unit, message, prepared, planned, email)
  await keepFindings(unit, message, planned, email)
  return {
    told: {
      status: 'stored',
      emailId: services.ids.encode(Email, unit.account, email.id),
      threadId: services.ids.encode(Thread, unit.account, email.thread),
    },
    email,
  }
}

async function remember(unit: AccountUnit, { plan }: Prepared): Promise<void> {
  for (const { key, until } of plan.track) await rememberKey(unit, 'duplicate', key, until)
}

async function writeDrafts(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  { drafts, trace }: Attempt,
): Promise<void> {
  for (const draft of drafts) {
    if (!hasRoomFor(services, unit, draft.blob.size)) {
      trace.note('rule', 'The reply was not written: the mailbox is full.')
      return
    }
    await storeDraft(services, work, unit, draft)
  }
}

/** What a model is to write, it writes after the commit. */
async function oweDrafts(unit: AccountUnit, { plan, trace }: Attempt, email: StoredEmail): Promise<void> {
  for (const owed of plan.modelDrafts) {
    const request = { id: unit.nextObject(), email: email.id, data: JSON.stringify(owed), due_at: unit.now }
    await insertDraftRequest(unit, request)
    trace.note('rule', 'The model is asked for a reply.', owed.rule.name)
  }
}

async function writeEvents(
  { ids }: Services,
  unit: AccountUnit,
  message: InboundMessage,
  { parsed }: PreparedMessage,
  { plan, settings }: Prepared,
  email: StoredEmail,
): Promise<void> {
  const seen = {
    id: ids.encode(Email, unit.account, email.id),
    threadId: ids.encode(Thread, unit.account, email.thread),
    mailboxId: ids.accountId('mailbox', unit.account),
    address: settings.address,
    receivedAt: message.receivedAt,
    mailFrom: message.mailFrom,
  }
  await appendEvent(unit, 'message.received', receivedEvent(seen, parsed))
  for (const match of plan.webhooks)
    await appendEvent(unit, 'mailbox.rule_matched', matchedEvent(seen, parsed, match, unit.now))
}

async function keepFindings(
  unit: AccountUnit,
  { verdict }: InboundMessage,
  { spam, settings, trace }: Attempt,
  email: StoredEmail,
): Promise<void> {
  if (!verdict && trace.notes.length === 0) return
  const { outside: _outside, ...found } = verdict ?? {}
  const kept = { ...found, ...(spam && { spam: { ...spam, threshold: settings.threshold } }) }
  await insertEmailDelivery(unit, {
    email: email.id,
    verdict: verdict ? JSON.stringify(kept) : null,
    trace: JSON.stringify(trace.notes),
  })
}
