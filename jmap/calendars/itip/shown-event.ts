/** What the recipients of a message see of an event. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { instanceEvent } from '../icalendar/instance.ts'
import { namedInSeries } from '../icalendar/this-and-future.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import type { Event } from '../jscalendar/event.ts'
import { isExcluded } from '../jscalendar/overrides.ts'
import { mailAddressOf } from './calendar-address.ts'
import { Invited, isOfParticipants, participantOf, textOf } from './invited.ts'
import type { PlannedMessage, SchedulingJob } from './scheduling-job.ts'
import { PER_USER } from './significant-change.ts'
import { withVideo } from './video.ts'

/** The events of a message, as they are written: the series, or instances of it. */
export function eventsOf(job: SchedulingJob, message: PlannedMessage): JsonObject[] {
  if (message.method === 'REPLY') return answered(job, message)
  return message.method === 'CANCEL' ? cancelled(job, message) : requested(job, message)
}

function requested({ after, own }: SchedulingJob, { to, recurrenceIds }: PlannedMessage): JsonObject[] {
  if (after === null) return []
  const [recipient = ''] = to
  if (recurrenceIds === null) {
    const series = seriesFor(new Invited(after, new Set(own)), recipient)
    return [hiding(after, recipient, withVideo(withoutPerUser(series)))]
  }
  const shared = withoutPerUser(after)
  return recurrenceIds.flatMap((id) => {
    const instance = instanceEvent(shared, id)
    return instance ? [hiding(after, recipient, withVideo(instance))] : []
  })
}

/** JMAP Calendars 5.9.2: instances to which the recipient is not invited are excluded, or left out if no rule makes them. */
function seriesFor(invited: Invited, recipient: string): JsonObject {
  const { event, overrides } = invited
  const { recurrenceOverrides, ...series } = event
  if (recurrenceOverrides === undefined) return series
  const entries = Object.entries(overrides).flatMap(([id, patch]): [string, JsonObject][] => {
    if (invited.instance(id)?.has(recipient)) return [[id, patch]]
    if (isExcluded(patch)) return [[id, patch]]
    return invited.produces(id) ? [[id, { excluded: true }]] : []
  })
  return entries.length > 0 ? { ...series, recurrenceOverrides: Object.fromEntries(entries) } : series
}

/** JMAP Calendars 5.9.2: with `hideAttendees` the recipient is the only attendee in the message. */
function hiding(event: Event, recipient: string, shown: JsonObject): JsonObject {
  if (event.hideAttendees !== true) return shown
  const { recurrenceOverrides: overrides } = shown
  const only = { ...shown, participants: aloneIn(event, shown, recipient) }
  if (!isObject(overrides)) return only
  const entries = Object.entries(overrides).map(([id, patch]): [string, Json] => {
    if (!isObject(patch) || !Object.keys(patch).some(isOfParticipants)) return [id, patch]
    const others = Object.entries(patch).filter(([path]) => !isOfParticipants(path))
    const instance = instanceEvent(shown, id)
    return [
      id,
      { ...Object.fromEntries(others), ...(instance && { participants: aloneIn(event, instance, recipient) }) },
    ]
  })
  return { ...only, recurrenceOverrides: Object.fromEntries(entries) }
}

/** The recipient, and the organizer's name. */
function aloneIn(event: Event, shown: JsonObject, recipient: string): JsonObject {
  const own = participantOf(shown, recipient)
  const address = event.organizerCalendarAddress
  const organizer = participantOf(shown, mailAddressOf(address) ?? '')
  const name = organizer && textOf(organizer.participant['name'])
  return {
    ...(organizer && {
      [organizer.id]: { calendarAddress: address ?? '', roles: { owner: true }, ...(name !== null && { name }) },
    }),
    ...(own && { [own.id]: own.participant }),
  }
}

