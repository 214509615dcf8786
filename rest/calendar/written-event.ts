/** What a client writes of an event (decision D21), as properties of CalendarEvent. */
import { mailAddressOf } from '../../jmap/calendars/event/own-addresses.ts'
import {
  type Conferencing,
  type ConferencingProvider,
  linkOf,
  MEETING_LOCATION,
} from '../../jmap/calendars/jscalendar/conferencing.ts'
import type { Location, VirtualLocation } from '../../jmap/calendars/jscalendar/location.ts'
import type { Participant, Participants } from '../../jmap/calendars/jscalendar/participant.ts'
import { normaliseAddress } from '../../jmap/message/mail-address.ts'
import type { NewOf } from '../../jmap/type/derived.ts'
import { invalid } from '../errors/api-error.ts'
import type { TypeOf } from '../schema/jmap-types.ts'
import type { RecurrenceGiven } from '../shapes/calendar-event.ts'
import { checkCalendar, type OpenCalendar } from './open-calendar.ts'
import { writtenRecurrence } from './recurrence.ts'
import { writtenReminders } from './reminders.ts'
import { attendeesOf, type ReadEvent } from './shown-event.ts'
import { type Times, type TimesGiven, writtenTimes } from './written-times.ts'

export interface EventGiven extends TimesGiven {
  readonly title?: string
  readonly calendar_id?: string
  readonly description?: string | null
  readonly location?: string | null
  readonly video_url?: string | null
  readonly conferencing_provider?: ConferencingProvider | null
  readonly color?: string | null
  readonly status?: string
  readonly free_busy_status?: string
  readonly privacy?: string
  readonly recurrence?: RecurrenceGiven | null
  readonly reminders?: readonly { readonly minutes_before: number }[] | null
  readonly attendees?: readonly AttendeeGiven[]
}

interface AttendeeGiven {
  readonly email: string
  readonly name?: string | null
}

type Written = Partial<NewOf<TypeOf<'CalendarEvent'>>>

/**
 * Only what the client gives, and what follows from it.
 * @param current the event that is changed; null: it is new
 * @throws ApiError 422
 */
export function writtenEvent(given: EventGiven, current: ReadEvent | null, calendar: OpenCalendar): Written {
  const { title, description, color, status, free_busy_status: freeBusyStatus, privacy } = given
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(color !== undefined && { color }),
    ...(status !== undefined && { status }),
    ...(freeBusyStatus !== undefined && { freeBusyStatus }),
    ...(privacy !== undefined && { privacy }),
    ...(given.calendar_id !== undefined && { calendarIds: { [checkCalendar(calendar, given.calendar_id)]: true } }),
    ...(given.location !== undefined && withLocation(given.location, current)),
    ...(given.video_url !== undefined && { virtualLocations: withVideo(given.video_url, current) }),
    ...(given.conferencing_provider !== undefined && { conferencing: withProvider(given.conferencing_provider) }),
    ...withTimes(given, current, calendar.zone),
    ...(given.reminders !== undefined && writtenReminders(given.reminders ?? [], current, calendar)),
    ...(given.attendees !== undefined && { participants: withAttendees(given.attendees, current, calendar) }),
  }
}

function withProvider(provider: ConferencingProvider | null): Conferencing | null {
  return provider && { provider }
}

const TIME_MEMBERS = ['start', 'end', 'duration', 'timezone', 'all_day'] as const

function withTimes(given: EventGiven, current: ReadEvent | null, zone: string): Written {
  const before = current && timesOf(current)
  const times =
    before && TIME_MEMBERS.every((name) => given[name] === undefined) ? before : writtenTimes(given, before, zone)
  const isChanged = (name: keyof Times) => before === null || times[name] !== before[name]
  const { recurrence } = given
  return {
    ...(isChanged('start') && { start: times.start }),
    ...(isChanged('duration') && { duration: times.duration }),
    ...(isChanged('timeZone') && { timeZone: times.timeZone }),
    ...(isChanged('showWithoutTime') && { showWithoutTime: times.showWithoutTime }),
    ...(recurrence !== undefined && { recurrenceRule: recurrence && writtenRecurrence(recurrence, times, zone) }),
    // Decision D32: without instances there are no overrides.
    ...(recurrence === null && current !== null && { recurrenceOverrides: null }),
  }
}

