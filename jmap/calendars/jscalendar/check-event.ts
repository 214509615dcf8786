/** What is wrong in an Event: of all of it when it is made, of what changed when it changes. */
import { EVENT_MAX_ADDRESSES, EVENT_MAX_BYTES, EVENT_MAX_OVERRIDES } from '../../../server/base/calendar-data-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { type PatchNode, type PatchTree, splitPatch } from '../../protocol/patch.ts'
import type { Event } from './event.ts'
import { EVENT_MEMBERS, isLocalDateTime } from './event-shape.ts'
import { isIgnoredInOverrides } from './overrides.ts'
import { below, Faults, objectOf, type PropertyFault, type Shape, tooMany } from './shape.ts'

const EVENT = objectOf(EVENT_MEMBERS, ['@type', 'uid', 'start'])

/** JMAP Calendars 5, 5.1, 5.9: names that have no place in an override. */
const NEVER_IN_OVERRIDES = [
  'id',
  'baseEventId',
  'calendarIds',
  'isDraft',
  'isOrigin',
  'utcStart',
  'utcEnd',
  'method',
  'mayInviteSelf',
  'mayInviteOthers',
  'hideAttendees',
  'conferencing',
]

/** @param event without the properties of JMAP (`id`, `calendarIds` ...) */
export function checkEvent(event: JsonObject): readonly PropertyFault[] {
  const faults = new Faults()
  if (Buffer.byteLength(JSON.stringify(event)) > EVENT_MAX_BYTES)
    return [{ path: '', fault: `has at most ${EVENT_MAX_BYTES} octets` }]
  EVENT.check(event, '', faults)
  // JMAP Calendars 5: `method` is of scheduling messages, not of events in a store.
  if (event['method'] !== undefined) faults.add('method', 'cannot be set')
  const { recurrenceId, recurrenceRule, recurrenceOverrides } = event
  // jscalendarbis 3.3.1: an instance by itself does not recur.
  if (recurrenceId !== undefined && (recurrenceRule !== undefined || recurrenceOverrides !== undefined))
    faults.add('recurrenceId', 'does not go together with recurrenceRule and recurrenceOverrides')
  if (recurrenceOverrides !== undefined) checkOverrides(event, recurrenceOverrides, faults)
  return faults.list
}

function checkOverrides(event: JsonObject, overrides: Json, faults: Faults): void {
  const path = 'recurrenceOverrides'
  if (!isObject(overrides)) {
    faults.add(path, 'is an object')
    return
  }
  const entries = Object.entries(overrides)
  if (entries.length > EVENT_MAX_OVERRIDES) {
    faults.add(path, `has at most ${EVENT_MAX_OVERRIDES} members`)
    return
  }
  for (const [recurrenceId, patch] of entries) {
    const at = below(path, recurrenceId.slice(0, 255))
    if (faults.isFull) return
    if (!isLocalDateTime(recurrenceId)) faults.add(at, 'is not a LocalDateTime')
    else if (isObject(patch)) checkOverride(event, patch, at, faults)
    else faults.add(at, 'is a PatchObject')
  }
  if (addressesIn(event, entries).size > EVENT_MAX_ADDRESSES)
    faults.add(path, `names at most ${EVENT_MAX_ADDRESSES} participants, with those of the event`)
}

/** Of the participants of an event and of its overrides: each gets messages. */
function addressesIn(event: JsonObject, overrides: readonly (readonly [string, Json])[]): Set<Json> {
  const addresses = new Set<Json>()
  const add = (participant: Json) => {
    const address = isObject(participant) ? getOwn(participant, 'calendarAddress') : undefined
    if (address !== undefined) addresses.add(address)
  }
  const addAll = (participants: Json | undefined) => {
    if (isObject(participants)) for (const participant of Object.values(participants)) add(participant)
  }
  addAll(getOwn(event, 'participants'))
  for (const [, patch] of overrides)
    for (const [path, value] of isObject(patch) ? Object.entries(patch) : []) {
      if (path === 'participants') addAll(value)
      else if (!path.startsWith('participants/')) continue
      else if (path.endsWith('/calendarAddress')) addresses.add(value)
      else add(value)
    }
  return addresses
}

function checkOverride(event: JsonObject, patch: JsonObject, at: string, faults: Faults): void {
  const split = splitPatch(patch)
  if ('error' in split) {
    faults.add(at, `is not a PatchObject: ${split.error.description ?? ''}`)
    return
  }
  if ('excluded' in patch && typeof patch['excluded'] !== 'boolean') faults.add(below(at, 'excluded'), 'is a boolean')
  for (const [name, node] of split.properties) {
    if (name === 'excluded' || isIgnoredInOverrides(name)) continue
    if (NEVER_IN_OVERRIDES.includes(name)) faults.add(below(at, name), 'cannot be set in an override')
    else checkNode(node, { shape: EVENT, name, value: event, at, faults })
  }
}

interface Place {
  /** Of the object that has the member. */
  readonly shape: Shape | undefined
  readonly value: Json | undefined
  readonly name: string
  readonly at: string
  readonly faults: Faults
}

function checkNode(node: PatchNode, { shape, value, name, at, faults }: Place): void {
  const path = below(at, name)
  if (!isObject(value)) {
    faults.add(path, 'changes a member of what the event does not have')
    return
  }
  if ('value' in node) {
    const fault = node.value === null ? null : (shape?.keyFault?.(name) ?? null)
    if (fault !== null) faults.add(path, fault)
    else if (node.value !== null) shape?.member?.(name)?.check(node.value, path, faults)
    else if (shape?.requires?.(name)) faults.add(path, 'cannot be removed')
    return
  }
  checkMembers(node.members, { shape: shape?.member?.(name), value: getOwn(value, name), at: path, faults })
}

function checkMembers(members: PatchTree, place: Omit<Place, 'name'>): void {
  for (const [name, node] of members) checkNode(node, { ...place, name })
  const { shape, value, at, faults } = place
  const max = shape?.maxMembers
  if (max === undefined || !isObject(value)) return
  let added = 0
  for (const [name, node] of members)
    if ('value' in node) added += Number(node.value !== null) - Number(getOwn(value, name) !== undefined)
  if (added > 0 && Object.keys(value).length + added > max) faults.add(at, tooMany(max))
}

/** The event as its type, or what is wrong in it. */
export function checkedEvent(
  event: JsonObject,
): { readonly event: Event } | { readonly faults: readonly PropertyFault[] } {
  const faults = checkEvent(event)
  // Every declared member has been checked.
  return faults.length > 0 ? { faults } : { event: event as Event }
}
