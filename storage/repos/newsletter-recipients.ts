/** Rows of the recipients of newsletters. */
import { sql } from 'kysely'
import { insertRows } from '../insert-rows.ts'
import { jsonRecordset } from '../json-recordset.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { NewsletterRecipientTable, SubscriberTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { findInSlices, slicesOf } from './slices.ts'

export type RecipientStatus = NewsletterRecipientTable['status']

const insert = insertRows('newsletter_recipient')

export function insertRecipients(unit: AccountUnit, rows: readonly NewsletterRecipientTable[]): Promise<void> {
  return insert(unit.sql, rows)
}

const subscribedAfter = statement<{ account: number; audience: number; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('subscriber')
    .select(['id', 'address'])
    .where('account', '=', p('account'))
    .where('audience', '=', p('audience'))
    .where('status', '=', sql.lit('subscribed'))
    .where('id', '>', p('after'))
    .orderBy('id')
    .limit(p('limit')),
)

/** The next subscribed members of an audience, in the order of their numbers. */
export function subscribedOf(
  reader: Reader,
  of: { readonly account: number; readonly audience: number; readonly after: number; readonly limit: number },
): Promise<Pick<SubscriberTable, 'id' | 'address'>[]> {
  return reader.sql.all(subscribedAfter, of)
}

const waiting = statement<{ account: number; newsletter: number; limit: number }>()((db, p) =>
  db
    .selectFrom('newsletter_recipient as r')
    .leftJoin('subscriber as s', (join) => join.onRef('s.account', '=', 'r.account').onRef('s.id', '=', 'r.subscriber'))
    .select(['r.id', 'r.address', 's.status as subscriber_status'])
    .where('r.account', '=', p('account'))
    .where('r.newsletter', '=', p('newsletter'))
    .where('r.status', '=', sql.lit('waiting'))
    .orderBy('r.id')
    .limit(p('limit')),
)

/** A recipient, and the present status of the subscriber; null: it was deleted. */
export type WaitingRecipient = Pick<NewsletterRecipientTable, 'id' | 'address'> & {
  readonly subscriber_status: SubscriberTable['status'] | null
}

/** The next recipients whose turn has not come. */
export function waitingRecipients(
  reader: Reader,
  account: number,
  newsletter: number,
  limit: number,
): Promise<WaitingRecipient[]> {
  return reader.sql.all(waiting, { account, newsletter, limit })
}

/** A recipient with what its message is filled from; columns of a subscriber that was deleted are null. */
export type RecipientWithSubscriber = NewsletterRecipientTable & {
  readonly subscriber_status: SubscriberTable['status'] | null
  readonly display_name: string | null
  readonly merge_fields: string | null
}

export function recipientsWithSubscribers(
  reader: Reader,
  account: number,
  ids: readonly number[],
): Promise<RecipientWithSubscriber[]> {
  return findInSlices(ids, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('newsletter_recipient as r')
        .leftJoin('subscriber as s', (join) =>
          join.onRef('s.account', '=', 'r.account').onRef('s.id', '=', 'r.subscriber'),
        )
        .selectAll('r')
        .select(['s.status as subscriber_status', 's.display_name', 's.merge_fields'])
        .where('r.account', '=', account)
        .where('r.id', 'in', [...slice]),
    ),
  )
}

const one = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('newsletter_recipient').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findRecipient(
  reader: Reader,
  account: number,
  id: number,
): Promise<NewsletterRecipientTable | null> {
  const [row] = await reader.sql.all(one, { account, id })
  return row ?? null
}

export async function recipientOfSubscriber(
  reader: Reader,
  account: number,
  newsletter: number,
  subscriber: number,
): Promise<NewsletterRecipientTable | null> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('newsletter_recipient')
      .selectAll()
      .where('account', '=', account)
      .where('newsletter', '=', newsletter)
      .where('subscriber', '=', subscriber),
  )
  return row ?? null
}

export function findRecipients(
  reader: Reader,
  account: number,
  ids: readonly number[],
): Promise<NewsletterRecipientTable[]> {
  if (reader.sql.engine === 'sqlite') return each(ids, (id) => reader.sql.all(one, { account, id }))
  return findInSlices(ids, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('newsletter_recipient')
        .selectAll()
        .where('account', '=', account)
        .where('id', 'in', [...slice]),
    ),
  )
}

/** On SQLite a statement that stays prepared costs less for each row than one with a list, which is compiled for each length. */
async function each<Item, Row>(items: readonly Item[], run: (item: Item) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (const item of items) rows.push(...(await run(item)))
  return rows
}

const note = statement<{ account: number } & RecipientNote>()((db, p) =>
  db
    .updateTable('newsletter_recipient')
    .set({ status: p('status'), reason: p('reason'), finished_at: p('finished_at') })
    .where('account', '=', p('account'))
    .where('id', '=', p('id')),
)

/** What has become of a recipient. `finished_at` null: there will be another attempt. */
export type RecipientNote = Pick<NewsletterRecipientTable, 'id' | 'status' | 'reason' | 'finished_at'>

export async function noteRecipients(unit: AccountUnit, notes: readonly RecipientNote[]): Promise<void> {
  const { account } = unit
  if (notes.length === 0) return
  if (unit.sql.engine === 'sqlite') {
    for (const row of notes) await unit.sql.all(note, { account, ...row })
    return
  }
  const columns = { id: 'bigint', status: 'text', reason: 'text', finished_at: 'bigint' } as const
  await rawQuery(
    unit.sql,
    sql`update newsletter_recipient t set status = r.status, reason = r.reason, finished_at = r.finished_at
      from ${jsonRecordset(columns, notes)} where t.account = ${account} and t.id = r.id`,
  )
}

export async function updateRecipients(
  unit: AccountUnit,
  ids: readonly number[],
  set: Partial<Omit<NewsletterRecipientTable, 'account' | 'id' | 'newsletter' | 'subscriber' | 'address'>>,
): Promise<void> {
  for (const slice of slicesOf(ids))
    await unit.sql.query((db) =>
      db
        .updateTable('newsletter_recipient')
        .set(set)
        .where('account', '=', unit.account)
        .where('id', 'in', [...slice]),
    )
}

export interface RecipientList {
  readonly account: number
  readonly newsletter: number
  readonly status: RecipientStatus | null
  /** The last one of the page before; null: from the beginning. */
  readonly after: number | null
  readonly limit: number
}

/** Recipients in the order of their numbers. */
export function listRecipients(
  reader: Reader,
  { account, newsletter, status, after, limit }: RecipientList,
): Promise<NewsletterRecipientTable[]> {
  return reader.sql.query((db) => {
    let query = db
      .selectFrom('newsletter_recipient')
      .selectAll()
      .where('account', '=', account)
      .where('newsletter', '=', newsletter)
    if (status !== null) query = query.where('status', '=', status)
    if (after !== null) query = query.where('id', '>', after)
    return query.orderBy('id').limit(limit)
  })
}
