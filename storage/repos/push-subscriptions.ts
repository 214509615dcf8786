/** Rows of push subscriptions, which are also the queue of pushes. */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { PushSubscriptionTable } from '../schema/push-subscription.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows } from './claim-rows.ts'

export async function insertPushSubscription(unit: AccountUnit, row: PushSubscriptionTable): Promise<void> {
  await unit.sql.query((db) => db.insertInto('push_subscription').values(row))
}

const ofAccount = statement<{ account: number }>()((db, p) =>
  db.selectFrom('push_subscription').selectAll().where('account', '=', p('account')).orderBy('id'),
)

/** The subscriptions of all credentials of an account, oldest first. */
export function listPushSubscriptions(reader: Reader, account: number): Promise<PushSubscriptionTable[]> {
  return reader.sql.all(ofAccount, { account })
}

export async function findPushSubscription(
  { sql: connection }: { readonly sql: Sql },
  account: number,
  id: number,
): Promise<PushSubscriptionTable | null> {
  const [row] = await connection.query((db) =>
    db.selectFrom('push_subscription').selectAll().where('account', '=', account).where('id', '=', id),
  )
  return row ?? null
}

/** Keys of all subscriptions that have some. */
export async function listPushKeys(reader: Reader) {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('push_subscription').select(['account', 'id', 'organization', 'keys']).where('keys', 'is not', null),
  )
  return rows.map((row) => ({ ...row, keys: row.keys! }))
}

export async function updatePushSubscription(
  { sql: connection }: { readonly sql: Sql },
  { account, id }: Pick<PushSubscriptionTable, 'account' | 'id'>,
  set: Partial<PushSubscriptionTable>,
): Promise<void> {
  await connection.query((db) =>
    db.updateTable('push_subscription').set(set).where('account', '=', account).where('id', '=', id),
  )
}

/**
 * RFC 8620 7.2: the address and the keys must be erased. SQLite only marks deleted rows as free, but it writes a row of the same size
 * over the old one.
 */
export async function erasePushSubscription(
  connection: { readonly sql: Sql },
  row: Pick<PushSubscriptionTable, 'account' | 'id' | 'url' | 'keys' | 'code'>,
): Promise<void> {
  const blank = (text: string) => '0'.repeat(Buffer.byteLength(text))
  await updatePushSubscription(connection, row, {
    url: blank(row.url),
    keys: row.keys === null ? null : blank(row.keys),
    code: blank(row.code),
  })
  await connection.sql.query((db) =>
    db.deleteFrom('push_subscription').where('account', '=', row.account).where('id', '=', row.id),
  )
}

/** Subscriptions of these accounts, and of accounts of these organizations. */
export interface PushTargets {
  readonly accounts: readonly number[]
  readonly organizations: readonly number[]
}

const anyWaiting = statement<{ now: number }>()((db, p) =>
  db.selectFrom('push_subscription').select('id').where('due_at', '>', p('now')).limit(sql.lit(1)),
)

/** Whether a subscription of anybody is not due yet: on most systems there is none at all. */
export async function isAnyonesPushWaiting(reader: Reader, now: number): Promise<boolean> {
  return (await reader.sql.all(anyWaiting, { now })).length > 0
}

/** Whether one of these subscriptions is not due yet. */
export async function isPushWaiting(reader: Reader, of: PushTargets, now: number): Promise<boolean> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('push_subscription').select('id').where('due_at', '>', now).where(isOneOf(of)).limit(1),
  )
  return rows.length > 0
}

/** Makes subscriptions due as soon as a push to each is allowed. @param of null: all subscriptions */
export async function makePushesDue(connection: Sql, of: PushTargets | null, now: number): Promise<void> {
  await connection.query((db) => {
    const soonest = sql<number>`case when next_at > ${now} then next_at else ${now} end`
    const query = db.updateTable('push_subscription').set({ due_at: soonest }).where('due_at', '>', soonest)
    return of ? query.where(isOneOf(of)) : query
  })
}

function isOneOf({ accounts, organizations }: PushTargets) {
  const list = (numbers: readonly number[]) => sql.join(numbers.length > 0 ? numbers : [-1])
  return sql<boolean>`(account in (${list(accounts)}) or organization in (${list(organizations)}))`
}

/**
 * Leases subscriptions that are due. Their due time moves to the end of the lease: a change meanwhile moves it back, so that the change
 * is not missed, and another worker claims the subscription if this one dies.
 */
export function claimDuePushes(connection: Sql, claim: Claim): Promise<PushSubscriptionTable[]> {
  return claimRows(connection, 'push_subscription', claim, claim.until)
}

/**
 * Ends a lease. The subscription is due again at `recheckAt`, or sooner if a change made it due meanwhile, but not before `next_at`.
 * Does nothing if another worker holds the subscription by now.
 */
export async function settlePush(
  connection: Sql,
  { account, id, lease }: { account: number; id: number; lease: string },
  recheckAt: number,
  { next_at, ...set }: Partial<PushSubscriptionTable> & Pick<PushSubscriptionTable, 'next_at'>,
): Promise<void> {
  const due = sql<number>`case when due_at >= lease_until then ${recheckAt}
    when due_at < ${next_at} then ${next_at} else due_at end`
  await connection.query((db) =>
    db
      .updateTable('push_subscription')
      .set({ ...set, next_at, due_at: due, lease: null, lease_until: 0 })
      .where('account', '=', account)
      .where('id', '=', id)
      .where('lease', '=', lease),
  )
}

/** The subscription that a lease holds; null: the lease has ended. */
export async function findLeased(
  connection: Sql,
  { account, id, lease }: { account: number; id: number; lease: string },
): Promise<PushSubscriptionTable | null> {
  const row = await findPushSubscription({ sql: connection }, account, id)
  return row?.lease === lease ? row : null
}

const nextDue = statement<{ now: number }>()((db, p) =>
  db
    .selectFrom('push_subscription')
    .select('due_at')
    .where('lease_until', '<=', p('now'))
    .orderBy('due_at')
    .limit(sql.lit(1)),
)

/** When the next subscription that is not leased is due; null: there is none. */
export async function nextPushAt(reader: Reader, now: number): Promise<number | null> {
  const [row] = await reader.sql.all(nextDue, { now })
  return row?.due_at ?? null
}
