/** REPLY: RFC 5546 3.2.3. It changes the participant whose address it is from, and nothing else. Pure. */
import { SCHEDULING_DELEGATES_MAX } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { intervalOf, UTC } from '../event/event-times.ts'
import { uuidOf } from '../icalendar/ids.ts'
import type { PatchObject } from '../jscalendar/event.ts'
import { isExcluded, plainInstance } from '../jscalendar/overrides.ts'
import { type Answer, type Decision, type KnownEvents, nothing } from './decision.ts'
import { valueAt, withValueAt } from './edit-patch.ts'
import type { IncomingMessage } from './incoming-message.ts'
import { Instances, overridesOf, recurrenceIdIn, withOverrides } from './instances.ts'
import { addressOf, type Found, participantsAt, participantsOf, participantWith } from './own-participants.ts'
import { instanceOf } from './take-request.ts'
import { compareVersions, type Version, versionOf } from './versions.ts'

const STATUSES = ['accepted', 'declined', 'tentative', 'delegated']

/** What one component of the message does. */
type Outcome =
  | { readonly event: JsonObject; readonly answer: Answer }
  | { readonly note: string; readonly shown?: boolean }

export function takeReply(message: IncomingMessage, known: KnownEvents): Decision {
  const { sender, comment } = message
  const [first] = message.events
  const stored = known.whole ?? (first ? instanceOf(known.instances, first) : null)
  if (stored === null) return nothing(`The reply of ${sender.address} has no effect: the event is unknown here.`)
  let event: JsonObject = stored.event
  const notes: string[] = []
  const answers: Answer[] = []
  const texts: string[] = []
  for (const reply of message.events) {
    const outcome = answeredEvent(event, reply, sender.address, comment)
    if ('event' in outcome) {
      event = outcome.event
      answers.push(outcome.answer)
      notes.push(`${sender.address} has answered: ${outcome.answer.status}.`)
    } else {
      notes.push(outcome.note)
      if (outcome.shown) texts.push([outcome.note, comment].filter(Boolean).join(' '))
    }
  }
  const changes = answers.length > 0 ? [{ before: stored, event }] : []
  return { notes: [...new Set(notes)], changes, answers, notices: texts.map((text) => ({ about: stored, text })) }
}

function answeredEvent(event: JsonObject, reply: JsonObject, address: string, comment: string | null): Outcome {
  const given = participantWith(reply, address)
  const status = given && getOwn(given.participant, 'participationStatus')
  if (!given || typeof status !== 'string' || !STATUSES.includes(status))
    return { note: `The reply of ${address} has no effect: it says no status.` }
  const isInstance = getOwn(reply, 'recurrenceId') !== undefined && getOwn(event, 'recurrenceId') === undefined
  const recurrenceId = isInstance ? recurrenceIdIn(event, reply) : null
  if (isInstance && (recurrenceId === null || !new Instances(event).has(recurrenceId)))
    return { note: `The reply of ${address} has no effect: the event has no such instance.` }
  const patch = recurrenceId === null ? {} : (overridesOf(event)[recurrenceId] ?? {})
  if (isExcluded(patch)) return { note: `The reply of ${address} has no effect: the instance was removed.` }
  const outdated = versionOf(reply).sequence < versionOf(patch, versionOf(event)).sequence
  if (outdated && !isForSameTime(event, recurrenceId, reply))
    return { note: `The reply of ${address} has no effect: it answers an older version of the event.` }
  const invited = participantsAt(event, patch).find((one) => one.address === address)
  if (!invited && getOwn(event, 'mayInviteSelf') !== true)
    return { note: `${address} answers without being invited: ${status}. They are not added.`, shown: true }
  const answer = { attendee: address, status, recurrenceId }
  const before = invited ?? uninvited(event, given)
  if (invited && compareVersions(versionOf(reply), lastReplyOf(event, recurrenceId, patch, invited)) <= 0)
    return { note: `The reply of ${address} changes nothing: a newer one has been taken, or the same.` }
  const participant = answered(before.participant, given, reply, comment)
  const people = [{ ...before, participant }, ...delegates(event, given, before, reply)]
  return { event: withPeople(event, recurrenceId, people), answer }
}

/** JMAP Calendars 5.2. RFC 5546 2.1.5: replies to the series and to an instance do not supersede each other. */
function lastReplyOf(event: JsonObject, recurrenceId: string | null, patch: PatchObject, { id }: Found): Version {
  const at = (name: string) => valueAt(recurrenceId === null ? event : {}, patch, ['participants', id, name])
  const [sequence, stamp] = [at('scheduleSequence'), at('scheduleUpdated')]
  return { sequence: typeof sequence === 'number' ? sequence : -1, stamp: typeof stamp === 'string' ? stamp : '' }
}

