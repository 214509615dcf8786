/** Deliveries of webhooks: rows that are written with their event, claimed as a queue, and kept as a record. */
import { sql } from 'kysely'
import type { AccountUnit, QueryBuilder, Reader, Sql } from '../ports.ts'
import type { WebhookDeliveryTable } from '../schema/webhook-tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows } from './claim-rows.ts'

/** What the organization's own type is called; also the bell that wakes the worker. */
const DELIVERY = 'WebhookDelivery'

export interface NewDelivery {
  readonly webhook: number
  readonly event: { readonly account: number; readonly number: number; readonly type: string }
}

const insert = statement<{
  account: number
  number: number
  organization: number
  webhook: number
  id: number | null
  event_account: number
  event: number
  type: string
  now: number
}>()((db, p) =>
  db.insertInto('webhook_delivery').values({
    account: p('account'),
    number: p('number'),
    organization: p('organization'),
    webhook: p('webhook'),
    id: p('id'),
    event_account: p('event_account'),
    event: p('event'),
    type: p('type'),
    status: sql.lit('pending' as const),
    attempts: sql.lit(0),
    due_at: p('now'),
    lease: sql.lit(null),
    lease_until: sql.lit(0),
    last_status: sql.lit(null),
    last_error: sql.lit(null),
    answer: sql.lit(null),
    created_at: p('now'),
    delivered_at: sql.lit(null),
  }),
)

/**
 * Inside. In a unit of the organization the delivery is an object of its account at once; in one of a mailbox its number there has to
 * wait (`numberDeliveries`), since the organization's lock would make all its mailboxes wait for each other.
 * @returns its object number in the organization; null: not yet
 */
export async function insertDelivery(unit: AccountUnit, { webhook, event }: NewDelivery): Promise<number | null> {
  const { account, organization, now } = unit
  const number = unit.nextObject()
  const id = account === organization ? number : null
  await unit.sql.all(insert, {
    account,
    number,
    organization,
    webhook,
    id,
    event_account: event.account,
    event: event.number,
    type: event.type,
    now,
  })
  if (id === null) unit.ring(DELIVERY)
  else unit.change(DELIVERY, id, 'c')
  return id
}

// In the order of the index of what is new: SQLite takes another one else, and walks all there is.
const withNew = statement<{ after: number }>()((db, p) =>
  db
    .selectFrom('webhook_delivery')
    .select('organization')
    .where('id', 'is', null)
    .where('organization', '>', p('after'))
    .orderBy('organization')
    .orderBy('created_at')
    .orderBy('account')
    .orderBy('number')
    .limit(1),
)

/** The next organization with deliveries that are no objects yet; null: there is none after it. */
export async function nextWithNew(reader: Reader, after: number): Promise<number | null> {
  const [row] = await reader.sql.all(withNew, { after })
  return row?.organization ?? null
}

/** Inside, in the unit of the organization: at most `limit` of its new deliveries become objects, oldest first; how many did. */
export async function numberDeliveries(unit: AccountUnit, limit: number): Promise<number> {
  const rows = await unit.sql.query((db) =>
    db
      .selectFrom('webhook_delivery')
      .select(['account', 'number'])
      .where('organization', '=', unit.account)
      .where('id', 'is', null)
      .orderBy('created_at')
      .orderBy('account')
      .orderBy('number')
      .limit(limit),
  )
  for (const row of rows) {
    const id = unit.nextObject()
    await updateDelivery(unit, row, { id })
    unit.change(DELIVERY, id, 'c')
  }
  return rows.length
}

export type DeliveryKey = Pick<WebhookDeliveryTable, 'account' | 'number'>

const UPDATES = new Map<string, ReturnType<typeof updateOf>>()

type Settable = Partial<Omit<WebhookDeliveryTable, 'account' | 'number' | 'organization'>>

