import { EVENT_TITLE_MAX_CHARS, SCHEDULING_COMMENT_MAX_CHARS } from '../../server/base/calendar-data-limits.ts'
import { ANSWERS, answerOf } from '../calendar/answer.ts'
import { isInstanceId } from '../calendar/event-ids.ts'
import { openCalendar } from '../calendar/open-calendar.ts'
import { openEvent } from '../calendar/open-event.ts'
import { EVENT_PROPERTIES, shownEvent } from '../calendar/shown-event.ts'
import { changedParticipants, newParticipants } from '../calendar/written-attendees.ts'
import { writtenEvent } from '../calendar/written-event.ts'
import { created, destroyed, returned, set, updated } from '../calls/jmap-calls.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { CalendarEvent, writableEvent } from '../shapes/calendar-event.ts'

export const TAG: Tag = { name: 'Calendar', description: 'Events and availability of the calendar of a mailbox.' }

export const mailbox = s.string({
  maxLength: 320,
  description: 'Address of the mailbox.',
  examples: ['ada@example.com'],
})
const ofMailbox = s.object({ mailbox })
const title = s.string({ minLength: 1, maxLength: EVENT_TITLE_MAX_CHARS, examples: ['Planning'] })
const start = s.string({
  maxLength: 40,
  description: 'Local time in `timezone`, or an instant with `Z` or an offset; of an all-day event the date.',
  examples: ['2026-06-01T09:00'],
})
const sendInvitations = s.optional(s.oneOf(['true', 'false'], 'false: attendees get no mail. Default: true.'))

const RULES = {
  what: 'event',
  fields: {
    calendarIds: 'calendar_id',
    timeZone: 'timezone',
    showWithoutTime: 'all_day',
    recurrenceRule: 'recurrence',
    recurrenceOverrides: 'recurrence',
    participants: 'attendees',
    alerts: 'reminders',
    locations: 'location',
    virtualLocations: 'video_url',
    conferencing: 'conferencing_provider',
  },
  details: { calendarIds: 'unknown_reference' },
  // What the request changes has gone from the event since it was read.
  codes: { invalidPatch: 'conflict' },
} as const

const PATH_EXAMPLES = { event_id: 'cev_aaaaaaaaayaaaaaaaaaacwhgpxra' }

export const createCalendarEvent = endpoint({
  method: 'POST',
  path: '/v1/calendar/events',
  operationId: 'createCalendarEvent',
  tag: TAG,
  summary: 'Create an event',
  description:
    'Attendees get an invitation by mail. Times are local times in `timezone`; answers have instants in UTC.',
  scope: 'calendar:write',
  body: s.object({
    mailbox,
    title,
    start,
    uid: s.optional(s.string({ minLength: 1, maxLength: 255, description: 'Default: a new UUID.' })),
    ...writableEvent,
  }),
  bodyExample: {
    mailbox: 'ada@example.com',
    title: 'Planning',
    start: '2026-06-01T09:00',
    timezone: 'Europe/Berlin',
    duration: 'PT1H',
    reminders: [{ minutes_before: 15 }],
    attendees: [{ email: 'bob@example.org', name: 'Bob' }],
  },
  status: 201,
  response: CalendarEvent,
  errors: ['not_found', 'mailbox_access_denied', 'already_exists', 'provider_not_connected', 'quota_exceeded'],
  async run(input, jmap) {
    const { mailbox: address, uid, send_invitations: sends = true, ...given } = input.body
    const calendar = await openCalendar(input, jmap, address)
    const accountId = calendar.mailbox.id
    const calendarId = given.calendar_id ?? calendar.defaultCalendar
    if (calendarId === null) throw invalid('calendar_id', 'required', 'The mailbox has no default calendar.')
    const written = {
      ...writtenEvent({ ...given, calendar_id: calendarId }, null, calendar),
      ...(given.attendees !== undefined && { participants: newParticipants(given.attendees, calendar) }),
    }
    const { made } = await jmap.call({
      made: set(
        'CalendarEvent',
        {
          accountId,
          create: { event: { calendarIds: {}, ...written, ...(uid !== undefined && { uid }) } },
          returning: EVENT_PROPERTIES,
        },
        { sendSchedulingMessages: sends },
      ),
    })
    created(made, 'event', RULES)
    return shownEvent(returned(made, 'event'), calendar)
  },
})

export const getCalendarEvent = endpoint({
  method: 'GET',
  path: '/v1/calendar/events/{event_id}',
  operationId: 'getCalendarEvent',
  pathExamples: PATH_EXAMPLES,
  tag: TAG,
  summary: 'Get an event, or an instance of one',
  description: 'The id of an instance is in lists with `expand`.',
  scope: 'calendar:read',
  query: ofMailbox,
  response: CalendarEvent,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { calendar, event } = await openEvent(input, jmap, input.query.mailbox, input.params.event_id)
    return shownEvent(event, calendar)
  },
})