/** RFC 5546 3.2.5: what was invited to, with a higher sequence, and no more than says what it is. */
function cancelled({ before, after, at }: SchedulingJob, { to, recurrenceIds, subject }: PlannedMessage): JsonObject[] {
  if (before === null) return []
  const isOff = subject === 'cancelled'
  const stamp = {
    updated: after?.updated ?? formatUTC(Math.floor(at / 1000) * 1000),
    sequence: after === null ? (before.sequence ?? 0) + 1 : (after.sequence ?? 0),
  }
  const shown = recurrenceIds === null ? [brief(before)] : recurrenceIds.map((id) => brief(instanceOrPlain(before, id)))
  return shown.map((event) => ({
    ...event,
    ...stamp,
    // Somebody who is uninvited gets no STATUS: the event takes place.
    ...(isOff && { status: 'cancelled' }),
    ...(isOff && before.hideAttendees !== true ? {} : { participants: amongThese(event, to) }),
  }))
}

function instanceOrPlain(event: Event, recurrenceId: string): JsonObject {
  return instanceEvent(event, recurrenceId) ?? { ...event, recurrenceId }
}

/** RFC 5546 3.2.5: attendees of a CANCEL are those that it concerns. */
function amongThese(event: JsonObject, to: readonly string[]): JsonObject {
  const organizer = mailAddressOf(textOf(event['organizerCalendarAddress']))
  const { participants } = event
  return Object.fromEntries(
    Object.entries(isObject(participants) ? participants : {}).filter(([, participant]) => {
      const address = isObject(participant) ? mailAddressOf(textOf(participant['calendarAddress'])) : null
      return address !== null && (to.includes(address) || address === organizer)
    }),
  )
}

/** RFC 5546 3.2.3: the attendee alone, and the sequence of the request. */
function answered(
  { before, after, at }: SchedulingJob,
  { attendee, recurrenceIds, subject }: PlannedMessage,
): JsonObject[] {
  const event = after ?? before
  if (event === null || attendee === null) return []
  return (recurrenceIds ?? [null]).flatMap((id) => {
    const whole = id === null ? event : (instanceEvent(event, id) ?? (before && instanceEvent(before, id)))
    const own = whole && participantOf(whole, attendee)
    if (!whole || !own) return []
    const comment = textOf(own.participant['participationComment'])
    const named = namedInSeries(event, brief(whole))
    const kept = isObject(named['iCalendar']) ? named['iCalendar'] : {}
    return [
      {
        ...named,
        updated: formatUTC(Math.floor(at / 1000) * 1000),
        participants: { [own.id]: { ...own.participant, participationStatus: subject } },
        ...(comment !== null && { iCalendar: { ...kept, properties: [['comment', {}, 'text', comment]] } }),
      },
    ]
  })
}

const BRIEF = [
  '@type',
  'uid',
  'sequence',
  'title',
  'start',
  'duration',
  'timeZone',
  'endTimeZone',
  'showWithoutTime',
  'recurrenceId',
  'recurrenceIdTimeZone',
  'recurrenceRule',
  'locations',
  'mainLocationId',
  'locale',
  'organizerCalendarAddress',
  'participants',
]

function brief(event: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(event).filter(([name]) => BRIEF.includes(name)))
}

/** But for free or busy: invitations say whether they block time (RFC 5545 3.8.2.7). */
const PRIVATE = PER_USER.filter((name) => name !== 'freeBusyStatus')

function withoutPerUser(event: JsonObject): JsonObject {
  const isShared = ([path]: readonly [string, Json]) => !PRIVATE.includes(path.split('/', 1)[0] ?? '')
  const shared: JsonObject = { sequence: 0, ...Object.fromEntries(Object.entries(event).filter(isShared)) }
  const overrides = shared['recurrenceOverrides']
  if (!isObject(overrides)) return shared
  const entries = Object.entries(overrides).map(([id, patch]): [string, Json] => [
    id,
    isObject(patch) ? Object.fromEntries(Object.entries(patch).filter(isShared)) : patch,
  ])
  return { ...shared, recurrenceOverrides: Object.fromEntries(entries) }
}
