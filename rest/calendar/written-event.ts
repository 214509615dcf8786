/** What a client writes of an event (decision D21), as properties of CalendarEvent. */
import {
  type Conferencing,
  type ConferencingProvider,
  linkOf,
  MEETING_LOCATION,
} from '../../jmap/calendars/jscalendar/conferencing.ts'
import type { Location, VirtualLocation } from '../../jmap/calendars/jscalendar/location.ts'
import type { NewOf } from '../../jmap/type/derived.ts'
import type { TypeOf } from '../schema/jmap-types.ts'
import type { RecurrenceGiven } from '../shapes/calendar-event.ts'
import { checkCalendar, type OpenCalendar } from './open-calendar.ts'
import { writtenRecurrence } from './recurrence.ts'
import { writtenReminders } from './reminders.ts'
import type { ReadEvent } from './shown-event.ts'
import type { AttendeeGiven } from './written-attendees.ts'
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

type Written = Partial<NewOf<TypeOf<'CalendarEvent'>>>

/**
 * Only what the client gives, and what follows from it. Attendees are written by themselves (written-attendees.ts).
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
