import { int, table } from './table.ts'

/** Events of each calendar. */
export const calendarEventCalendar = table({
  name: 'calendar_event_calendar',
  key: ['account', 'calendar', 'calendar_event'],
  owner: 'account',
  partOf: 'calendar_event',
  columns: { account: int, calendar: int, calendar_event: int },
})
