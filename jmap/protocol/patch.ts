/** PatchObject (RFC 8620 5.3): a set of JSON Pointers with values. */
import type { Json, JsonObject } from '../../server/base/json.ts'
import { isObject, type MutableJsonObject, quote, setOwn } from './json-object.ts'
import { formatPatchPath, parsePatchPath } from './pointer.ts'
import { invalidPatch, type SetError } from './set-error.ts'

/** The effect of a patch at one place: set the whole value (null: default or remove), or change members below it. */
export type PatchNode = { readonly value: Json } | { readonly members: PatchTree }
/** By name of the member; the tree of a PatchObject is by property. */
export type PatchTree = ReadonlyMap<string, PatchNode>

/** The value that null sets a member to, by its path; undefined removes it. */
export type DefaultOf = (path: readonly string[]) => Json | undefined

type Node = { value: Json } | { members: Map<string, Node> }

/** Checks the paths and groups the patches by property. The parents are checked later, with the object. */
export function splitPatch(patch: JsonObject): { readonly properties: PatchTree } | { readonly error: SetError } {
  const properties = new Map<string, Node>()
  for (const key of Object.keys(patch)) {
    const path = parsePatchPath(key)
    if (path === null) return { error: invalidPatch(`'${quote(key)}' is not a path.`) }
    if (!insert(properties, path, patch[key]!)) {
      // RFC 8620 5.3: no pointer may be the prefix of another.
      return { error: invalidPatch(`'${quote(key)}' and another path of the patch overlap.`, path[0]) }
    }
  }
  return { properties }
}

/**
 * Applies a tree of `splitPatch` to a copy of the object. Unchanged parts are shared with the given object. `error` is always
 * invalidPatch; then nothing is applied.
 */
export function applyTree(
  object: JsonObject,
  tree: PatchTree,
  defaultOf: DefaultOf = () => undefined,
): { readonly value: JsonObject } | { readonly error: SetError } {
  return applyAt(object, tree, [], defaultOf)
}

function insert(root: Map<string, Node>, path: readonly string[], value: Json): boolean {
  let members = root
  for (let i = 0; i < path.length - 1; i++) {
    let node = members.get(path[i]!)
    if (node === undefined) {
      node = { members: new Map() }
      members.set(path[i]!, node)
    } else if ('value' in node) {
      return false
    }
    members = node.members
  }
  const last = path.at(-1)!
  if (members.has(last)) return false
  members.set(last, { value })
  return true
}

function applyAt(
  current: Json | undefined,
  tree: PatchTree,
  path: readonly string[],
  defaultOf: DefaultOf,
): { readonly value: JsonObject } | { readonly error: SetError } {
  if (!isObject(current)) return { error: notAnObject(current, path) }
  const value: MutableJsonObject = { ...current }
  for (const [name, node] of tree) {
    const below = [...path, name]
    if ('members' in node) {
      const inner = applyAt(Object.hasOwn(current, name) ? current[name] : undefined, node.members, below, defaultOf)
      if ('error' in inner) return inner
      setOwn(value, name, inner.value)
      continue
    }
    // RFC 8620 5.3: null sets the default if there is one, else removes. Removing an absent member is not an error.
    const set = node.value === null ? defaultOf(below) : node.value
    if (set === undefined) delete value[name]
    else setOwn(value, name, set)
  }
  return { value }
}

function notAnObject(current: Json | undefined, path: readonly string[]): SetError {
  const where = `'${quote(formatPatchPath(path))}'`
  // RFC 8620 5.3: a pointer cannot lead inside an array, and all parts before the last must exist.
  if (Array.isArray(current)) return invalidPatch(`${where} is an array, which can only be replaced whole.`, path[0])
  if (current === undefined) return invalidPatch(`${where} does not exist, so nothing can be set below it.`, path[0])
  return invalidPatch(`${where} is not an object, so nothing can be set below it.`, path[0])
}
