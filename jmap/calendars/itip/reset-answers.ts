/** Decision D32: a change of the times makes the answers of attendees void, of the whole event or of one instance. */
import { EVENT_MAX_BYTES } from '../../../server/base/calendar-data-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject, jsonEqual } from '../../protocol/json-object.ts'
import { instanceOf, isExcluded, overrideOf, patchBetween, plainInstance } from '../jscalendar/overrides.ts'
import { mailAddressOf } from './calendar-address.ts'
import { isOfParticipants, textOf } from './invited.ts'
import { isMoved } from './significant-change.ts'

const ANSWERED = ['accepted', 'declined', 'tentative']

/** Whether the event, or an instance of it, takes place at another time than before. */
export function hasMoved(before: JsonObject, after: JsonObject): boolean {
  return isMoved(before, after) || movedInstances(before, after).length > 0
}

/**
 * The event after the change, without the answers that it makes void. An answer that the change itself sets stays.
 * @param own mail addresses of the organizer, whose own answers stay
 */
export function withAnswersReset(before: JsonObject, after: JsonObject, own: ReadonlySet<string>): JsonObject {
  const whole = isMoved(before, after) ? resetWhole(before, after, own) : after
  const overrides = getOwn(whole, 'recurrenceOverrides')
  const moved = movedInstances(before, after)
  if (!isObject(overrides) || moved.length === 0) return whole
  let octets = 0
  const entries = moved.flatMap((id): [string, Json][] => {
    // Each participant of each instance may get paths: an event that is too large is refused, and need not be complete.
    if (octets > EVENT_MAX_BYTES) return []
    const instance = instanceOf(whole, id)
    const old = instanceOf(before, id)
    if (!instance || !old || !isObject(instance['participants'])) return []
    const reset = { ...instance, participants: resetIn(old['participants'], instance['participants'], own) }
    if (jsonEqual(reset.participants, instance['participants'])) return []
    const paths = participantPaths(patchBetween(plainInstance(whole, id), reset))
    octets += JSON.stringify(paths).length
    return [[id, { ...overrideOf(whole, id), ...paths }]]
  })
  return { ...whole, recurrenceOverrides: { ...overrides, ...Object.fromEntries(entries) } }
}

function participantPaths(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([path]) => isOfParticipants(path)))
}

/** Overrides that change when their instance takes place. */
function movedInstances(before: JsonObject, after: JsonObject): string[] {
  const overrides = getOwn(after, 'recurrenceOverrides')
  return Object.entries(isObject(overrides) ? overrides : {}).flatMap(([id, patch]) => {
    if (!isObject(patch) || isExcluded(patch) || jsonEqual(patch, overrideOf(before, id))) return []
    const [old, now] = [instanceOf(before, id), instanceOf(after, id)]
    return old && now && !isMoved(before, after) && isMoved(old, now) ? [id] : []
  })
}

function resetWhole(before: JsonObject, after: JsonObject, own: ReadonlySet<string>): JsonObject {
  const { participants } = after
  if (!isObject(participants)) return after
  const series = { ...after, participants: resetIn(before['participants'], participants, own) }
  const overrides = getOwn(after, 'recurrenceOverrides')
  if (!isObject(overrides)) return series
  const old = getOwn(before, 'recurrenceOverrides')
  const entries = Object.entries(overrides).map(([id, patch]): [string, Json] => {
    const was = isObject(old) ? getOwn(old, id) : undefined
    return [id, isObject(patch) ? withoutAnswers(participants, isObject(was) ? was : {}, patch, own) : patch]
  })
  return { ...series, recurrenceOverrides: Object.fromEntries(entries) }
}

/** An override without answers of its own, unless the change sets them. */
function withoutAnswers(
  participants: JsonObject,
  was: JsonObject,
  patch: JsonObject,
  own: ReadonlySet<string>,
): JsonObject {
  const entries = Object.entries(patch).flatMap(([path, value]): [string, Json][] => {
    if (!isOfParticipants(path) || !jsonEqual(value, was[path])) return [[path, value]]
    const [, id = '', member] = path.split('/')
    if (path === 'participants') return [[path, resetIn(value, value, own)]]
    if (member === undefined) return [[path, isObject(value) ? resetOne(value, value, own) : value]]
    const participant = participants[id]
    const isOwn = isObject(participant) && isOneOf(own, participant)
    return member === 'participationStatus' && !isOwn && ANSWERED.includes(String(value)) ? [] : [[path, value]]
  })
  return Object.fromEntries(entries)
}

function resetIn(before: Json | undefined, after: Json | undefined, own: ReadonlySet<string>): JsonObject {
  const old = isObject(before) ? before : {}
  return Object.fromEntries(
    Object.entries(isObject(after) ? after : {}).map(([id, participant]): [string, Json] => {
      const was = getOwn(old, id)
      return [id, isObject(participant) && isObject(was) ? resetOne(was, participant, own) : participant]
    }),
  )
}

/** `delegated` stays: the answer is that of the delegate. */
function resetOne(before: JsonObject, after: JsonObject, own: ReadonlySet<string>): JsonObject {
  const status = after['participationStatus']
  const stands = typeof status === 'string' && ANSWERED.includes(status) && status === before['participationStatus']
  return stands && !isOneOf(own, after) ? { ...after, participationStatus: 'needs-action', expectReply: true } : after
}

function isOneOf(own: ReadonlySet<string>, participant: JsonObject): boolean {
  const address = mailAddressOf(textOf(participant['calendarAddress']))
  return address === null || own.has(address)
}
