import type { JsonObject } from '../../../server/base/json.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES, CALENDARS_PARSE } from '../capability.ts'

/** JMAP Calendars 5.13: events of iCalendar files. */
export const CalendarEventParse = declareMethod({
  name: 'CalendarEvent/parse',
  capability: CALENDARS_PARSE,
  accounts: 'mailbox',
  scope: CALENDAR_SCOPES.read,
  writes: false,
  weight: 'much',
  args: { blobIds: p.list(p.id()), properties: p.list(p.string()).nullable().defaults(null) },
  answer: {
    /** By blobId. */
    parsed: p.map(p.list(p.json<JsonObject>({ type: 'object' }))).nullable(),
    notFound: p.list(p.id()).nullable(),
    notParsable: p.list(p.id()).nullable(),
  },
})
