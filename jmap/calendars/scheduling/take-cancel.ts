/** CANCEL: RFC 5546 3.2.5. What is cancelled stays in the calendar with that status, and no longer takes time. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { isDateForm } from '../icalendar/read-times.ts'
import { cut } from '../icalendar/split-series.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import { isExcluded } from '../jscalendar/overrides.ts'
import { type Decision, type KnownEvents, nothing, type WantedChange } from './decision.ts'
import { type IncomingMessage, isThisAndFuture, wholeEvent } from './incoming-message.ts'
import { Instances, overridesOf, withOverrides } from './instances.ts'
import { organizerOf, participantsOf } from './own-participants.ts'
import { type Piece, SplitEvent } from './split-event.ts'
import { instanceOf, versionAt } from './take-request.ts'
import { compareVersions, type Version, versionOf } from './versions.ts'

const OLDER = 'The cancellation changes nothing: the event in the calendar is newer.'
const ALREADY = 'The cancellation changes nothing: the calendar has nothing of it that is not cancelled.'

export function takeCancel(message: IncomingMessage, known: KnownEvents): Decision {
  const { whole, rest, instances, isOwn } = known
  if (message.events.every((event) => isAboutOthers(event, known)))
    return nothing('The cancellation changes nothing: it is for other attendees.')
  const cancelled = wholeEvent(message)
  const changes: WantedChange[] = []
  let isOlder = false
  const change = (before: StoredEvent, event: JsonObject | null) => {
    if (event !== null) changes.push({ before, event })
  }
  if (cancelled !== null) {
    for (const before of whole === null ? instances : [whole, ...rest]) {
      if (isOlderThan(cancelled, versionOf(before.event))) isOlder = true
      else change(before, cancelledWhole(before.event, cancelled))
    }
  } else if (whole !== null) {
    const { wanted, sawOlder } = cancelledInstances(message, whole, known)
    isOlder = sawOlder
    changes.push(...wanted)
  } else {
    for (const event of message.events.filter((one) => !isAboutOthers(one, { isOwn }))) {
      const before = instanceOf(instances, event)
      if (before === null) continue
      if (isOlderThan(event, versionOf(before.event))) isOlder = true
      else change(before, cancelledWhole(before.event, event))
    }
  }
  if (changes.length === 0) return nothing(isOlder ? OLDER : ALREADY)
  const from = message.sender.address
  const note =
    cancelled === null
      ? `Instances of the event of ${from} are cancelled in the calendar.`
      : `The event of ${from} is cancelled in the calendar.`
  return { notes: [note], changes }
}

/** RFC 5546 3.2.5 asks for SEQUENCE. Cyrus leaves it out; DTSTAMP alone counts then. */
function isOlderThan(message: JsonObject, stored: Version): boolean {
  return compareVersions(versionOf(message, stored), stored) < 0
}

/** RFC 5546 3.2.5: without STATUS:CANCELLED the attendees whom it names are no longer invited, and no others. */
function isAboutOthers(event: JsonObject, { isOwn }: Pick<KnownEvents, 'isOwn'>): boolean {
  if (getOwn(event, 'status') === 'cancelled') return false
  const organizer = organizerOf(event)
  const named = participantsOf(event).filter(({ address }) => address !== organizer)
  return named.length > 0 && !named.some(({ address }) => isOwn(address))
}

/** null: it is cancelled already. */
function cancelledWhole(before: JsonObject, message: JsonObject): JsonObject | null {
  const overrides = Object.entries(overridesOf(before))
  const isDone = getOwn(before, 'status') === 'cancelled' && !overrides.some(([, patch]) => isRevived(patch))
  if (isDone) return null
  const left = overrides.map(([id, { status: _status, ...patch }]) => [id, patch] as const)
  return withOverrides({ ...before, ...stampOf(message), status: 'cancelled' }, Object.fromEntries(left))
}

/** An instance that is not cancelled with its series. */
function isRevived(patch: JsonObject): boolean {
  const status = getOwn(patch, 'status')
  return status !== undefined && status !== 'cancelled'
}

function stampOf(message: JsonObject): JsonObject {
  const { sequence, stamp } = versionOf(message)
  return { ...(sequence > 0 && { sequence }), ...(stamp !== '' && { updated: stamp }) }
}

function cancelledInstances(
  message: IncomingMessage,
  whole: StoredEvent,
  known: KnownEvents,
): { wanted: WantedChange[]; sawOlder: boolean } {
  const split = new SplitEvent(whole, known)
  const instances = new Map<Piece, Instances>()
  let sawOlder = false
  for (const event of message.events) {
    const named = isAboutOthers(event, known) ? null : split.find(event)
    if (named === null) continue
    const { piece, recurrenceId } = named
    if (isOlderThan(event, versionAt(piece.event, recurrenceId))) sawOlder = true
    else if (isThisAndFuture(event)) {
      piece.event = endedBefore(piece.event, recurrenceId, event)
      for (const later of split.after(named))
        if (!isOlderThan(event, versionOf(later.event))) later.event = cancelledWhole(later.event, event) ?? later.event
    } else {
      const has = instances.get(piece) ?? new Instances(piece.event)
      instances.set(piece, has)
      if (has.has(recurrenceId)) piece.event = withCancelled(piece.event, recurrenceId, event)
    }
  }
  return { wanted: split.changes(), sawOlder }
}

function withCancelled(series: JsonObject, recurrenceId: string, message: JsonObject): JsonObject {
  const overrides = overridesOf(series)
  const patch = overrides[recurrenceId] ?? {}
  if (isExcluded(patch) || getOwn(patch, 'status') === 'cancelled') return series
  return withOverrides(series, { ...overrides, [recurrenceId]: { ...patch, ...stampOf(message), status: 'cancelled' } })
}

/** RFC 5546 3.2.5: RANGE=THISANDFUTURE ends the series. */
function endedBefore(series: JsonObject, recurrenceId: string, message: JsonObject): JsonObject {
  const start = getOwn(series, 'start')
  const rule = getOwn(series, 'recurrenceRule')
  if (typeof start === 'string' && recurrenceId <= start) return cancelledWhole(series, message) ?? series
  if (!isObject(rule) || parseLocal(recurrenceId) === null) return series
  return { ...cut(series, recurrenceId, isDateForm(series)), ...stampOf(message) }
}
