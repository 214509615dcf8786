/** Rows of events (decision D24). Their types are texts here; jmap/events/ has the vocabulary. */
import { type SqlBool, sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { EventTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const insert = insertRow('event')

/** An event's key, without the organization, and its type. */
export type EventKey = Pick<EventTable, 'account' | 'number' | 'type'>

/** The event's number comes from its account, whose numbers are in the order of commits. */
export async function insertEvent(
  unit: AccountUnit,
  type: string,
  data: { readonly [name: string]: unknown },
): Promise<EventKey> {
  const { organization, account, now } = unit
  const number = unit.nextObject()
  await unit.sql.all(insert, { organization, account, number, type, data: jsonOf(data), at: now })
  return { account, number, type }
}

/**
 * Webhooks get it as it is, and strict readers refuse half a pair of surrogates (RFC 8259 8.2), which texts of strangers may hold.
 * JSON.stringify escapes nothing else by `\ud`.
 */
function jsonOf(data: { readonly [name: string]: unknown }): string {
  const text = JSON.stringify(data)
  if (!text.includes('\\ud')) return text
  return JSON.stringify(data, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
}

const find = statement<{ organization: number; account: number; number: number }>()((db, p) =>
  db
    .selectFrom('event')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('account', '=', p('account'))
    .where('number', '=', p('number')),
)

export async function findEvent(
  reader: Reader,
  { organization, account, number }: Pick<EventTable, 'organization' | 'account' | 'number'>,
): Promise<EventTable | null> {
  const [row] = await reader.sql.all(find, { organization, account, number })
  return row ?? null
}

export interface EventQuery {
  readonly organization: number
  /** null: all. */
  readonly type: string | null
  /** Epoch ms: events of that time and later. */
  readonly from: number
  /** Epoch ms: events before that time; null: all. */
  readonly before: number | null
  /** Only events behind this place of the list. */
  readonly olderThan: Pick<EventTable, 'at' | 'account' | 'number'> | null
}

/** At most `limit` events, the newest first. */
export function selectEvents(reader: Reader, query: EventQuery, limit: number): Promise<EventTable[]> {
  const { organization, type, from, before, olderThan } = query
  return reader.sql.query((db) =>
    db
      .selectFrom('event')
      .selectAll()
      .where('organization', '=', organization)
      .where('at', '>=', from)
      .$if(type !== null, (q) => q.where('type', '=', type!))
      .$if(before !== null, (q) => q.where('at', '<', before!))
      .$if(olderThan !== null, (q) => {
        const { at, account, number } = olderThan!
        return q.where(sql<SqlBool>`(at, account, number) < (${at}, ${account}, ${number})`)
      })
      .orderBy('at', 'desc')
      .orderBy('account', 'desc')
      .orderBy('number', 'desc')
      .limit(limit),
  )
}

/** Deletes at most `limit` events of an organization from before `before` (epoch ms). @returns how many it deleted */
export async function deleteEventsBefore(
  connection: Sql,
  organization: number,
  before: number,
  limit: number,
): Promise<number> {
  const deleted = await connection.query((db) =>
    db
      .deleteFrom('event')
      .where(
        sql<boolean>`(organization, account, number) in (select organization, account, number from event
          where organization = ${organization} and at < ${before} order by at limit ${limit})`,
      )
      .returning('number'),
  )
  return deleted.length
}

/** Whether an organization has an event from before `before` (epoch ms). */
export async function hasEventsBefore(reader: Reader, organization: number, before: number): Promise<boolean> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('event').select('at').where('organization', '=', organization).orderBy('at').limit(1),
  )
  return rows.some(({ at }) => at < before)
}

export interface StoredEvent extends Omit<EventTable, 'organization' | 'data'> {
  readonly data: Record<string, unknown>
}

/** An organization's events, by account and then in the order of commits. */
export async function eventsOf(reader: Reader, organization: number): Promise<StoredEvent[]> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('event').selectAll().where('organization', '=', organization).orderBy('account').orderBy('number'),
  )
  return rows.map(({ account, number, type, data, at }) => ({ account, number, type, data: JSON.parse(data), at }))
}
