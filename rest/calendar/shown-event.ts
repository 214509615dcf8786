/** CalendarEvent of JMAP as the contract shows it (decisions D21, D32). */
import { contractRecurrenceId, contractTimes } from '../../jmap/calendars/event/contract-times.ts'
import { mailAddressOf } from '../../jmap/calendars/event/own-addresses.ts'
import { linkOf } from '../../jmap/calendars/jscalendar/conferencing.ts'
import type { Participant } from '../../jmap/calendars/jscalendar/participant.ts'
import { isOneOf } from '../../server/base/known-names.ts'
import type { JmapObjects } from '../schema/jmap-types.ts'
import { instant } from '../schema/timestamps.ts'
import { type CalendarEventShape, EVENT_STATUSES, FREE_BUSY, PRIVACIES } from '../shapes/calendar-event.ts'
import { restEventId } from './event-ids.ts'
import type { OpenCalendar } from './open-calendar.ts'
import { shownRecurrence } from './recurrence.ts'
import { shownReminders } from './reminders.ts'

export const EVENT_PROPERTIES = [
  'id',
  'baseEventId',
  'calendarIds',
  'uid',
  'title',
  'description',
  'locations',
  'mainLocationId',
  'virtualLocations',
  'conferencing',
  'color',
  'showWithoutTime',
  'start',
  'duration',
  'timeZone',
  'status',
  'freeBusyStatus',
  'privacy',
  'recurrenceRule',
  'recurrenceId',
  'alerts',
  'useDefaultAlerts',
  'organizerCalendarAddress',
  'participants',
  'created',
  'updated',
] as const satisfies readonly (keyof JmapObjects['CalendarEvent'])[]

export type ReadEvent = Pick<JmapObjects['CalendarEvent'], (typeof EVENT_PROPERTIES)[number]>

export function shownEvent(event: ReadEvent, calendar: OpenCalendar): CalendarEventShape {
  const { mailbox, zone } = calendar
  const isAllDay = event.showWithoutTime === true
  const recurrenceId = event.recurrenceId ?? null
  return {
    object: 'calendar_event',
    id: restEventId(event.baseEventId ?? event.id, event.baseEventId === null ? null : recurrenceId, isAllDay),
    mailbox: mailbox.address,
    calendar_id: Object.keys(event.calendarIds)[0] ?? null,
    uid: event.uid ?? '',
    title: event.title ?? null,
    description: event.description ?? null,
    location: locationOf(event),
    video_url: linkOf(event) ?? Object.values(event.virtualLocations ?? {})[0]?.uri ?? null,
    conferencing_provider: event.conferencing?.provider ?? null,
    conferencing_status: event.conferencing?.status ?? null,
    conferencing_note: event.conferencing?.note ?? null,
    color: event.color ?? null,
    all_day: isAllDay,
    ...contractTimes(event, zone),
    status: isOneOf(EVENT_STATUSES, event.status) ? event.status : 'confirmed',
    free_busy_status: isOneOf(FREE_BUSY, event.freeBusyStatus) ? event.freeBusyStatus : 'busy',
    privacy: isOneOf(PRIVACIES, event.privacy) ? event.privacy : 'public',
    recurrence: event.recurrenceRule ? shownRecurrence(event.recurrenceRule, event, zone) : null,
    recurrence_id: recurrenceId === null ? null : contractRecurrenceId(recurrenceId, isAllDay),
    reminders: shownReminders(event, calendar),
    organizer: organizerOf(event),
    attendees: attendeesOf(event).map(([, participant, email]) => ({
      email,
      name: participant.name ?? null,
      status: statusOf(participant),
      invitation_status: hasFailed(participant) ? 'failed' : null,
    })),
    created_at: event.created ? instant(event.created) : null,
    updated_at: event.updated ? instant(event.updated) : null,
  }
}

function locationOf({ locations, mainLocationId }: ReadEvent): string | null {
  const main = locations?.[mainLocationId ?? ''] ?? Object.values(locations ?? {})[0]
  return main?.name ?? null
}

function organizerOf({ organizerCalendarAddress, participants }: ReadEvent): CalendarEventShape['organizer'] {
  const email = mailAddressOf(organizerCalendarAddress)
  if (email === null) return null
  const own = Object.values(participants ?? {}).find(({ calendarAddress }) => mailAddressOf(calendarAddress) === email)
  return { email, name: own?.name ?? null }
}

/** All participants with a mail address but the organizer. */
export function attendeesOf({
  organizerCalendarAddress,
  participants,
}: Pick<ReadEvent, 'organizerCalendarAddress' | 'participants'>): [id: string, Participant, email: string][] {
  const organizer = mailAddressOf(organizerCalendarAddress)
  return Object.entries(participants ?? {}).flatMap(([id, participant]) => {
    const email = mailAddressOf(participant.calendarAddress) ?? participant.email ?? null
    return email === null || email === organizer ? [] : [[id, participant, email]]
  })
}

/** RFC 5545 3.8.8.3: codes of 3 and 5 are failures of the user and of the service. */
function hasFailed({ scheduleStatus }: Participant): boolean {
  return (scheduleStatus ?? []).some((code) => /^[35]\./.test(code))
}

const STATUSES = ['needs-action', 'accepted', 'declined', 'tentative', 'delegated'] as const

function statusOf({ participationStatus }: Participant) {
  return isOneOf(STATUSES, participationStatus) ? participationStatus : 'needs-action'
}
