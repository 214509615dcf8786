/**
 * The event of a REQUEST as the calendar keeps it: what the organizer says, with what is the owner's own (JMAP Calendars 5.4): their answer,
 * alerts, keywords and colour. Pure, and linear in the size of both events.
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject, jsonEqual, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { instanceTimes, intervalOf, type Timed, UTC } from '../event/event-times.ts'
import { diffEvents } from '../icalendar/patch-diff.ts'
import { withoutSeries } from '../icalendar/series-notes.ts'
import { PER_USER } from '../itip/significant-change.ts'
import type { Event, PatchObject } from '../jscalendar/event.ts'
import { instanceOf, isExcluded, plainInstance } from '../jscalendar/overrides.ts'
import { valueAt, withValueAt } from './edit-patch.ts'
import { Instances, overridesOf, withOverrides } from './instances.ts'
import { type IsOwn, participantsAt, participantsOf } from './own-participants.ts'
import { compareVersions, versionOf } from './versions.ts'

const NONE: PatchObject = {}
const NO_ANSWER = 'needs-action'

/** @param stored the event before; null: it is new */
export function requestedEvent(message: JsonObject, stored: JsonObject | null, isOwn: IsOwn): JsonObject {
  const { recurrenceOverrides: _overrides, ...said } = message
  const main = withPersonal(said, stored)
  // Decision D32: a new time asks for a new answer.
  const isKept = stored !== null && !isMoved(stored, message)
  const participants = answered(main, (address) => (isKept ? answerOf(stored, NONE, address) : NO_ANSWER), isOwn)
  const whole = participants === null ? main : { ...main, participants }
  return withOverrides(whole, overridesFor(whole, message, stored, isKept, isOwn))
}

/** An instance of a stored series as a REQUEST about it alone wants it: its override. */
export function requestedOverride(
  series: JsonObject,
  recurrenceId: string,
  message: JsonObject,
  isOwn: IsOwn,
): PatchObject {
  const patch = overridesOf(series)[recurrenceId] ?? NONE
  const before = instanceOf(series, recurrenceId) ?? plainInstance(series, recurrenceId)
  const wanted = withPersonal(message, before)
  const isKept = !isExcluded(patch) && isSameTime(before as Event, wanted as Event)
  const participants = answered(wanted, (address) => (isKept ? answerOf(series, patch, address) : NO_ANSWER), isOwn)
  const instance = participants === null ? wanted : { ...wanted, participants }
  return diffEvents({ ...withoutSeries(series), start: recurrenceId }, instance)
}

/** Zones may differ where the instants are the same. */
function isSameTime(a: Timed, b: Timed): boolean {
  const [before, after] = [intervalOf(a, UTC), intervalOf(b, UTC)]
  return before.start === after.start && before.end === after.end
}

