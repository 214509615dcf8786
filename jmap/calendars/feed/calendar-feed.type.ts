import { SERVICE } from '../../type/capabilities.ts'
import { defineType, objectStorage } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES } from '../capability.ts'

/**
 * A secret URL under which anybody who knows it may read a calendar as iCalendar text. Only a hash of its secret is stored; its path is
 * returned once, at creation. Destroying it ends the URL.
 */
export const CalendarFeed = defineType({
  name: 'CalendarFeed',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'cfd',
  accounts: 'mailbox',
  storage: objectStorage<{ readonly secretHash: string }>(),
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    /** null: the events of all calendars. */
    calendarId: p.id().nullable().fixed().defaults(null),
    createdAt: p.utcDate().server().fixed(),
  },
  /** Below the URL of the server, such as `/calendar/feeds/1-2-....ics`. */
  atCreation: { path: p.string() },
  scopes: CALENDAR_SCOPES,
})
