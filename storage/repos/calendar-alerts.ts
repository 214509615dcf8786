/** Alerts that were triggered a short time ago. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { CalendarAlertTable } from '../schema/tables.ts'

export type FiredAlert = Pick<CalendarAlertTable, 'event' | 'uid' | 'recurrence_id' | 'alert_id'>

const insert = insertRow('calendar_alert')

/** Removes those that were triggered before `keptSince`. */
export async function addFiredAlerts(
  unit: AccountUnit,
  alerts: readonly FiredAlert[],
  keptSince: number,
): Promise<void> {
  const { account, seq, now } = unit
  await unit.sql.query((db) =>
    db.deleteFrom('calendar_alert').where('account', '=', account).where('fired_at', '<', keptSince),
  )
  for (const alert of alerts)
    await unit.sql.all(insert, { ...alert, account, id: unit.nextObject(), after_seq: seq, fired_at: now })
}

/** In the order of their triggering. @param seen sequence number up to which the reader has seen the account */
export function firedAlerts(
  reader: Reader,
  account: number,
  { seen, since }: { readonly seen: number; readonly since: number },
): Promise<FiredAlert[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('calendar_alert')
      .select(['event', 'uid', 'recurrence_id', 'alert_id'])
      .where('account', '=', account)
      .where('after_seq', '>=', seen)
      .where('fired_at', '>=', since)
      .orderBy('id'),
  )
}