/** RFC 5546 3.2.3: replies repeat DTSTART, by which it shows that another change has raised SEQUENCE. */
function isForSameTime(event: JsonObject, recurrenceId: string | null, reply: JsonObject): boolean {
  const now =
    recurrenceId === null ? event : { ...plainInstance(event, recurrenceId), ...overridesOf(event)[recurrenceId] }
  const [own, given] = [startOf(now), startOf(reply)]
  return own !== null && own === given
}

function startOf(event: JsonObject): number | null {
  const { start, timeZone } = event
  if (typeof start !== 'string') return null
  return intervalOf({ start, timeZone: typeof timeZone === 'string' ? timeZone : null }, UTC).start
}

function uninvited(event: JsonObject, { address, participant }: Found): Found {
  const name = getOwn(participant, 'name')
  const taken = getOwn(event, 'participants')
  return {
    id: freeId(isObject(taken) ? taken : {}, address),
    address,
    participant: {
      '@type': 'Participant',
      calendarAddress: `mailto:${address}`,
      roles: { attendee: true },
      ...(typeof name === 'string' && { name }),
    },
  }
}

function freeId(taken: JsonObject, address: string): string {
  const id = uuidOf(`mailto:${address}`)
  return Object.hasOwn(taken, id) ? uuidOf(`${id} ${address}`) : id
}

/** The members that the answer sets. */
function answered(participant: JsonObject, given: Found, reply: JsonObject, comment: string | null): JsonObject {
  const { participationComment: _before, delegatedTo: _delegated, ...kept } = participant
  const { sequence, stamp } = versionOf(reply)
  const status = getOwn(given.participant, 'participationStatus') ?? null
  const delegatedTo = status === 'delegated' ? getOwn(given.participant, 'delegatedTo') : undefined
  return {
    ...kept,
    participationStatus: status,
    scheduleSequence: sequence,
    ...(stamp !== '' && { scheduleUpdated: stamp }),
    ...(comment !== null && { participationComment: comment }),
    ...(isObject(delegatedTo) && { delegatedTo }),
  }
}

/**
 * RFC 5546 3.2.2.3: whom the attendee sends in their place joins the event, and is asked for an answer. Delegates do not delegate further, and
 * an attendee has few: the organizer's mailbox writes to them with each change.
 */
function delegates(event: JsonObject, given: Found, before: Found, reply: JsonObject): Found[] {
  const to = getOwn(given.participant, 'delegatedTo')
  const isDelegate = getOwn(before.participant, 'delegatedFrom') !== undefined
  if (getOwn(given.participant, 'participationStatus') !== 'delegated' || !isObject(to) || isDelegate) return []
  const addresses = Object.keys(to).flatMap((address) => addressOf(address) ?? [])
  const fresh = [...new Set(addresses)].filter((address) => participantWith(event, address) === null)
  const room = Math.max(0, SCHEDULING_DELEGATES_MAX - delegatesOf(event, given.address))
  return fresh.slice(0, room).map((address) => {
    const named = participantsOf(reply).find((one) => one.address === address)
    const added = uninvited(event, named ?? { id: '', address, participant: {} })
    const delegatedFrom = { [`mailto:${given.address}`]: true }
    return {
      ...added,
      participant: { ...added.participant, delegatedFrom, participationStatus: 'needs-action', expectReply: true },
    }
  })
}

/** How many an attendee has, of the event and of its instances. */
function delegatesOf(event: JsonObject, address: string): number {
  const all = [
    ...participantsOf(event),
    ...Object.values(overridesOf(event)).flatMap((patch) => participantsAt({}, patch)),
  ]
  return all.filter(({ participant }) => {
    const from = getOwn(participant, 'delegatedFrom')
    return isObject(from) && Object.keys(from).some((one) => addressOf(one) === address)
  }).length
}

function withPeople(event: JsonObject, recurrenceId: string | null, people: readonly Found[]): JsonObject {
  const participants = getOwn(event, 'participants')
  const known = isObject(participants) ? participants : {}
  if (recurrenceId === null) {
    const changed = Object.fromEntries(people.map(({ id, participant }) => [id, participant]))
    return { ...event, participants: { ...known, ...changed } }
  }
  let patch = overridesOf(event)[recurrenceId] ?? {}
  for (const { id, participant } of people) {
    const before = participantsAt(event, patch).find((one) => one.id === id)
    if (!before) patch = withValueAt(patch, ['participants', id], participant)
    else
      for (const name of CHANGED) {
        const value = getOwn(participant, name)
        if (value !== undefined) patch = withValueAt(patch, ['participants', id, name], value)
      }
  }
  return withOverrides(event, { ...overridesOf(event), [recurrenceId]: patch })
}

const CHANGED = ['participationStatus', 'scheduleSequence', 'scheduleUpdated', 'participationComment', 'delegatedTo']
