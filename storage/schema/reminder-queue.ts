import { int, nullable, type RowOf, table, text } from './table.ts'

/** The queue of reminders: one row for each account that has ever had an event with alerts. */
export const reminderQueue = table({
  name: 'reminder_queue',
  key: ['account'],
  owner: 'account',
  columns: {
    account: int,
    /** When the first of the account's reminders is due; null: none is. */
    due_at: nullable(int),
    lease: nullable(text),
    lease_until: int,
    /** Events with higher numbers must be calculated again, because what their reminders depend on has changed; null: none. */
    recalculate_after: nullable(int),
    /** Alerts that were sent since a time, for the limit of each account. */
    counted_since: int,
    counted: int,
  },
})
export type ReminderQueueTable = RowOf<typeof reminderQueue>
