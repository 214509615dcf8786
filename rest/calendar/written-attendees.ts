/** Attendees as a client writes them (decision D21): the full list. The organizer takes part in any case. */
import { mailAddressOf } from '../../jmap/calendars/event/own-addresses.ts'
import type { Participant, Participants } from '../../jmap/calendars/jscalendar/participant.ts'
import { normaliseAddress } from '../../jmap/message/mail-address.ts'
import { invalid } from '../errors/api-error.ts'
import type { OpenCalendar } from './open-calendar.ts'
import { attendeesOf, type ReadEvent } from './shown-event.ts'

export interface AttendeeGiven {
  readonly email: string
  readonly name?: string | null
}

interface Wanted {
  readonly id: string
  /** null: it is new. */
  readonly known: Participant | null
  readonly participant: Participant
}

/** Of a new event. @throws ApiError 422 */
export function newParticipants(attendees: readonly AttendeeGiven[], { mailbox }: OpenCalendar): Participants | null {
  return participantsWith(wantedOf(attendees, null, mailbox.address), mailbox.address)
}

/**
 * A patch of the event that is changed. It names those only who come, go or get another name: an answer of somebody who stays may arrive
 * between the read of the event and this change.
 * @throws ApiError 422
 */
export function changedParticipants(
  attendees: readonly AttendeeGiven[],
  current: ReadEvent,
  { mailbox }: OpenCalendar,
): { [path: string]: Participants | Participant | string | null } {
  const wanted = wantedOf(attendees, current, mailbox.address)
  const participants: Participants = current.participants ?? {}
  const organizer = mailAddressOf(current.organizerCalendarAddress)
  const organizing = Object.keys(participants).find(
    (id) => organizer !== null && mailAddressOf(participants[id]!.calendarAddress) === organizer,
  )
  if (wanted.length === 0 || Object.keys(participants).length === 0)
    return { participants: participantsWith(wanted, mailbox.address) }
  const staying = new Set([organizing, ...wanted.map(({ id }) => id)])
  const gone = Object.keys(participants).filter((id) => !staying.has(id))
  return {
    ...Object.fromEntries(gone.map((id) => [`participants/${id}`, null])),
    ...(organizing === undefined && { 'participants/organizer': organizerOf(mailbox.address) }),
    ...Object.fromEntries(wanted.flatMap(changeOf)),
  }
}

function changeOf({ id, known, participant }: Wanted): [path: string, Participant | string | null][] {
  if (known === null) return [[`participants/${id}`, participant]]
  const { name = null } = participant
  return name === (known.name ?? null) ? [] : [[`participants/${id}/name`, name]]
}

function participantsWith(wanted: readonly Wanted[], organizer: string): Participants | null {
  if (wanted.length === 0) return null
  const invited = wanted.map(({ id, participant }) => [id, participant] as const)
  return { organizer: organizerOf(organizer), ...Object.fromEntries(invited) }
}

/** @param current null: the event is new @param own address of the mailbox, which organizes */
function wantedOf(attendees: readonly AttendeeGiven[], current: ReadEvent | null, own: string): Wanted[] {
  const invited = current ? attendeesOf(current) : []
  const before = new Map(invited.map(([id, participant, email]) => [normaliseAddress(email), { id, participant }]))
  const taken = new Set(Object.keys(current?.participants ?? {}))
  const wanted: Wanted[] = []
  const seen = new Set<string>()
  for (const [index, { email, name }] of attendees.entries()) {
    const address = normaliseAddress(email)
    if (address === null) throw invalid(`attendees[${index}].email`, 'invalid_format', 'Not a mail address.')
    if (seen.has(address))
      throw invalid(`attendees[${index}].email`, 'not_allowed', 'The address is in the list twice.')
    seen.add(address)
    if (address === own) continue
    const found = before.get(address)
    const participant = found?.participant ?? newAttendee(email, address)
    wanted.push({
      id: found?.id ?? freeId(taken),
      known: found?.participant ?? null,
      participant: name === undefined ? participant : named(participant, name),
    })
  }
  return wanted
}

function named({ name: _before, ...participant }: Participant, name: string | null): Participant {
  return name === null ? participant : { ...participant, name }
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
