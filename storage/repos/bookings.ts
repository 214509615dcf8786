/** Bookings of public pages. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { BookingTable } from '../schema/tables.ts'

const insert = insertRow('booking')

export async function insertBooking(
  unit: AccountUnit,
  row: Omit<BookingTable, 'account' | 'organization' | 'created_at'>,
): Promise<void> {
  const { account, organization, now } = unit
  await unit.sql.all(insert, { ...row, account, organization, created_at: now })
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

export async function updateBooking(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<BookingTable, 'event' | 'status' | 'start_at' | 'end_at' | 'due_at' | 'letter' | 'data'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('booking').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function deleteBooking(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('booking').where('account', '=', unit.account).where('id', '=', id))
}

/** Bookings of all accounts for which something is due, the oldest first. */
export function dueBookings(reader: Reader, now: number, limit: number): Promise<BookingTable[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('booking')
      .selectAll()
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('account')
      .orderBy('id')
      .limit(limit),
  )
}
