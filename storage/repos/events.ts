/** Rows of events (decision D24). Their types are texts here; jmap/events/ has the vocabulary. */
import { sql } from 'kysely'
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

export async function findEvent(
  reader: Reader,
  { organization, account, number }: Pick<EventTable, 'organization' | 'account' | 'number'>,
): Promise<EventTable | null> {
  const [row] = await reader.sql.all(find, { organization, account, number })
  return row ?? null
}

/** Deletes at most `limit` events from before `before` (epoch ms). @returns how many it deleted */
export async function deleteEventsBefore(connection: Sql, before: number, limit: number): Promise<number> {
  const deleted = await connection.query((db) =>
    db
      .deleteFrom('event')
      .where(
        sql<boolean>`(organization, account, number) in
          (select organization, account, number from event where at < ${before} order by at limit ${limit})`,
      )
      .returning('number'),
  )
  return deleted.length
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
