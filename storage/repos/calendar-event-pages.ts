/** Events of an account in the order of their numbers, for texts of whole calendars. */
import type { Reader } from '../ports.ts'
import { statement } from '../statement.ts'
import type { CalendarEventRow } from './calendar-events.ts'

const SHOWN = ['id', 'uid', 'recurrence_id', 'revision', 'calendars', 'is_draft', 'data', 'created_at'] as const

const ofAccount = statement<{ account: number; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('calendar_event')
    .select(SHOWN)
    .where('account', '=', p('account'))
    .where('id', '>', p('after'))
    .orderBy('id')
    .limit(p('limit')),
)

const ofCalendar = statement<{ account: number; calendar: number; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('calendar_event_calendar')
    .innerJoin('calendar_event', (join) =>
      join
        .onRef('calendar_event.account', '=', 'calendar_event_calendar.account')
        .onRef('calendar_event.id', '=', 'calendar_event_calendar.calendar_event'),
    )
    .select([
      'calendar_event.id',
      'calendar_event.uid',
      'calendar_event.recurrence_id',
      'calendar_event.revision',
      'calendar_event.calendars',
      'calendar_event.is_draft',
      'calendar_event.data',
      'calendar_event.created_at',
    ])
    .where('calendar_event_calendar.account', '=', p('account'))
    .where('calendar_event_calendar.calendar', '=', p('calendar'))
    .where('calendar_event_calendar.calendar_event', '>', p('after'))
    .orderBy('calendar_event_calendar.calendar_event')
    .limit(p('limit')),
)

export interface EventsAfter {
  /** null: of all calendars. */
  readonly calendar: number | null
  /** Number of an event. */
  readonly after: number
  readonly limit: number
}

export function calendarEventsAfter(
  reader: Reader,
  account: number,
  { calendar, after, limit }: EventsAfter,
): Promise<CalendarEventRow[]> {
  return calendar === null
    ? reader.sql.all(ofAccount, { account, after, limit })
    : reader.sql.all(ofCalendar, { account, calendar, after, limit })
}

const starts = statement<{ account: number }>()((db, p) =>
  db
    .selectFrom('calendar_event')
    .select((eb) => [eb.fn.min('first_start_at').as('first'), eb.fn.max('first_start_at').as('last')])
    .where('account', '=', p('account')),
)

/** Epoch ms of the first and the last start of the events of an account; null: it has none. */
export async function startsOfEvents(reader: Reader, account: number): Promise<{ first: number; last: number } | null> {
  const [row] = await reader.sql.all(starts, { account })
  return row === undefined || row.first === null || row.last === null
    ? null
    : { first: Number(row.first), last: Number(row.last) }
}
