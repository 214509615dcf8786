import { int, type RowOf, table } from './table.ts'

/** When events have their next alert. Events without one have no row. */
export const calendarEventReminder = table({
  name: 'calendar_event_reminder',
  key: ['account', 'calendar_event'],
  owner: 'account',
  partOf: 'calendar_event',
  columns: {
    account: int,
    calendar_event: int,
    /** Epoch ms. Never later than the next alert: an event that changed is due at once, so that its next alert is calculated. */
    due_at: int,
    /** Alerts of this time and earlier are settled. */
    settled_at: int,
  },
})
export type CalendarEventReminderTable = RowOf<typeof calendarEventReminder>
