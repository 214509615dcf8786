import type { JsonObject } from '../../../server/base/json.ts'
import { defineType, objectStorage } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES, CALENDARS } from '../capability.ts'

const Person = p.object({
  name: p.string(),
  email: p.string().nullable(),
  principalId: p.id().nullable(),
  calendarAddress: p.string().nullable(),
})

/** A change of an event by somebody else. */
export const CalendarEventNotification = defineType({
  name: 'CalendarEventNotification',
  capability: CALENDARS,
  spec: 'draft-ietf-jmap-calendars 7',
  idPrefix: 'cen',
  accounts: 'mailbox',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    created: p.utcDate().server(),
    changedBy: Person.server(),
    comment: p.string().nullable().server(),
    type: p.oneOf(['created', 'updated', 'destroyed']).server(),
    calendarEventId: p.id().server(),
    isDraft: p.bool().nullable().server(),
    event: p.json<JsonObject>({ type: 'object' }).server(),
    eventPatch: p.json<JsonObject>({ type: 'object' }).nullable().server(),
  },
  filters: {
    after: p.utcDate().nullable(),
    before: p.utcDate().nullable(),
    type: p.string(),
    calendarEventIds: p.ids().nullable(),
  },
  sorts: ['created'],
  scopes: CALENDAR_SCOPES,
})
