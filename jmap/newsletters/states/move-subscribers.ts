/** Moves the subscribers of an address, in the unit of work of the organization that records the cause. */
import type { IdCodec } from '../../../server/base/ids.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { addToCounts } from '../../../storage/repos/audiences.ts'
import { deleteLeave, deleteOptOut, findOptOut, insertLeave, insertOptOut } from '../../../storage/repos/opt-outs.ts'
import { everySubscriberOf, updateSubscriber } from '../../../storage/repos/subscribers.ts'
import type { OptOutTable, SuppressionTable } from '../../../storage/schema/tables.ts'
import { appendEvent } from '../../events/append.ts'
import { Audience } from '../audience/audience.type.ts'
import { OptOut } from '../opt-out/opt-out.type.ts'
import { Subscriber } from '../subscriber/subscriber.type.ts'
import { countUnsubscription } from './count-unsubscription.ts'
import { moved, type Status, TRIGGER_EVENTS, type Trigger } from './transitions.ts'

/** What moves them. */
export interface Cause {
  readonly trigger: Trigger
  /** Only in this audience; by default in all. */
  readonly audience?: number
  /** Id of the newsletter that they react to. */
  readonly newsletterId?: string | null
}

/** @param address normalized */
export async function moveSubscribers(
  unit: AccountUnit,
  ids: IdCodec,
  address: string,
  { trigger, audience, newsletterId = null }: Cause,
): Promise<void> {
  const { account } = unit
  const all = await everySubscriberOf(unit, account, address)
  const rows = audience === undefined ? all : all.filter((row) => row.audience === audience)
  if (rows.length === 0) return
  const hasOptOut = (await findOptOut(unit, account, address)) !== null
  for (const row of rows) {
    const to = moved(row.status, trigger, hasOptOut)
    if (to === null) continue
    await keepStatus(unit, row, to)
    if (trigger === 'unsubscribed' && newsletterId !== null) await countUnsubscription(unit, ids, newsletterId, row.id)
    const event = TRIGGER_EVENTS[trigger]
    if (event === undefined) continue
    await appendEvent(unit, event, {
      subscriber_id: ids.encode(Subscriber, account, row.id),
      audience_id: ids.encode(Audience, account, row.audience),
      email_address: address,
      newsletter_id: newsletterId,
    })
  }
}

async function keepStatus(
  unit: AccountUnit,
  { id, audience, status }: { readonly id: number; readonly audience: number; readonly status: Status },
  to: Status,
): Promise<void> {
  await updateSubscriber(unit, id, { status: to, updated_at: unit.now })
  unit.change(Subscriber.name, id, 'u', ['status', 'updatedAt'])
  const subscribed = Number(to === 'subscribed') - Number(status === 'subscribed')
  if (subscribed === 0) return
  await addToCounts(unit, audience, { subscribed })
  unit.change(Audience.name, audience, 'u', ['subscribedCount'])
}

export interface OptingOut {
  readonly source: OptOutTable['source']
  readonly newsletterId?: string | null
}

/**
 * Records that an address wants no newsletter of the organization, and moves its subscribers. An existing opt-out stays unchanged.
 * @param address normalized
 * @returns the number of the new opt-out; null: there was one
 */
export async function optOut(
  unit: AccountUnit,
  ids: IdCodec,
  address: string,
  { source, newsletterId = null }: OptingOut,
): Promise<number | null> {
  const known = await findOptOut(unit, unit.account, address)
  const id = known ? null : unit.nextObject()
  if (id !== null) {
    await insertOptOut(unit, { id, address, source })
    unit.change(OptOut.name, id, 'c')
  }
  const trigger = source === 'complaint' ? 'complained' : 'unsubscribed'
  await moveSubscribers(unit, ids, address, { trigger, newsletterId })
  return id
}

/**
 * The recipient wants the newsletters of one audience again (decision D18).
 * @param address normalized
 */
export async function endOptOut(unit: AccountUnit, ids: IdCodec, address: string, audience: number): Promise<void> {
  const known = await findOptOut(unit, unit.account, address)
  if (known) {
    await deleteOptOut(unit, known.id)
    unit.change(OptOut.name, known.id, 'd')
  }
  await deleteLeave(unit, audience, address)
  await moveSubscribers(unit, ids, address, { trigger: 'reconfirmed', audience })
}

/**
 * The recipient wants no newsletter of one audience. It is kept apart from the subscriber, so that deleting and adding cannot undo it.
 * @param address normalized
 */
export async function leaveAudience(
  unit: AccountUnit,
  ids: IdCodec,
  address: string,
  { audience, newsletterId }: { readonly audience: number; readonly newsletterId: string | null },
): Promise<void> {
  await insertLeave(unit, audience, address)
  await moveSubscribers(unit, ids, address, { trigger: 'unsubscribed', audience, newsletterId })
}

/**
 * What a suppression means for subscribers. A bounce or a complaint moves to its own state if a newsletter is the cause (decision D18).
 * @param newsletterId null: other mail, or a client, is the cause
 */
export async function noteSuppression(
  unit: AccountUnit,
  ids: IdCodec,
  address: string,
  { reason, newsletterId }: { readonly reason: SuppressionTable['reason']; readonly newsletterId: string | null },
): Promise<void> {
  if (newsletterId !== null && reason === 'complaint') {
    await optOut(unit, ids, address, { source: 'complaint', newsletterId })
    return
  }
  const trigger = newsletterId !== null && reason === 'hard_bounce' ? 'bounced' : 'suppressed'
  await moveSubscribers(unit, ids, address, { trigger, newsletterId })
}
