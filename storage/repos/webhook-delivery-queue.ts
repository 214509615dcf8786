/** The queue of deliveries to webhooks: which webhooks have pending ones, and which worker holds them. */
import { sql } from 'kysely'
import type { AccountUnit, QueryBuilder, Reader, Sql } from '../ports.ts'
import type { WebhookDeliveryTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows } from './claim-rows.ts'
import type { DeliveryKey } from './webhook-deliveries.ts'

/** A webhook with pending deliveries, and the due time of the first of them. */
export interface PendingWebhook {
  readonly organization: number
  readonly webhook: number
  readonly due_at: number
}

// Two statements, since SQLite would scan all rows of the first webhook to get past it.
const nextInside = statement<{ organization: number; webhook: number }>()((db, p) =>
  pendingWebhooks(db).where('organization', '=', p('organization')).where('webhook', '>', p('webhook')),
)
const nextBeyond = statement<{ organization: number }>()((db, p) =>
  pendingWebhooks(db).where('organization', '>', p('organization')),
)

function pendingWebhooks(db: QueryBuilder) {
  return db
    .selectFrom('webhook_delivery')
    .select(['organization', 'webhook', 'due_at'])
    .where('due_at', 'is not', null)
    .orderBy('organization')
    .orderBy('webhook')
    .orderBy('due_at')
    .limit(1)
}

/** The next webhook with pending deliveries, in the order of organizations and webhooks. It skips all other deliveries of a webhook. */
export async function nextPendingWebhook(
  connection: Sql,
  { organization, webhook }: Pick<PendingWebhook, 'organization' | 'webhook'>,
): Promise<PendingWebhook | null> {
  const [inside] = await connection.all(nextInside, { organization, webhook })
  const row = inside ?? (await connection.all(nextBeyond, { organization }))[0]
  return row ? { ...row, due_at: row.due_at! } : null
}

/** Leases deliveries of one webhook that are due. @param onlyType type of event; null: all types */
export function claimDeliveries(
  connection: Sql,
  { organization, webhook }: Pick<PendingWebhook, 'organization' | 'webhook'>,
  onlyType: string | null,
  claim: Claim,
): Promise<WebhookDeliveryTable[]> {
  const type = onlyType === null ? sql`` : sql` and type = ${onlyType}`
  const which = sql`organization = ${organization} and webhook = ${webhook} and id is not null${type}`
  return claimRows(connection, 'webhook_delivery', claim, claim.until, which)
}

/** At most `limit` pending deliveries of a webhook. @param exceptType type of event that is left out; null: none */
export function waitingDeliveries(
  unit: AccountUnit,
  webhook: number,
  exceptType: string | null,
  limit: number,
): Promise<WebhookDeliveryTable[]> {
  return unit.sql.query((db) =>
    db
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('organization', '=', unit.account)
      .where('webhook', '=', webhook)
      .where('due_at', 'is not', null)
      .where('id', 'is not', null)
      .$if(exceptType !== null, (query) => query.where('type', '!=', exceptType!))
      .limit(limit),
  )
}

/** Makes all pending deliveries of a webhook due now. */
export async function makeDeliveriesDue(unit: AccountUnit, webhook: number): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('webhook_delivery')
      .set({ due_at: unit.now })
      .where('organization', '=', unit.account)
      .where('webhook', '=', webhook)
      .where('due_at', '>', unit.now),
  )
}

const leased = statement<{ account: number; number: number; lease: string }>()((db, p) =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('account', '=', p('account'))
    .where('number', '=', p('number'))
    .where('lease', '=', p('lease')),
)

/** The delivery that a lease holds; null: the lease has ended. */
export async function findLeasedDelivery(
  reader: Reader,
  key: DeliveryKey,
  lease: string,
): Promise<WebhookDeliveryTable | null> {
  const { account, number } = key
  const [row] = await reader.sql.all(leased, { account, number, lease })
  return row ?? null
}

/** When the next delivery may be claimed, epoch ms; null: none is pending. */
export async function nextDeliveryAt(reader: Reader): Promise<number | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('webhook_delivery').select('due_at').where('due_at', 'is not', null).orderBy('due_at').limit(1),
  )
  return row?.due_at ?? null
}

/** Ends all leases. Only for a process that is alone on its data when it starts. */
export async function releaseDeliveries(connection: Sql, now: number): Promise<void> {
  await connection.query((db) =>
    db
      .updateTable('webhook_delivery')
      .set({ lease: null, lease_until: 0, due_at: now })
      .where('due_at', 'is not', null)
      .where('lease', 'is not', null),
  )
}
