/** Events: what happened, written in the unit of work of what they report, for webhooks to tell (api/decisions.md D24). */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import { statement } from '../statement.ts'

export type EventType =
  | 'message.received'
  | 'message.sent'
  | 'message.delivered'
  | 'message.bounced'
  | 'message.complained'
  | 'mailbox.rule_matched'
  | 'domain.verified'
  | 'domain.verification_failed'
  | 'domain.degraded'
  | 'org.reputation_warning'
  | 'org.sending_throttled'
  | 'org.sending_suspended'
  | 'org.reputation_recovered'

export interface StoredEvent {
  /** Account that it happened in, and its number there: what the event's id is made of. */
  readonly account: number
  readonly number: number
  readonly type: EventType
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
 * The organization is that of the account, whose numbers are in the order of commits.
 * @param data as the contract shows it under `data`, with ids in it
 * @returns its number in the account
 */
export async function appendEvent(
  unit: AccountUnit,
  type: EventType,
  data: { readonly [name: string]: unknown },
): Promise<number> {
  const number = unit.nextObject()
  const { organization, account, now } = unit
  await unit.sql.all(insert, { organization, account, number, type, data: JSON.stringify(data), at: now })
  return number
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
    type: type as EventType,
    data: JSON.parse(data),
    at,
  }))
}
