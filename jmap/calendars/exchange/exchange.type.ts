/** Calendar files as methods: what CalendarEvent/parse, /get and /set do for single events, for whole calendars. */
import { EXPORT_PLACE_MAX_CHARS } from '../../../server/base/calendar-exchange-limits.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES } from '../capability.ts'

/** A page of the iCalendar text of a calendar. Pages joined in their order are one text. */
export const CalendarEventExport = declareMethod({
  name: 'CalendarEvent/export',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: CALENDAR_SCOPES.read,
  writes: false,
  weight: 'much',
  args: {
    /** null: the events of all calendars. */
    calendarId: p.id().nullable().defaults(null),
    /** `next` of the page before; null: the first page. */
    after: p.string({ maxLength: EXPORT_PLACE_MAX_CHARS }).nullable().defaults(null),
  },
  answer: {
    text: p.string(),
    /** null: it was the last page. */
    next: p.string().nullable(),
    /** Changes with every change of what the text shows. */
    state: p.string(),
    /** Name of the calendar; null: of all calendars. */
    name: p.string().nullable(),
    /** uids of events that are too large for a text. */
    leftOut: p.list(p.string()),
  },
})

const failure = p.object({ uid: p.string().nullable(), message: p.string() })

/**
 * Stores the events of an iCalendar text, as many as can be. An event whose uid the account has is updated if the text has a newer one, and
 * stays in its calendars. Nobody gets a message. Events are committed in steps: after a failure the same call goes on.
 */
export const CalendarEventImport = declareMethod({
  name: 'CalendarEvent/import',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: CALENDAR_SCOPES.write,
  writes: true,
  args: {
    /** One of both is given. */
    blobId: p.id().nullable().defaults(null),
    'data:asBase64': p.string().nullable().defaults(null),
    /** null: the default calendar. */
    calendarId: p.id().nullable().defaults(null),
  },
  answer: {
    calendarId: p.id(),
    /** Why nothing was imported, in a sentence; null: what follows was done. */
    refused: p.string().nullable(),
    created: p.uint(),
    updated: p.uint(),
    /** As new as in the text, or newer. */
    skipped: p.uint(),
    failed: p.uint(),
    /** The first of those that failed. */
    failures: p.list(failure),
  },
})
