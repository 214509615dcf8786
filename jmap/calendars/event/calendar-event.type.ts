import type { JsonObject } from '../../../server/base/json.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES, CALENDARS } from '../capability.ts'
import type { Alerts } from '../jscalendar/alert.ts'
import type { Conferencing } from '../jscalendar/conferencing.ts'
import type { RecurrenceOverrides } from '../jscalendar/event.ts'
import type { Links, Relation } from '../jscalendar/link.ts'
import type { Location, VirtualLocation } from '../jscalendar/location.ts'
import type { Participants } from '../jscalendar/participant.ts'
import type { RecurrenceRule } from '../jscalendar/recurrence-rule.ts'

/** JMAP Calendars 5.9: null is as good as absent. What is inside is checked by jmap/calendars/jscalendar/check-event.ts. */
const text = () => p.string().nullable().maybe()
const flag = () => p.bool().nullable().maybe()
const uint = () => p.uint().nullable().maybe()
const set = () => p.set().nullable().maybe()
const object = <T>() => p.json<T>({ type: 'object' }).nullable().maybe()

/** A JSCalendar Event in calendars of an account. */
export const CalendarEvent = defineType({
  name: 'CalendarEvent',
  capability: CALENDARS,
  spec: 'draft-ietf-jmap-calendars 5',
  idPrefix: 'cev',
  accounts: 'mailbox',
  hasInstances: true,
  methods: ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    baseEventId: p.id().nullable().server().fixed(),
    calendarIds: p.idSet(),
    isDraft: p.bool().defaults(false),
    isOrigin: p.bool().server(),
    utcStart: text().onRequest(),
    utcEnd: text().onRequest(),

    '@type': text(),
    version: text(),
    uid: p.string().nullable().maybe().fixed(),
    relatedTo: object<{ readonly [uid: string]: Relation }>(),
    prodId: text(),
    created: text(),
    updated: text(),
    sequence: uint(),
    title: text(),
    description: text(),
    descriptionContentType: text(),
    showWithoutTime: flag(),
    locations: object<{ readonly [id: string]: Location }>(),
    mainLocationId: text(),
    virtualLocations: object<{ readonly [id: string]: VirtualLocation }>(),
    links: object<Links>(),
    locale: text(),
    keywords: set(),
    categories: set(),
    color: text(),
    recurrenceId: text(),
    recurrenceIdTimeZone: text(),
    recurrenceRule: object<RecurrenceRule>(),
    recurrenceOverrides: object<RecurrenceOverrides>(),
    priority: uint(),
    freeBusyStatus: text(),
    privacy: text(),
    organizerCalendarAddress: text(),
    sentBy: text(),
    participants: object<Participants>(),
    useDefaultAlerts: flag(),
    alerts: object<Alerts>(),
    timeZone: text(),
    start: text(),
    duration: text(),
    endTimeZone: text(),
    status: text(),
    mayInviteSelf: flag(),
    mayInviteOthers: flag(),
    hideAttendees: flag(),
    /** Vendor: a meeting at a provider that is connected to the mailbox (decision D23). */
    conferencing: object<Conferencing>(),
    iCalendar: object<JsonObject>().onRequest(),
  },
  // JSCalendar is open: vendor properties are kept.
  others: p.json().maybe(),
  filters: {
    inCalendar: p.id(),
    after: p.string(),
    before: p.string(),
    text: p.string(),
    title: p.string(),
    description: p.string(),
    location: p.string(),
    owner: p.string(),
    participant: p.string(),
    /** The name that the text had until its revision 28, for participants who are not only owners. */
    attendee: p.string(),
    uid: p.string(),
  },
  sorts: ['start', 'uid', 'recurrenceId', 'created', 'updated'],
  args: {
    get: {
      recurrenceOverridesBefore: p.utcDate().nullable().defaults(null),
      recurrenceOverridesAfter: p.utcDate().nullable().defaults(null),
      reduceParticipants: p.bool().defaults(false),
      timeZone: p.string().defaults('Etc/UTC'),
    },
    set: { sendSchedulingMessages: p.bool().defaults(false) },
    query: { expandRecurrences: p.bool().defaults(false), timeZone: p.string().defaults('Etc/UTC') },
  },
  ofBlob: ({ events }) => events,
  scopes: CALENDAR_SCOPES,
})
