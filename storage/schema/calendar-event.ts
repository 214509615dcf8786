import { int, type RowOf, table, text } from './table.ts'

/** Events of calendars. What queries compare stands in columns beside the JSON. */
export const calendarEvent = table({
  name: 'calendar_event',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'CalendarEvent',
  columns: {
    account: int,
    id: int,
    uid: text,
    /** Local time of the instance that the event is; empty for a whole event. With `uid` unique in the account. */
    recurrence_id: text,
    /** A random number, another one after each change of the event. */
    revision: int,
    /** Comma-separated numbers of its calendars, ascending. */
    calendars: text,
    is_draft: int,
    /** 1: it has a rule or overrides. */
    is_recurring: int,
    /** 1: it or one of its instances has no time zone, so that its times below are wall times as if in UTC. */
    is_floating: int,
    /** Epoch ms: no instance starts earlier or ends later. */
    start_at: int,
    end_at: int,
    /** Epoch ms of the properties `start`, `created` and `updated`, by which clients sort; 0: none. */
    first_start_at: int,
    made_at: int,
    updated_at: int,
    /** JSON of the JSCalendar Event. */
    data: text,
    created_at: int,
  },
})
export type CalendarEventTable = RowOf<typeof calendarEvent>
