/**
 * jmap/calendars/itip: the messages that follow from a change of an event (RFC 5546, JMAP Calendars 5.9.2): who gets which, and their
 * iCalendar text. Pure: no storage, no I/O, no clock.
 *
 * This file: which changes of an event concern its attendees (decision record 0040).
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, jsonEqual } from '../../protocol/json-object.ts'

/** JMAP Calendars 5.4: of each user, so that they change nothing for the other participants. */
export const PER_USER: readonly string[] = ['keywords', 'color', 'freeBusyStatus', 'useDefaultAlerts', 'alerts']

/** When an event happens. A change makes the answers of attendees void (decision D32). */
const TIMES = ['start', 'duration', 'timeZone', 'endTimeZone', 'showWithoutTime', 'recurrenceRule']

/**
 * No message is sent if nothing else changes: JMAP Calendars 5.9.2 lets the server send only what is essential. Participants and
 * overrides are compared one by one.
 */
const SILENT = [
  ...PER_USER,
  '@type',
  'version',
  'prodId',
  'created',
  'updated',
  'sequence',
  'iCalendar',
  'conferencing',
  'participants',
  'recurrenceOverrides',
  'organizerCalendarAddress',
  'sentBy',
  'mayInviteSelf',
  'mayInviteOthers',
  'hideAttendees',
]

/** Of a participant: their answer, and what this server notes about it. */
const ANSWER = ['participationStatus', 'participationComment', 'scheduleSequence', 'scheduleUpdated', 'scheduleStatus']

/** Whether the times of two states of an event, or of an instance, differ. */
export function isMoved(before: JsonObject, after: JsonObject): boolean {
  return differ(before, after, (name) => TIMES.includes(name))
}

/** Whether all attendees are to know the change. */
export function concernsAttendees(before: JsonObject, after: JsonObject): boolean {
  return differ(before, after, (name) => !SILENT.includes(name))
}

/** Whether a participant is to know what changed in their own Participant object. */
export function concernsParticipant(before: JsonObject, after: JsonObject): boolean {
  return differ(before, after, (name) => !ANSWER.includes(name))
}

function differ(before: JsonObject, after: JsonObject, counts: (name: string) => boolean): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].some(
    (name) => counts(name) && !jsonEqual(getOwn(before, name) ?? null, getOwn(after, name) ?? null),
  )
}
