/** REQUEST and ADD: RFC 5546 3.2.2, 3.2.4. Pure. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn } from '../../protocol/json-object.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { patched } from '../icalendar/instance.ts'
import { firstIdOf } from '../icalendar/this-and-future.ts'
import type { PatchObject } from '../jscalendar/event.ts'
import { type Decision, type KnownEvents, nothing, type WantedChange } from './decision.ts'
import { type IncomingMessage, isThisAndFuture, wholeEvent } from './incoming-message.ts'
import { overridesOf, recurrenceIdIn, recurrenceInstant, withOverrides } from './instances.ts'
import { type IsOwn, participantsAt } from './own-participants.ts'
import { requestedEvent, requestedOverride } from './requested-event.ts'
import { SplitEvent } from './split-event.ts'
import { compareVersions, type Version, versionOf } from './versions.ts'

const OLDER = 'The calendar message changes nothing: the event in the calendar is as new, or newer.'
const TAKEN = 'The invitation changes nothing: it was taken before, and the event has been deleted since.'

export function takeRequest(message: IncomingMessage, known: KnownEvents): Decision {
  if (!message.events.some((event) => invites(event, known.isOwn)))
    return nothing('The invitation has no effect: it does not invite an address of this mailbox.')
  const whole = wholeEvent(message)
  return whole === null ? takeInstances(message, known) : takeWhole(message, whole, known)
}

/** Whether the owner stands among the participants of an event or of one of its instances. */
function invites(event: JsonObject, isOwn: IsOwn): boolean {
  const patches: PatchObject[] = [{}, ...Object.values(overridesOf(event))]
  return patches.some((patch) => participantsAt(event, patch).some(({ address }) => isOwn(address)))
}

function takeWhole(message: IncomingMessage, event: JsonObject, known: KnownEvents): Decision {
  const { whole, rest, instances, isOwn } = known
  const key = invitationKey(event)
  const pieces = message.events.filter((one) => one !== event && getOwn(one, 'recurrenceId') === undefined)
  const stored = whole === null ? [] : [whole, ...rest]
  if (stored.some((one) => compareVersions(newestOf([event, ...pieces]), versionOf(one.event)) <= 0))
    return nothing(OLDER)
  if (whole === null && known.isRemembered(key)) return nothing(TAKEN)
  const wanted = requestedEvent(event, whole?.event ?? null, isOwn)
  const joined = whole === null ? withInstances(wanted, instances, isOwn) : wanted
  const notes = [
    whole === null
      ? `The invitation of ${message.sender.address} is in the calendar.`
      : `The event of ${message.sender.address} in the calendar is updated.`,
  ]
  // JMAP Calendars 5.5: the whole event takes the place of its instances.
  const gone = [...instances, ...rest.filter(({ event: { uid } }) => !pieces.some((piece) => piece['uid'] === uid))]
  const [alone = null] = instances
  const like = whole ?? alone
  const changes: WantedChange[] = [
    ...gone.map((before) => ({ before, event: null })),
    { before: whole, event: joined, ...(like && { beside: like }) },
    ...pieces.map((piece) => ({ ...requestedPiece(piece, known), ...(like && { beside: like }) })),
  ]
  return { notes, changes, remember: [key] }
}

/** What goes on with an event, with what is the owner's own of it, or of the event that has had its instances. */
function requestedPiece(piece: JsonObject, { whole, rest, isOwn }: KnownEvents): WantedChange {
  const before = rest.find(({ event }) => event.uid === piece['uid']) ?? null
  if (before !== null || whole === null) return { before, event: requestedEvent(piece, before?.event ?? null, isOwn) }
  const { recurrenceRule: rule } = piece
  const instance = patched(whole.event as JsonObject, firstIdOf(piece) ?? String(piece['start']), {})
  return {
    before,
    event: requestedEvent(piece, rule === undefined ? instance : { ...instance, recurrenceRule: rule }, isOwn),
  }
}

function newestOf(events: readonly JsonObject[]): Version {
  return events.map((event) => versionOf(event)).reduce((best, one) => (compareVersions(one, best) > 0 ? one : best))
}

/** The series with what the owner had of it as single instances: their answers, and versions that are newer. */
function withInstances(series: JsonObject, instances: readonly StoredEvent[], isOwn: IsOwn): JsonObject {
  let joined = series
  for (const { event } of instances) {
    const recurrenceId = recurrenceIdIn(series, event)
    if (recurrenceId === null) continue
    const before = { ...withOverrides(series, {}), recurrenceOverrides: { [recurrenceId]: {} } }
    const own = requestedOverride(before, recurrenceId, event, () => false)
    const isNewer = compareVersions(versionOf(event), versionOf(series)) > 0
    // The instance as it was stands for what the owner has answered.
    const asStored = withOverrides(withOverrides(series, {}), { [recurrenceId]: own })
    const kept = isNewer ? asStored : requestedEvent(series, asStored, isOwn)
    const patch = overridesOf(kept)[recurrenceId]
    if (patch) joined = withOverrides(joined, { ...overridesOf(joined), [recurrenceId]: patch })
  }
  return joined
}

