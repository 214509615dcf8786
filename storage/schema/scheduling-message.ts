import { int, nullable, type RowOf, table, text } from './table.ts'

/** Changes of events whose messages to participants are still to be written: the queue of jmap/calendars/scheduling. */
export const schedulingMessage = table({
  name: 'scheduling_message',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'calendar_event', of: 'account' },
  ],
  columns: {
    account: int,
    id: int,
    /** It may have been destroyed. */
    calendar_event: int,
    /**
     * JSON of the event before and after the change (jmap/calendars/itip/scheduling-job.ts), or of what came back
     * (jmap/mail/submission/undelivered.ts).
     */
    data: text,
    /** Messages of the change that are in the queue of mail already. */
    done: int,
    due_at: int,
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
  },
})
export type SchedulingMessageTable = RowOf<typeof schedulingMessage>