function updateOf(names: readonly string[]) {
  return statement<{ [name: string]: string | number | null }>()((db, p) =>
    db
      .updateTable('webhook_delivery')
      .set(Object.fromEntries(names.map((name) => [name, p(name)])) as Settable)
      .where('account', '=', p('account') as number)
      .where('number', '=', p('number') as number),
  )
}

/** Inside, in the unit of the organization. */
export async function updateDelivery(
  { sql: connection }: Reader,
  { account, number }: DeliveryKey,
  set: Settable,
): Promise<void> {
  const names = Object.keys(set).sort()
  const key = names.join()
  const update = UPDATES.get(key) ?? updateOf(names)
  UPDATES.set(key, update)
  await connection.all(update, { ...(set as Record<string, string | number | null>), account, number })
}

/** The first delivery that waits of a webhook after another in the order of organizations and webhooks. */
export interface Lane {
  readonly organization: number
  readonly webhook: number
  readonly due_at: number
}

// Two, as SQLite would walk all that is equal to a pair on its way past it.
const nextInside = statement<{ organization: number; webhook: number }>()((db, p) =>
  lanes(db).where('organization', '=', p('organization')).where('webhook', '>', p('webhook')),
)
const nextBeyond = statement<{ organization: number }>()((db, p) =>
  lanes(db).where('organization', '>', p('organization')),
)

function lanes(db: QueryBuilder) {
  return db
    .selectFrom('webhook_delivery')
    .select(['organization', 'webhook', 'due_at'])
    .where('due_at', 'is not', null)
    .orderBy('organization')
    .orderBy('webhook')
    .orderBy('due_at')
    .limit(1)
}

/** However many deliveries wait for one webhook, it is one step to the next. null: there is none after it. */
export async function nextLane(
  connection: Sql,
  { organization, webhook }: Pick<Lane, 'organization' | 'webhook'>,
): Promise<Lane | null> {
  const [inside] = await connection.all(nextInside, { organization, webhook })
  const row = inside ?? (await connection.all(nextBeyond, { organization }))[0]
  return row ? { ...row, due_at: row.due_at! } : null
}

/** Leases what is due of one webhook. @param onlyType of events; null: all */
export function claimDeliveries(
  connection: Sql,
  { organization, webhook }: Pick<Lane, 'organization' | 'webhook'>,
  onlyType: string | null,
  claim: Claim,
): Promise<WebhookDeliveryTable[]> {
  const type = onlyType === null ? sql`` : sql` and type = ${onlyType}`
  const which = sql`organization = ${organization} and webhook = ${webhook} and id is not null${type}`
  const key = ['account', 'number'] as const
  return claimRows<WebhookDeliveryTable>(connection, 'webhook_delivery', key, claim, claim.until, which)
}

/** Those of a webhook that wait, at most `limit`. @param exceptType of events; null: none */
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

/** Makes all that a webhook has waiting due, so that the next look at it comes soon. */
export async function hastenDeliveries(unit: AccountUnit, webhook: number): Promise<void> {
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

/** The delivery of a lease, as long as it holds. */
export async function findLeasedDelivery(
  reader: Reader,
  key: DeliveryKey,
  lease: string,
): Promise<WebhookDeliveryTable | null> {
  const { account, number } = key
  const [row] = await reader.sql.all(leased, { account, number, lease })
  return row ?? null
}

/** When the next one may be claimed, epoch ms; null: none waits. */
export async function nextDeliveryAt(reader: Reader): Promise<number | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('webhook_delivery').select('due_at').where('due_at', 'is not', null).orderBy('due_at').limit(1),
  )
  return row?.due_at ?? null
}

/** Gives back what a worker had that is dead. */
export async function releaseDeliveries(connection: Sql, now: number): Promise<void> {
  await connection.query((db) =>
    db
      .updateTable('webhook_delivery')
      .set({ lease: null, lease_until: 0, due_at: now })
      .where('due_at', 'is not', null)
      .where('lease', 'is not', null),
  )
}
