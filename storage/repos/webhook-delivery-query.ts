/** Deliveries of webhooks as objects of their organization: reading, listing, and deletion of old ones. */
import { sql } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'
import type { WebhookDeliveryTable } from '../schema/tables.ts'
import { findInSlices } from './slices.ts'

type NumberedDelivery = WebhookDeliveryTable & { readonly id: number }

export async function findDeliveries(
  reader: Reader,
  organization: number,
  ids: readonly number[],
): Promise<NumberedDelivery[]> {
  const found = await findInSlices(ids, (slice) =>
    reader.sql.query((db) =>
      db.selectFrom('webhook_delivery').selectAll().where('organization', '=', organization).where('id', 'in', slice),
    ),
  )
  return found as NumberedDelivery[]
}

export interface DeliveryQuery {
  readonly organization: number
  readonly webhook?: number
  readonly status?: string
  readonly type?: string
  /** Only deliveries that are older than the one with this number. */
  readonly before?: number
  readonly oldestFirst: boolean
}

export async function countDeliveries(reader: Reader, query: DeliveryQuery): Promise<number> {
  const place = await placeOf(reader, query)
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('webhook_delivery')
      .select((eb) => eb.fn.countAll().as('count'))
      .where(matching(query, place)),
  )
  return Number(row!.count)
}

/** Numbers in the order of creation. */
export async function selectDeliveries(
  reader: Reader,
  query: DeliveryQuery,
  position: number,
  limit: number,
): Promise<number[]> {
  const place = await placeOf(reader, query)
  const direction = query.oldestFirst ? 'asc' : 'desc'
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('webhook_delivery')
      .select('id')
      .where(matching(query, place))
      .orderBy('created_at', direction)
      .orderBy('id', direction)
      .limit(limit)
      .offset(position),
  )
  return rows.map(({ id }) => id!)
}

/** Place of the delivery `before` in the list. If it was deleted, only its number is known. */
async function placeOf(
  reader: Reader,
  { organization, before }: DeliveryQuery,
): Promise<{ id: number; at: number | null } | null> {
  if (before === undefined) return null
  const [row] = await findDeliveries(reader, organization, [before])
  return { id: before, at: row?.created_at ?? null }
}

function matching(query: DeliveryQuery, place: { id: number; at: number | null } | null) {
  const { organization, webhook, status, type } = query
  const conditions = [sql`organization = ${organization} and id is not null`]
  if (webhook !== undefined) conditions.push(sql`webhook = ${webhook}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (type !== undefined) conditions.push(sql`type = ${type}`)
  if (place?.at === null) conditions.push(sql`id < ${place.id}`)
  else if (place) conditions.push(sql`(created_at, id) < (${place.at}, ${place.id})`)
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

/** Deletes those of the organization's oldest `limit` deliveries that are from before `before` (epoch ms). @param unit of the organization @returns how many */
export async function deleteDeliveriesBefore(unit: AccountUnit, before: number, limit: number): Promise<number> {
  const deleted = await unit.sql.query((db) =>
    db
      .deleteFrom('webhook_delivery')
      .where(
        sql<boolean>`(account, number) in (select account, number from webhook_delivery
          where organization = ${unit.account} and id is not null order by id limit ${limit})`,
      )
      .where('created_at', '<', before)
      .where('due_at', 'is', null)
      .returning('id'),
  )
  for (const { id } of deleted) unit.change('WebhookDelivery', id!, 'd')
  return deleted.length
}

/** Whether the oldest delivery of an organization is from before `before` (epoch ms). */
export async function hasDeliveriesBefore(reader: Reader, organization: number, before: number): Promise<boolean> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('webhook_delivery')
      .select('created_at')
      .where('organization', '=', organization)
      .where('id', 'is not', null)
      .orderBy('id')
      .limit(1),
  )
  return row !== undefined && row.created_at < before
}