/** Of a new event the alerts and the colour of the organizer do not count. */
function withPersonal(message: JsonObject, stored: JsonObject | null): JsonObject {
  const left = stored === null ? ['color', 'alerts', 'useDefaultAlerts'] : PER_USER
  const said = Object.fromEntries(Object.entries(message).filter(([name]) => !left.includes(name)))
  if (stored === null) return { ...said, useDefaultAlerts: true }
  const own = PER_USER.flatMap((name) => {
    const value = getOwn(stored, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...said, ...Object.fromEntries(own) }
}

const TIMES = ['start', 'duration', 'timeZone', 'showWithoutTime', 'recurrenceRule'] as const

/** Whether the times or the rule differ. */
function isMoved(before: JsonObject, after: JsonObject): boolean {
  return TIMES.some((name) => !same(before, after, name))
}

const ABSENT: JsonObject = { duration: 'PT0S', timeZone: null, showWithoutTime: false, recurrenceRule: null }

function same(a: JsonObject, b: JsonObject, name: string): boolean {
  const absent = getOwn(ABSENT, name)
  return jsonEqual(getOwn(a, name) ?? absent, getOwn(b, name) ?? absent)
}

/** The participants with the owner's answers; null: there are none. */
function answered(event: JsonObject, answer: (address: string) => string, isOwn: IsOwn): JsonObject | null {
  const participants = getOwn(event, 'participants')
  if (!isObject(participants)) return null
  const all: MutableJsonObject = { ...participants }
  for (const { id, address, participant } of participantsOf(event))
    if (isOwn(address)) setOwn(all, id, { ...participant, participationStatus: answer(address) })
  return all
}

/** What the participant with an address has answered, of a series or of an instance with an override. */
function answerOf(event: JsonObject, patch: PatchObject, address: string): string {
  const found = participantsAt(event, patch).find((one) => one.address === address)
  const answer = found && valueAt(event, patch, ['participants', found.id, 'participationStatus'])
  return typeof answer === 'string' ? answer : NO_ANSWER
}

/**
 * The overrides of the message with the owner's answers, and of those that the message does not name what is the owner's own. One that came by
 * itself and is newer than the message stays.
 */
function overridesFor(
  whole: JsonObject,
  message: JsonObject,
  stored: JsonObject | null,
  isKept: boolean,
  isOwn: IsOwn,
): { [recurrenceId: string]: PatchObject } {
  const known = stored === null ? {} : overridesOf(stored)
  const overrides: { [recurrenceId: string]: PatchObject } = {}
  for (const [recurrenceId, patch] of Object.entries(overridesOf(message))) {
    const own = known[recurrenceId] ?? NONE
    setOwn(
      overrides,
      recurrenceId,
      isExcluded(patch) ? patch : mergedOverride(whole, stored, recurrenceId, patch, own, isOwn),
    )
  }
  if (stored === null) return overrides
  const instances = new Instances(withOverrides(whole, overrides))
  const version = versionOf(message)
  for (const [recurrenceId, patch] of Object.entries(known)) {
    if (Object.hasOwn(overrides, recurrenceId)) continue
    const isNewer = compareVersions(versionOf(patch, version), version) > 0
    const left = isNewer
      ? patch
      : isKept && instances.isProduced(recurrenceId)
        ? personalPatch(stored, patch, isOwn)
        : NONE
    if (Object.keys(left).length > 0) setOwn(overrides, recurrenceId, left)
  }
  return overrides
}

function mergedOverride(
  whole: JsonObject,
  stored: JsonObject | null,
  recurrenceId: string,
  given: PatchObject,
  own: PatchObject,
  isOwn: IsOwn,
): PatchObject {
  const left = stored === null ? ['color', 'alerts', 'useDefaultAlerts'] : PER_USER
  const said = Object.entries(given).filter(([path]) => !left.includes(topOf(path)))
  const personal = Object.entries(own).filter(([path]) => PER_USER.includes(topOf(path)))
  let patch: PatchObject = Object.fromEntries([...said, ...personal])
  const before = stored && instanceTimes(stored as Event, recurrenceId, own)
  const after = instanceTimes(whole as Event, recurrenceId, patch)
  const isKept = before !== null && after !== null && isSameTime(before, after)
  for (const { id, address } of participantsAt(whole, patch)) {
    if (!isOwn(address)) continue
    const answer = isKept && stored !== null ? answerOf(stored, own, address) : NO_ANSWER
    const path = ['participants', id, 'participationStatus']
    if (valueAt(whole, patch, path) !== answer) patch = withValueAt(patch, path, answer)
  }
  return patch
}

/** What of an override only the owner has written. */
function personalPatch(stored: JsonObject, patch: PatchObject, isOwn: IsOwn): PatchObject {
  const ids = participantsOf(stored).flatMap(({ id, address }) => (isOwn(address) ? [id] : []))
  const answers = new Set(ids.map((id) => `participants/${id}/participationStatus`))
  return Object.fromEntries(
    Object.entries(patch).filter(([path]) => PER_USER.includes(topOf(path)) || answers.has(path)),
  )
}

function topOf(path: string): string {
  return path.split('/', 1)[0] ?? ''
}
