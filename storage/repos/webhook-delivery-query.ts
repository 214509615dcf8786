/** Deliveries of webhooks as their organization sees them: found, listed, and taken away when they are old. */
import { sql } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'
import type { WebhookDeliveryTable } from '../schema/webhook-tables.ts'

/** At most this many numbers are bound in one statement. */
const NUMBERS_PER_QUERY = 500

export async function findDeliveries(
  reader: Reader,
  organization: number,
  ids: readonly number[],
): Promise<(WebhookDeliveryTable & { id: number })[]> {
  const found: WebhookDeliveryTable[] = []
  for (let i = 0; i < ids.length; i += NUMBERS_PER_QUERY) {
    const slice = ids.slice(i, i + NUMBERS_PER_QUERY)
    found.push(
      ...(await reader.sql.query((db) =>
        db.selectFrom('webhook_delivery').selectAll().where('organization', '=', organization).where('id', 'in', slice),
      )),
    )
  }
  return found as (WebhookDeliveryTable & { id: number })[]
}

export interface DeliveryQuery {
  readonly organization: number
  readonly webhook?: number
  readonly status?: string
  readonly type?: string
  /** Of whose place in the list only what is older comes. */
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

/** In the order of time: by creation, then number. */
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

/** Where the delivery stands, or stood: without it, its number has to do. */
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

/** Inside, in the unit of the organization: of its oldest `limit` those of the time before `before` (epoch ms) go; how many did. */
export async function deleteDeliveriesBefore(unit: AccountUnit, before: number, limit: number): Promise<number> {
  const gone = await unit.sql.query((db) =>
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
  for (const { id } of gone) unit.change('WebhookDelivery', id!, 'd')
  return gone.length
}

/** Whether the oldest delivery of an organization is of the time before `before` (epoch ms). */
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
