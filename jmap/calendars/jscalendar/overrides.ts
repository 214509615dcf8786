/** Instances of a recurring Event: an override applied (jscalendarbis 3.3.4), and the override that makes an instance. Pure. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject, jsonEqual, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { applyTree, splitPatch } from '../../protocol/patch.ts'
import { formatPatchPath, parsePatchPath } from '../../protocol/pointer.ts'
import type { PatchObject } from './event.ts'

/** jscalendarbis 3.3.4: a pointer that starts with one of these has no effect in an override. */
const IGNORED = [
  '@type',
  'version',
  'uid',
  'prodId',
  'method',
  'privacy',
  'relatedTo',
  'recurrenceId',
  'recurrenceIdTimeZone',
  'recurrenceRule',
  'recurrenceOverrides',
  'organizerCalendarAddress',
  'sentBy',
]

export function isIgnoredInOverrides(name: string): boolean {
  return IGNORED.includes(name)
}

/** The patch of an instance; undefined: it has none. */
export function overrideOf(event: JsonObject, recurrenceId: string): PatchObject | undefined {
  const overrides = getOwn(event, 'recurrenceOverrides')
  const patch = isObject(overrides) ? getOwn(overrides, recurrenceId) : undefined
  return isObject(patch) ? patch : undefined
}

export function isExcluded(patch: PatchObject | undefined): boolean {
  return patch !== undefined && getOwn(patch, 'excluded') === true
}

/** The instance as the rule alone makes it. Whether there is one at this time is not judged here. */
export function plainInstance(event: JsonObject, recurrenceId: string): JsonObject {
  const { recurrenceRule: _rule, recurrenceOverrides: _overrides, ...rest } = event
  const timeZone = event['timeZone']
  return {
    ...rest,
    start: recurrenceId,
    recurrenceId,
    ...(typeof timeZone === 'string' && { recurrenceIdTimeZone: timeZone }),
  }
}

/** The instance with its override; null: it is excluded. */
export function instanceOf(event: JsonObject, recurrenceId: string): JsonObject | null {
  const patch = overrideOf(event, recurrenceId)
  const plain = plainInstance(event, recurrenceId)
  if (patch === undefined) return plain
  return isExcluded(patch) ? null : patched(plain, patch)
}

/**
 * Paths that do not fit the event any more have no effect: what they changed has gone from the event since.
 * @param isIgnored which properties an override does not change
 */
export function patched(event: JsonObject, patch: PatchObject, isIgnored = isIgnoredInOverrides): JsonObject {
  const own = Object.entries(patch).filter(([path]) => !isIgnored(topOf(path)) && path !== 'excluded')
  const fitting = () => Object.fromEntries(own.filter(([path]) => leadsInto(event, path)))
  return applied(event, Object.fromEntries(own)) ?? applied(event, fitting()) ?? event
}

/** Whether a path of a patch ends in an object that is there. It is not applied: that copies all members on its way. */
function leadsInto(event: JsonObject, path: string): boolean {
  const names = parsePatchPath(path)
  let object: Json | undefined = event
  for (const name of names?.slice(0, -1) ?? []) object = isObject(object) ? getOwn(object, name) : undefined
  return names !== null && isObject(object)
}

function applied(event: JsonObject, patch: PatchObject): JsonObject | null {
  const split = splitPatch(patch)
  if ('error' in split) return null
  const result = applyTree(event, split.properties)
  return 'error' in result ? null : result.value
}

function topOf(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? path : path.slice(0, slash)
}

/** What turns one object into another: as deep as both have objects. */
export function patchBetween(from: JsonObject, to: JsonObject): PatchObject {
  const patch: MutableJsonObject = {}
  collect(from, to, [], patch)
  return patch
}

function collect(from: JsonObject, to: JsonObject, path: readonly string[], patch: MutableJsonObject): void {
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after]: (Json | undefined)[] = [getOwn(from, name), getOwn(to, name)]
    if (jsonEqual(before, after)) continue
    const at = [...path, name]
    // A PatchObject inside has its own meaning of null, so it is replaced whole.
    const isDeep = isObject(before) && isObject(after) && name !== 'recurrenceOverrides'
    if (isDeep) collect(before, after, at, patch)
    else setOwn(patch, formatPatchPath(at), after ?? null)
  }
}

/** Leaves out paths of overrides that the event has nothing for any more. @returns the same object if there are none */
export function withoutStalePaths(event: JsonObject): JsonObject {
  const overrides = getOwn(event, 'recurrenceOverrides')
  if (!isObject(overrides)) return event
  const kept = Object.entries(overrides).map(([recurrenceId, patch]): readonly [string, Json] => {
    if (!isObject(patch)) return [recurrenceId, patch]
    const paths = Object.entries(patch).filter(([path]) => !path.includes('/') || leadsInto(event, path))
    return [recurrenceId, paths.length === Object.keys(patch).length ? patch : Object.fromEntries(paths)]
  })
  if (kept.every(([recurrenceId, patch]) => patch === overrides[recurrenceId])) return event
  return { ...event, recurrenceOverrides: Object.fromEntries(kept) }
}
