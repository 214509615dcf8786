/** Rows of subscribers. */
import { insertRows } from '../insert-rows.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { SubscriberTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { OF_PRESENT_AUDIENCE } from './audience-removals.ts'
import { findInSlices } from './slices.ts'

export type SubscriberStatus = SubscriberTable['status']

// Both are in the order of the index of addresses: without statistics SQLite would scan all subscribers of the organization instead.

/** The rows of these addresses in an audience. @param addresses normalized */
export function subscribersOf(
  reader: Reader,
  { account, audience }: { readonly account: number; readonly audience: number },
  addresses: readonly string[],
): Promise<SubscriberTable[]> {
  return findInSlices(addresses, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('subscriber')
        .selectAll()
        .where('account', '=', account)
        .where('audience', '=', audience)
        .where('address', 'in', [...slice])
        .orderBy('address'),
    ),
  )
}

const byId = statement<{ account: number; id: number }>()((db, p) =>
  db
    .selectFrom('subscriber')
    .selectAll()
    .where('account', '=', p('account'))
    .where('id', '=', p('id'))
    .where(OF_PRESENT_AUDIENCE),
)

/** The rows of these numbers. */
export function findSubscribers(reader: Reader, account: number, ids: readonly number[]): Promise<SubscriberTable[]> {
  // This statement stays prepared; lookups of one are frequent.
  if (ids.length === 1) return reader.sql.all(byId, { account, id: ids[0]! })
  return findInSlices(ids, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('subscriber')
        .selectAll()
        .where('account', '=', account)
        .where('id', 'in', [...slice])
        .where(OF_PRESENT_AUDIENCE),
    ),
  )
}

const ofAddress = statement<{ account: number; address: string }>()((db, p) =>
  db
    .selectFrom('subscriber')
    .select(['id', 'audience', 'status'])
    .where('account', '=', p('account'))
    .where('address', '=', p('address'))
    .where(OF_PRESENT_AUDIENCE)
    .orderBy('audience'),
)

/** The rows of an address in all audiences. @param address normalized */
export function everySubscriberOf(
  reader: Reader,
  account: number,
  address: string,
): Promise<Pick<SubscriberTable, 'id' | 'audience' | 'status'>[]> {
  return reader.sql.all(ofAddress, { account, address })
}

const save = insertRows('subscriber', ['display_name', 'merge_fields', 'consent_source', 'consented_at', 'updated_at'])

/** Inserts rows. One whose number exists takes over what a repeated add may change. */
export function saveSubscribers(unit: AccountUnit, rows: readonly SubscriberTable[]): Promise<void> {
  return save(unit.sql, rows)
}

export async function updateSubscriber(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<SubscriberTable, 'display_name' | 'merge_fields' | 'status' | 'updated_at'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('subscriber').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

/** @returns the row that was deleted; null: there was none */
export async function deleteSubscriber(
  unit: AccountUnit,
  id: number,
): Promise<Pick<SubscriberTable, 'audience' | 'status'> | null> {
  const [row] = await unit.sql.query((db) =>
    db
      .deleteFrom('subscriber')
      .where('account', '=', unit.account)
      .where('id', '=', id)
      .where(OF_PRESENT_AUDIENCE)
      .returning(['audience', 'status']),
  )
  return row ?? null
}
