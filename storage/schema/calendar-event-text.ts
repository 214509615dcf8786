import { int, type RowOf, table, text } from './table.ts'

/** The words of an event and of its overrides, as tokens between spaces, for text conditions. */
export const calendarEventText = table({
  name: 'calendar_event_text',
  key: ['account', 'calendar_event'],
  owner: 'account',
  partOf: 'calendar_event',
  columns: {
    account: int,
    calendar_event: int,
    title: text,
    description: text,
    location: text,
    owner: text,
    attendee: text,
    /** What the other columns lack, such as keywords. */
    other: text,
  },
})
export type CalendarEventTextTable = RowOf<typeof calendarEventText>
