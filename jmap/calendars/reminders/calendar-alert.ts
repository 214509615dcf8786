/** CalendarAlert (JMAP Calendars 6.4): what clients are pushed when an alert with the action `display` is triggered. */
import { ALERT_KEPT_MS, ALERT_RECENT_MS } from '../../../server/base/reminder-limits.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { addFiredAlerts, type FiredAlert, firedAlerts } from '../../../storage/repos/calendar-alerts.ts'
import type { Services } from '../../type/context.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'

/** The pseudo-type that clients register for. It has no objects, and its state only says when to look for alerts. */
export const CALENDAR_ALERT = 'CalendarAlert'

export interface CalendarAlert {
  readonly '@type': typeof CALENDAR_ALERT
  readonly accountId: string
  /** Of the whole event, never of an instance. */
  readonly calendarEventId: string
  readonly uid: string
  /** LocalDateTime; null: the event does not recur. */
  readonly recurrenceId: string | null
  readonly alertId: string
}

/** Inside the unit of work that settles the alerts. */
export async function fireAlerts(unit: AccountUnit, alerts: readonly FiredAlert[]): Promise<void> {
  if (alerts.length === 0) return
  await addFiredAlerts(unit, alerts, unit.now - ALERT_KEPT_MS)
  unit.advanceState(CALENDAR_ALERT)
}

/**
 * Alerts that a client has not seen, in the order of their triggering.
 * @param seen sequence number up to which the client has seen the account; below 0: unknown, so that it gets the most recent ones
 */
export async function unseenAlerts(
  { ids, clock }: Pick<Services, 'ids' | 'clock'>,
  reader: Reader,
  account: number,
  seen: number,
): Promise<CalendarAlert[]> {
  const since = clock.now() - (seen < 0 ? ALERT_RECENT_MS : ALERT_KEPT_MS)
  const accountId = ids.accountId('mailbox', account)
  return (await firedAlerts(reader, account, { seen, since })).map(({ event, uid, recurrence_id, alert_id }) => ({
    '@type': CALENDAR_ALERT,
    accountId,
    calendarEventId: ids.encode(CalendarEvent, account, event),
    uid,
    recurrenceId: recurrence_id,
    alertId: alert_id,
  }))
}
