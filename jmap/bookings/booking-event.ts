/** The event of a booking in the owner's calendar. */
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../server/base/json.ts'
import type { Reader } from '../../storage/ports.ts'
import { findCalendarEvent } from '../../storage/repos/calendar-events.ts'
import type { Interval } from '../calendars/availability/slots.ts'
import { zoneClock } from '../calendars/availability/zone-clock.ts'
import { requireDefaultCalendar } from '../calendars/calendar/calendars.ts'
import { withMeeting } from '../calendars/conferencing/event-meeting.ts'
import type { EventWrite } from '../calendars/event/event-change.ts'
import { intervalOf } from '../calendars/event/event-times.ts'
import { changeEvent } from '../calendars/event/store-event.ts'
import { eventOfRow, type StoredEvent } from '../calendars/event/stored-event.ts'
import { withVideo } from '../calendars/itip/video.ts'
import { linkOf } from '../calendars/jscalendar/conferencing.ts'
import { formatDuration, formatLocal, formatUTC } from '../calendars/jscalendar/date-times.ts'
import type { Event } from '../calendars/jscalendar/event.ts'
import type { Participant } from '../calendars/jscalendar/participant.ts'
import type { BookingData, MeetingLink } from './booking.ts'
import type { Owner } from './public-page.ts'

const MINUTE_MS = 60_000

export function newUid(): string {
  return randomUUID()
}

export interface BookedTime {
  readonly owner: Owner
  readonly data: BookingData
  /** Epoch ms. */
  readonly start: number
  readonly now: number
}

/** The invitee has accepted by booking; guests are asked. */
export function eventOf({ owner, data, start, now }: BookedTime): Event {
  const { rules, name } = data.page
  const stamp = formatUTC(Math.floor(now / 1000) * 1000)
  return {
    '@type': 'Event',
    version: '2.0',
    uid: data.uid,
    created: stamp,
    updated: stamp,
    sequence: 0,
    title: `${name}: ${data.name}`,
    ...(data.notes !== null && { description: data.notes }),
    start: formatLocal(zoneClock(rules.timezone).toLocal(start)),
    timeZone: rules.timezone,
    duration: formatDuration(rules.durationMinutes * MINUTE_MS),
    status: 'confirmed',
    freeBusyStatus: 'busy',
    organizerCalendarAddress: `mailto:${owner.address}`,
    ...(data.page.conferencing !== null && { conferencing: { provider: data.page.conferencing } }),
    participants: {
      owner: participant(owner.name, owner.address, 'accepted', { owner: true, attendee: true }),
      invitee: participant(data.name, data.email, 'accepted'),
      ...Object.fromEntries(data.guests.map((guest, i) => [`guest${i + 1}`, participant(null, guest, 'needs-action')])),
    },
  }
}

function participant(
  name: string | null,
  email: string,
  participationStatus: string,
  roles: Participant['roles'] = { attendee: true },
): Participant {
  return {
    '@type': 'Participant',
    ...(name !== null && { name }),
    email,
    calendarAddress: `mailto:${email}`,
    kind: 'individual',
    roles: roles ?? {},
    participationStatus,
    expectReply: participationStatus === 'needs-action',
  }
}

/** With the link of its meeting if it is known. A provider that is not connected any more makes none (decision D32). */
export async function withMeetingOf(reader: Reader, account: number, event: Event): Promise<Event> {
  const made = await withMeeting(reader, account, null, event)
  if (!('error' in made)) return made.event
  const { conferencing: _none, ...plain } = event
  return plain
}

export function meetingOf(event: Event): MeetingLink {
  const url = linkOf(event)
  // The owner may have written another one over it.
  if (url !== null && /^https?:\/\//i.test(url)) return { url }
  const status = event.conferencing?.status
  return status === 'pending' || status === 'failed' ? status : null
}

/** What recipients see of the event: not the notes, which a stranger may have typed with their address. */
export function shownEvent(stored: Event, pageName: string): JsonObject {
  const { description: _notes, conferencing: _own, virtualLocations, ...plain } = stored
  const event = { ...plain, title: pageName }
  // The meeting of a booking that is cancelled is no more.
  if (virtualLocations === undefined || (stored.status === 'cancelled' && linkOf(stored) !== null)) return event
  return withVideo({ ...event, virtualLocations })
}

/** The event at another time, for everybody to answer again but the invitee who moved it. */
export function movedEvent(event: Event, { data, start, now }: BookedTime): Event {
  const { rules } = data.page
  const participants = Object.entries(event.participants ?? {}).map(([id, one]): [string, Participant] =>
    id.startsWith('guest') ? [id, { ...one, participationStatus: 'needs-action', expectReply: true }] : [id, one],
  )
  return {
    ...changed(event, now),
    start: formatLocal(zoneClock(rules.timezone).toLocal(start)),
    timeZone: rules.timezone,
    duration: formatDuration(rules.durationMinutes * MINUTE_MS),
    participants: Object.fromEntries(participants),
  }
}

export function cancelledEvent(event: Event, now: number): Event {
  return { ...changed(event, now), status: 'cancelled' }
}

/** RFC 5546 2.1.4: the sequence rises with each change that matters to attendees. */
function changed(event: Event, now: number): Event {
  return { ...event, sequence: (event.sequence ?? 0) + 1, updated: formatUTC(Math.floor(now / 1000) * 1000) }
}

/** The event of a booking; null: the owner has deleted or cancelled it. */
export async function standingEvent(
  reader: Reader,
  account: number,
  number: number | null,
): Promise<StoredEvent | null> {
  const row = number === null ? null : await findCalendarEvent(reader, account, number)
  const stored = row && eventOfRow(row)
  return stored && stored.event.status !== 'cancelled' ? stored : null
}

/** Its times now: the owner may have moved it. */
export function timesOf({ event }: StoredEvent, data: BookingData): Interval {
  return intervalOf(event, data.page.rules.timezone)
}

/** Inside the unit of work. The booking tells its invitee and guests itself. @returns the number of the event */
export async function storeEvent(write: EventWrite, event: Event): Promise<number> {
  const { id: calendar } = await requireDefaultCalendar(write.unit)
  const number = write.unit.nextObject()
  const after: StoredEvent = { number, calendars: [calendar], isDraft: false, revision: 1, event }
  await change(write, null, after, [])
  return number
}

/** Inside the unit of work. */
export async function replaceEvent(write: EventWrite, before: StoredEvent, event: Event): Promise<void> {
  const names = new Set([...Object.keys(before.event), ...Object.keys(event)]) as Set<keyof Event>
  const changedNames = [...names].filter((name) => JSON.stringify(before.event[name]) !== JSON.stringify(event[name]))
  await change(write, before, { ...before, event }, changedNames)
}

async function change(write: EventWrite, before: StoredEvent | null, after: StoredEvent, names: readonly string[]) {
  const error = await changeEvent(write, {
    before,
    after,
    changed: names,
    sendSchedulingMessages: false,
    cause: 'owner',
  })
  if (error) throw new Error(`the event of a booking was refused: ${error.description ?? error.type}`)
}
