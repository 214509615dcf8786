/** Rows of deliveries of webhooks, which are written with their event. Queue and record are in the files beside this one. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { WebhookDeliveryTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

/** The JMAP type, whose changes also wake the worker. */
const DELIVERY = 'WebhookDelivery'

export interface NewDelivery {
  readonly webhook: number
  readonly event: { readonly account: number; readonly number: number; readonly type: string }
}

const insert = insertRow('webhook_delivery')

/**
 * A unit of work of the organization makes the delivery an object of its account at once. One of a mailbox leaves that to
 * `numberDeliveries`: if it locked the organization, all its mailboxes would wait for each other.
 * @returns its object number in the organization; null: it has none yet
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
    status: 'pending',
    attempts: 0,
    due_at: now,
    lease: null,
    lease_until: 0,
    last_status: null,
    last_error: null,
    answer: null,
    created_at: now,
    delivered_at: null,
  })
  if (id === null) unit.notify(DELIVERY)
  else unit.change(DELIVERY, id, 'c')
  return id
}

// In the order of the index of new deliveries: otherwise SQLite takes another index and scans all deliveries.
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

/** The next organization with deliveries without object numbers; null: there is none after `after`. */
export async function nextWithNew(reader: Reader, after: number): Promise<number | null> {
  const [row] = await reader.sql.all(withNew, { after })
  return row?.organization ?? null
}

/** Makes at most `limit` of the organization's new deliveries objects, oldest first. @param unit of the organization @returns how many */
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
