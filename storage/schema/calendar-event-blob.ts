import { int, table } from './table.ts'

/** Attachments of events, by their number among the account's blobs. */
export const calendarEventBlob = table({
  name: 'calendar_event_blob',
  key: ['account', 'blob', 'calendar_event'],
  owner: 'account',
  partOf: 'calendar_event',
  keepsBlob: 'always',
  columns: { account: int, blob: int, calendar_event: int },
})