function timesOf({ start, duration, timeZone, showWithoutTime }: ReadEvent): Times {
  const isAllDay = showWithoutTime === true
  return {
    start: start ?? '',
    duration: duration ?? (isAllDay ? 'P1D' : 'PT0S'),
    timeZone: timeZone ?? null,
    showWithoutTime: isAllDay,
  }
}

/** The main location gets the name; null removes all. */
function withLocation(name: string | null, current: ReadEvent | null): Written {
  if (name === null) return { locations: null, mainLocationId: null }
  const locations: { readonly [id: string]: Location } = current?.locations ?? {}
  const main = current?.mainLocationId ?? Object.keys(locations)[0] ?? '1'
  return {
    locations: { ...locations, [main]: { '@type': 'Location', ...locations[main], name } },
    mainLocationId: main,
  }
}

function withVideo(uri: string | null, current: ReadEvent | null): { readonly [id: string]: VirtualLocation } | null {
  if (uri === null) return null
  const all: { readonly [id: string]: VirtualLocation } = current?.virtualLocations ?? {}
  // The one that is shown.
  const first = current && linkOf(current) !== null ? MEETING_LOCATION : (Object.keys(all)[0] ?? '1')
  return { ...all, [first]: { '@type': 'VirtualLocation', features: { video: true }, ...all[first], uri } }
}

/** Those who are invited already keep their answers. */
function withAttendees(
  attendees: readonly AttendeeGiven[],
  current: ReadEvent | null,
  { mailbox }: OpenCalendar,
): Participants | null {
  const known = current ? attendeesOf(current) : []
  const before = new Map(known.map(([id, participant, email]) => [normaliseAddress(email), { id, participant }]))
  const organizer = Object.entries(current?.participants ?? {}).find(
    ([, { calendarAddress }]) => mailAddressOf(calendarAddress) === mailAddressOf(current?.organizerCalendarAddress),
  )
  const taken = new Set(known.map(([id]) => id))
  const invited = new Map<string, Participant>()
  const seen = new Set<string>()
  for (const [index, { email, name }] of attendees.entries()) {
    const address = normaliseAddress(email)
    if (address === null) throw invalid(`attendees[${index}].email`, 'invalid_format', 'Not a mail address.')
    if (seen.has(address))
      throw invalid(`attendees[${index}].email`, 'not_allowed', 'The address is in the list twice.')
    seen.add(address)
    // The organizer takes part in any case.
    if (address === mailbox.address) continue
    const { id, participant } = before.get(address) ?? { id: freeId(taken), participant: newAttendee(email, address) }
    const { name: nameBefore = null, ...rest } = participant
    const shownName = name === undefined ? nameBefore : name
    invited.set(id, { ...rest, ...(shownName !== null && { name: shownName }) })
  }
  if (invited.size === 0) return null
  const [organizerId, organizing] = organizer ?? ['organizer', organizerOf(mailbox.address)]
  return { [organizerId]: organizing, ...Object.fromEntries(invited) }
}

function freeId(taken: Set<string>): string {
  let number = taken.size + 1
  while (taken.has(`attendee-${number}`)) number++
  taken.add(`attendee-${number}`)
  return `attendee-${number}`
}

function newAttendee(email: string, address: string): Participant {
  return {
    '@type': 'Participant',
    calendarAddress: `mailto:${address}`,
    email,
    roles: { attendee: true },
    participationStatus: 'needs-action',
    expectReply: true,
  }
}

function organizerOf(address: string): Participant {
  return {
    '@type': 'Participant',
    calendarAddress: `mailto:${address}`,
    roles: { owner: true, attendee: true },
    participationStatus: 'accepted',
  }
}