/** RFC 5546 3.2.2: RECURRENCE-ID names the instance that the REQUEST is about. */
function takeInstances(message: IncomingMessage, known: KnownEvents): Decision {
  const { whole } = known
  return whole === null ? takeAlone(message, known) : takeOverrides(message, whole, known)
}

function takeOverrides({ events, sender }: IncomingMessage, whole: StoredEvent, known: KnownEvents): Decision {
  const split = new SplitEvent(whole, known)
  const notes: string[] = []
  for (const event of events) {
    const named = split.find(event)
    if (named === null) continue
    const { piece, key, recurrenceId } = named
    if (!isNewer(event, piece.event, recurrenceId)) continue
    const follows = isThisAndFuture(event)
    if (follows && split.changeFrom(named, event, known.isOwn)) {
      notes.push(`The event of ${sender.address} is updated from the instance ${key} on.`)
      continue
    }
    const override = requestedOverride(piece.event, recurrenceId, event, known.isOwn)
    piece.event = withOverrides(piece.event, { ...overridesOf(piece.event), [recurrenceId]: override })
    notes.push(`The instance ${key} of the event of ${sender.address} is updated.`)
    if (follows) notes.push('Later instances stay as they are: the rule of the series cannot go on from this one.')
  }
  return notes.length === 0 ? nothing(OLDER) : { notes, changes: split.changes() }
}

function isNewer(event: JsonObject, series: JsonObject, recurrenceId: string): boolean {
  return compareVersions(versionOf(event), versionAt(series, recurrenceId)) > 0
}

/** What an override says of its version, else that of the series. */
export function versionAt(series: JsonObject, recurrenceId: string): Version {
  return versionOf(overridesOf(series)[recurrenceId] ?? {}, versionOf(series))
}

/** Instances of a series that the owner is not invited to. */
function takeAlone(message: IncomingMessage, known: KnownEvents): Decision {
  const changes: WantedChange[] = []
  const remember: string[] = []
  let isTaken = false
  for (const event of message.events) {
    const key = invitationKey(event)
    const before = instanceOf(known.instances, event)
    if (before === null && known.isRemembered(key)) isTaken = true
    else if (before === null || compareVersions(versionOf(event), versionOf(before.event)) > 0) {
      changes.push({ before, event: requestedEvent(event, before?.event ?? null, known.isOwn) })
      remember.push(key)
    }
  }
  if (changes.length === 0) return nothing(isTaken ? TAKEN : OLDER)
  return { notes: [`The invitation of ${message.sender.address} is in the calendar.`], changes, remember }
}

/** The stored instance that a message is about. */
export function instanceOf(instances: readonly StoredEvent[], event: JsonObject): StoredEvent | null {
  const instant = recurrenceInstant(event)
  return instances.find((one) => recurrenceInstant(one.event) === instant) ?? null
}

/** RFC 5546 3.2.4: each component becomes an instance that the rule does not produce. */
export function takeAdd(message: IncomingMessage, { whole, isOwn }: KnownEvents): Decision {
  if (whole === null) return nothing('The instance that the organizer adds has no effect: the event is unknown here.')
  let series: JsonObject = whole.event
  const versions = message.events.map((event) => versionOf(event))
  if (versions.some((version) => compareVersions(version, versionOf(series)) <= 0)) return nothing(OLDER)
  for (const event of message.events) {
    const start = getOwn(event, 'start')
    const timeZone = getOwn(event, 'timeZone') ?? null
    const instance = { ...event, recurrenceId: start ?? null, recurrenceIdTimeZone: timeZone }
    const recurrenceId = recurrenceIdIn(series, instance)
    if (recurrenceId === null) continue
    const override = requestedOverride(series, recurrenceId, instance, isOwn)
    series = withOverrides(series, { ...overridesOf(series), [recurrenceId]: override })
  }
  const [newest] = versions.toSorted((a, b) => compareVersions(b, a))
  const event = newest ? { ...series, sequence: newest.sequence, updated: newest.stamp } : series
  const notes = [`The event of ${message.sender.address} in the calendar has another instance.`]
  return { notes, changes: [{ before: whole, event }] }
}

/** Names one version of an event or of an instance: the same message makes an event once. */
function invitationKey(event: JsonObject): string {
  const { sequence, stamp } = versionOf(event)
  const parts = [getOwn(event, 'uid') ?? '', recurrenceInstant(event) ?? '', sequence, stamp]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

export function invitationKeys({ events }: IncomingMessage): string[] {
  return events.map(invitationKey)
}