export const updateCalendarEvent = endpoint({
  method: 'PATCH',
  path: '/v1/calendar/events/{event_id}',
  operationId: 'updateCalendarEvent',
  resource: getCalendarEvent,
  pathExamples: PATH_EXAMPLES,
  tag: TAG,
  summary: 'Change an event, or one instance of it',
  description:
    'At least one member beside `mailbox`. null clears `description`, `timezone`, `location`, `video_url`, `recurrence`, `reminders` and `color`. `attendees` is the full list: new ones are invited, those left out get a cancellation.',
  scope: 'calendar:write',
  query: s.object({ send_invitations: sendInvitations }),
  body: s.object({ mailbox, title: s.optional(title), start: s.optional(start), ...writableEvent }),
  bodyExample: { mailbox: 'ada@example.com', start: '2026-06-01T10:00', location: null },
  response: CalendarEvent,
  errors: ['not_found', 'mailbox_access_denied', 'provider_not_connected', 'conflict'],
  async run(input, jmap) {
    const { event_id: given } = input.params
    const {
      mailbox: address,
      send_invitations: sends = input.query.send_invitations !== 'false',
      ...members
    } = input.body
    if (Object.keys(members).length === 0) throw invalid(null, 'required', 'Send at least one member of an event.')
    if (isInstanceId(given)) {
      for (const name of ['recurrence', 'calendar_id', 'conferencing_provider'] as const)
        if (members[name] !== undefined)
          throw invalid(name, 'not_allowed', `${name} belongs to the whole event, not to one instance.`)
    }
    const { calendar, event } = await openEvent(input, jmap, address, given)
    const patch = {
      ...writtenEvent(members, event, calendar),
      ...(members.attendees !== undefined && changedParticipants(members.attendees, event, calendar)),
    }
    const { changed } = await jmap.call({
      changed: set(
        'CalendarEvent',
        { accountId: calendar.mailbox.id, update: { [event.id]: patch }, returning: EVENT_PROPERTIES },
        { sendSchedulingMessages: sends },
      ),
    })
    updated(changed, event.id, RULES)
    return shownEvent(returned(changed, 'event'), calendar)
  },
})

export const deleteCalendarEvent = endpoint({
  method: 'DELETE',
  path: '/v1/calendar/events/{event_id}',
  operationId: 'deleteCalendarEvent',
  resource: getCalendarEvent,
  pathExamples: PATH_EXAMPLES,
  tag: TAG,
  summary: 'Delete an event, or one instance of it',
  description: 'Attendees get a cancellation by mail.',
  scope: 'calendar:write',
  query: s.object({ mailbox, send_invitations: sendInvitations }),
  status: 204,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox: address, send_invitations: sends } = input.query
    const { calendar, event } = await openEvent(input, jmap, address, input.params.event_id)
    const { gone } = await jmap.call({
      gone: set(
        'CalendarEvent',
        { accountId: calendar.mailbox.id, destroy: [event.id] },
        { sendSchedulingMessages: sends !== 'false' },
      ),
    })
    destroyed(gone, event.id, RULES)
    return null
  },
})

export const respondToCalendarEvent = endpoint({
  method: 'POST',
  path: '/v1/calendar/events/{event_id}/respond',
  operationId: 'respondToCalendarEvent',
  pathExamples: PATH_EXAMPLES,
  tag: TAG,
  summary: 'Answer an invitation, or that to one instance',
  description:
    'The organizer gets the answer by mail. Only for events that somebody else organizes and to which the mailbox is invited.',
  scope: 'calendar:write',
  body: s.object({
    mailbox,
    status: s.oneOf(ANSWERS),
    comment: s.optional(
      s.nullable(s.string({ maxLength: SCHEDULING_COMMENT_MAX_CHARS, description: 'For the organizer.' })),
    ),
  }),
  bodyExample: { mailbox: 'ada@example.com', status: 'accepted', comment: 'See you there.' },
  response: CalendarEvent,
  errors: ['not_found', 'mailbox_access_denied', 'conflict'],
  async run(input, jmap) {
    const { mailbox: address, status, comment = null } = input.body
    const { calendar, event } = await openEvent(input, jmap, address, input.params.event_id)
    const patch = await answerOf(jmap, calendar, event, { status, comment })
    const { changed } = await jmap.call({
      changed: set(
        'CalendarEvent',
        { accountId: calendar.mailbox.id, update: { [event.id]: patch }, returning: EVENT_PROPERTIES },
        { sendSchedulingMessages: true },
      ),
    })
    updated(changed, event.id, RULES)
    return shownEvent(returned(changed, 'event'), calendar)
  },
})

export const calendarEventEndpoints = [
  createCalendarEvent,
  getCalendarEvent,
  updateCalendarEvent,
  deleteCalendarEvent,
  respondToCalendarEvent,
]
