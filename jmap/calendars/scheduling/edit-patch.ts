/** Reads and sets one value of an instance in its override (jscalendarbis 1.5.9), whose paths may be shorter or longer. Pure. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { formatPatchPath } from '../../protocol/pointer.ts'
import type { PatchObject } from '../jscalendar/event.ts'

/** The value at a path, by the override or else by the event. Patches below the path are not applied. */
export function valueAt(event: JsonObject, patch: PatchObject, path: readonly string[]): Json | undefined {
  const depth = patchedDepth(patch, path)
  if (depth === null) return read(event, path)
  const value = getOwn(patch, formatPatchPath(path.slice(0, depth)))
  return depth === path.length ? (value ?? undefined) : isObject(value) ? read(value, path.slice(depth)) : undefined
}

/** The override with the value. What it said at, and below, the path goes. */
export function withValueAt(patch: PatchObject, path: readonly string[], value: Json): PatchObject {
  const depth = patchedDepth(patch, path)
  const key = formatPatchPath(path.slice(0, depth ?? path.length))
  const others = Object.entries(patch).filter(([name]) => name !== key && !name.startsWith(`${key}/`))
  if (depth === null || depth === path.length) return Object.fromEntries([...others, [key, value]])
  const whole = getOwn(patch, key)
  return Object.fromEntries([...others, [key, written(isObject(whole) ? whole : {}, path.slice(depth), value)]])
}

/** How much of the path the override names; null: nothing of it. */
function patchedDepth(patch: PatchObject, path: readonly string[]): number | null {
  for (let depth = 1; depth <= path.length; depth++)
    if (Object.hasOwn(patch, formatPatchPath(path.slice(0, depth)))) return depth
  return null
}

function read(object: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = object
  for (const name of path) value = isObject(value) ? getOwn(value, name) : undefined
  return value
}

function written(object: JsonObject, [name = '', ...deeper]: readonly string[], value: Json): JsonObject {
  const inner = getOwn(object, name)
  const copy: MutableJsonObject = { ...object }
  setOwn(copy, name, deeper.length === 0 ? value : written(isObject(inner) ? inner : {}, deeper, value))
  return copy
}
