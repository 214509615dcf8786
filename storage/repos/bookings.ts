/** Bookings of public pages. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { BookingTable } from '../schema/tables.ts'
import { type Claim, claimRows } from './claim-rows.ts'

const insert = insertRow('booking')
const FREE = { lease: null, lease_until: 0 }

export async function insertBooking(
  unit: AccountUnit,
  row: Omit<BookingTable, 'account' | 'organization' | 'lease' | 'lease_until' | 'created_at'>,
): Promise<void> {
  const { account, organization, now } = unit
  await unit.sql.all(insert, { ...row, ...FREE, account, organization, created_at: now })
}

export async function findBooking(reader: Reader, account: number, nonce: string): Promise<BookingTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('booking').selectAll().where('account', '=', account).where('nonce', '=', nonce),
  )
  return row ?? null
}

export async function findBookingOfEvent(reader: Reader, account: number, event: number): Promise<BookingTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('booking').selectAll().where('account', '=', account).where('event', '=', event),
  )
  return row ?? null
}

/** Ends a lease: what was claimed is done, or something else is due. */
export async function updateBooking(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<BookingTable, 'event' | 'status' | 'start_at' | 'end_at' | 'due_at' | 'letter' | 'data'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('booking')
      .set({ ...set, ...FREE })
      .where('account', '=', unit.account)
      .where('id', '=', id),
  )
}

export async function deleteBooking(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('booking').where('account', '=', unit.account).where('id', '=', id))
}

/** Leases bookings of all accounts for which something is due, the oldest first. */
export function claimDueBookings(db: Sql, claim: Claim): Promise<BookingTable[]> {
  return claimRows(db, 'booking', claim)
}

/** When something is due for the next booking that is not leased; null: nothing is. */
export async function nextBookingDue(reader: Reader, now: number): Promise<number | null> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('booking')
      .select('due_at')
      .where('due_at', 'is not', null)
      .where('lease_until', '<=', now)
      .orderBy('due_at')
      .limit(1),
  )
  return row?.due_at ?? null
}
