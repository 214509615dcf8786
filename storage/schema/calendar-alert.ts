import { int, nullable, type RowOf, table, text } from './table.ts'

/** Alerts that were triggered a short time ago, until all nodes have pushed them (JMAP Calendars 6.4). */
export const calendarAlert = table({
  name: 'calendar_alert',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'event', of: 'account' },
  ],
  columns: {
    account: int,
    id: int,
    /** The account's newest sequence number before the commit of the alert: who has seen no later one has not seen the alert. */
    after_seq: int,
    fired_at: int,
    /** The CalendarEvent, which may have been destroyed since. */
    event: int,
    uid: text,
    recurrence_id: nullable(text),
    alert_id: text,
  },
})
export type CalendarAlertTable = RowOf<typeof calendarAlert>
