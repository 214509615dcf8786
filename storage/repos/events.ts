/** Events: what happened, written in the unit of work of what they report, for webhooks to tell (decision D24). */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { EventTable } from '../schema/delivery-tables.ts'
import { statement } from '../statement.ts'
import { insertDelivery } from './webhook-deliveries.ts'
import { webhooksFor } from './webhook-subscriptions.ts'

/** What webhooks may ask for, in the order of the contract. */
export const EVENT_TYPES = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.bounced',
  'message.complained',
  'mailbox.rule_matched',
  'domain.verified',
  'domain.verification_failed',
  'domain.degraded',
  'org.reputation_warning',
  'org.sending_throttled',
  'org.sending_suspended',
  'org.reputation_recovered',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** Only of one webhook, when somebody tries it. */
export const TEST_EVENT = 'webhook.test'

export interface StoredEvent {
  /** Account that it happened in, and its number there: what the event's id is made of. */
  readonly account: number
  readonly number: number
  readonly type: EventType | typeof TEST_EVENT
  readonly data: Record<string, unknown>
  /** Epoch ms. */
  readonly at: number
}

const insert = statement<{
  organization: number
  account: number
  number: number
  type: string
  data: string
  at: number
}>()((db, p) =>
  db.insertInto('event').values({
    organization: p('organization'),
    account: p('account'),
    number: p('number'),
    type: p('type'),
    data: p('data'),
    at: p('at'),
  }),
)

/**
 * Told to every active webhook of the organization that wants it: what is to be delivered is written here too. What nobody wants to
 * hear of is not written at all, as most mail comes to organizations without webhooks.
 * @param data as the contract shows it under `data`, with ids in it
 * @returns its number in the account, whose numbers are in the order of commits; null: nobody wants it
 */
export async function appendEvent(
  unit: AccountUnit,
  type: EventType,
  data: { readonly [name: string]: unknown },
): Promise<number | null> {
  const webhooks = await webhooksFor(unit, unit.organization, type)
  if (webhooks.length === 0) return null
  const event = await insertEvent(unit, type, data)
  for (const webhook of webhooks) await insertDelivery(unit, { webhook, event })
  return event.number
}

/** An event that is for one webhook. Inside, in the unit of the organization; the delivery's object number too. */
export async function appendTestEvent(
  unit: AccountUnit,
  webhook: number,
  data: { readonly [name: string]: unknown },
): Promise<{ readonly event: number; readonly delivery: number }> {
  const event = await insertEvent(unit, TEST_EVENT, data)
  return { event: event.number, delivery: (await insertDelivery(unit, { webhook, event }))! }
}

async function insertEvent(unit: AccountUnit, type: string, data: { readonly [name: string]: unknown }) {
  const number = unit.nextObject()
  const { organization, account, now } = unit
  await unit.sql.all(insert, { organization, account, number, type, data: JSON.stringify(data), at: now })
  return { account, number, type }
}

const find = statement<{ organization: number; account: number; number: number }>()((db, p) =>
  db
    .selectFrom('event')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('account', '=', p('account'))
    .where('number', '=', p('number')),
)

/** With `data` as the text that it was written as. */
export async function findEvent(
  reader: Reader,
  key: { readonly organization: number; readonly account: number; readonly number: number },
): Promise<EventTable | null> {
  const { organization, account, number } = key
  const [row] = await reader.sql.all(find, { organization, account, number })
  return row ?? null
}

/** At most `limit` events of the time before `before` (epoch ms) go; how many did. */
export async function deleteEventsBefore(db: Sql, before: number, limit: number): Promise<number> {
  const gone = await db.query((builder) =>
    builder
      .deleteFrom('event')
      .where(
        sql<boolean>`(organization, account, number) in
          (select organization, account, number from event where at < ${before} order by at limit ${limit})`,
      )
      .returning('number'),
  )
  return gone.length
}

/** An organization's events, those of one account after the other in the order of commits. */
export async function eventsOf(reader: Reader, organization: number): Promise<StoredEvent[]> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('event').selectAll().where('organization', '=', organization).orderBy('account').orderBy('number'),
  )
  return rows.map(({ account, number, type, data, at }) => ({
    account,
    number,
    type: type as StoredEvent['type'],
    data: JSON.parse(data),
    at,
  }))
}
