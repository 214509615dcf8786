/** The queue of emails whose calendar parts could not be read while they were delivered. */
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { LateCalendarTable } from '../schema/tables.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

export async function insertLateCalendar(
  unit: AccountUnit,
  row: Pick<LateCalendarTable, 'id' | 'email' | 'recipient' | 'is_authentic' | 'sender' | 'due_at'>,
): Promise<void> {
  const { account, now } = unit
  const fresh = { account, attempts: 0, lease: null, lease_until: 0, created_at: now }
  await unit.sql.query((db) => db.insertInto('late_calendar').values({ ...row, ...fresh }))
}

/** Epoch ms at which the last email of a sender is due, in all accounts; null: none waits. */
export async function lastDueOfSender(reader: Reader, sender: string): Promise<number | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('late_calendar').select('due_at').where('sender', '=', sender).orderBy('due_at', 'desc').limit(1),
  )
  return row?.due_at ?? null
}

/** Leases emails that are due. */
export function claimLateCalendars(db: Sql, claim: Claim): Promise<LateCalendarTable[]> {
  return claimRows(db, 'late_calendar', claim)
}

export async function findLateCalendar(reader: Reader, account: number, id: number): Promise<LateCalendarTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('late_calendar').selectAll().where('account', '=', account).where('id', '=', id),
  )
  return row ?? null
}

export async function postponeLateCalendar(
  unit: AccountUnit,
  id: number,
  set: Pick<LateCalendarTable, 'due_at' | 'attempts'>,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('late_calendar')
      .set({ ...set, lease: null, lease_until: 0 })
      .where('account', '=', unit.account)
      .where('id', '=', id),
  )
}

export async function deleteLateCalendar(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('late_calendar').where('account', '=', unit.account).where('id', '=', id))
}

/** When the next email may be claimed, epoch ms; null: there is none. */
export function nextLateCalendar(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'late_calendar')
}
