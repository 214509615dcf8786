/** The PatchObject that turns one object into another (jscalendarbis 1.5.9). */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, jsonEqual, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { formatPatchPath } from '../../protocol/pointer.ts'

/**
 * Members that no instance has of its own. Patches of others that have no effect in an override (jscalendarbis 3.3.4: the organizer, the
 * privacy ...) say what the text said, and are written again.
 */
const FIXED = new Set([
  '@type',
  'version',
  'uid',
  'recurrenceId',
  'recurrenceIdTimeZone',
  'recurrenceOverrides',
  'recurrenceRule',
])

export function isFixed(name: string): boolean {
  return FIXED.has(name)
}

/** Patches of an instance: paths as deep as both objects have them, so that other changes of the series still reach the instance. */
export function diffEvents(main: JsonObject, instance: JsonObject): MutableJsonObject {
  const patch: MutableJsonObject = {}
  const names = new Set([...Object.keys(main), ...Object.keys(instance)])
  for (const name of names) {
    if (!FIXED.has(name)) diff([name], own(main, name), own(instance, name), patch)
  }
  return patch
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function diff(path: readonly string[], from: Json | undefined, to: Json | undefined, patch: MutableJsonObject): void {
  if (jsonEqual(from, to)) return
  // Objects of two types are replaced as a whole: a trigger may change from an offset to a time.
  // A patch of an address has no effect (3.3.4), so that such a participant is replaced too.
  const another =
    path.length === 2 &&
    path[0] === 'participants' &&
    isObject(from) &&
    isObject(to) &&
    from['calendarAddress'] !== to['calendarAddress']
  if (another || !isObject(from) || !isObject(to) || from['@type'] !== to['@type']) {
    setOwn(patch, formatPatchPath(path), to ?? null)
    return
  }
  const inner: MutableJsonObject = {}
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    diff([...path, name], own(from, name), own(to, name), inner)
  }
  // What keeps nothing of the old object is clearer as a new one; an empty object cannot be reached by removing its members.
  const kept = Object.keys(to).some((name) => Object.hasOwn(from, name) && jsonEqual(from[name], to[name]))
  if (kept) for (const [key, value] of Object.entries(inner)) setOwn(patch, key, value)
  else setOwn(patch, formatPatchPath(path), to)
}
