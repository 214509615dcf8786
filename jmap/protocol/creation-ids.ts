/**
 * Creation ids (RFC 8620 3.3, 5.3): `#` and the id that a client gave to a record it created earlier in the request, in place of an id.
 * One map serves all types and all calls of a request.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import { isObject, type MutableJsonObject, quote, setOwn } from './json-object.ts'
import { formatPatchPath, parsePatchPath } from './pointer.ts'
import { invalidPatch, invalidProperties, type SetError } from './set-error.ts'

/** `unknown`: a creation id of no created record. */
export type Resolved<T> = { readonly value: T } | { readonly unknown: string }

/** Where a property holds ids: it is an id, a list of ids, or an object whose keys are ids (`Id[Boolean]`). */
export type IdPlace = 'id' | 'ids' | 'keys'

export class CreationIds {
  readonly #ids: Map<string, string>
  readonly #made = new Set<string>()

  /** @param initial the createdIds of the Request. */
  constructor(initial: { readonly [creationId: string]: string } = {}) {
    this.#ids = new Map()
    for (const creationId of Object.keys(initial)) this.#ids.set(creationId, initial[creationId]!)
  }

  /** RFC 8620 5.3: if a creation id is used again, it means the record created last. */
  add(creationId: string, id: string): void {
    this.#ids.set(creationId, id)
    this.#made.add(id)
  }

  /** For the Response's createdIds. */
  toObject(): { readonly [creationId: string]: string } {
    return Object.fromEntries(this.#ids)
  }

  /** Whether this request created the object. `createdIds` of the client prove nothing. */
  hasMade(id: string): boolean {
    return this.#made.has(id)
  }

  /** The id for a `#` reference. Text that does not start with `#` is returned unchanged. */
  resolveId(id: string): Resolved<string> {
    if (id.charCodeAt(0) !== 0x23) return { value: id }
    const value = this.#ids.get(id.slice(1))
    return value === undefined ? { unknown: id.slice(1) } : { value }
  }

  /** The id for a creation id; unknown text is returned unchanged and names nothing. */
  idOf(given: string): string {
    const resolved = this.resolveId(given)
    return 'unknown' in resolved ? given : resolved.value
  }

  resolveIds(ids: readonly string[]): Resolved<readonly string[]> {
    if (!ids.some(isCreationReference)) return { value: ids }
    const value: string[] = []
    for (const id of ids) {
      const resolved = this.resolveId(id)
      if ('unknown' in resolved) return resolved
      value.push(resolved.value)
    }
    return { value }
  }

  /** The object with its keys resolved. If two keys mean one id, the later member counts. */
  resolveKeys(object: JsonObject): Resolved<JsonObject> {
    const keys = Object.keys(object)
    if (!keys.some(isCreationReference)) return { value: object }
    const value: MutableJsonObject = {}
    for (const key of keys) {
      const resolved = this.resolveId(key)
      if ('unknown' in resolved) return resolved
      setOwn(value, resolved.value, object[key]!)
    }
    return { value }
  }

  /**
   * An object to create, or a PatchObject, with creation ids replaced in the properties that hold ids, also in paths
   * (`mailboxIds/#c0`). Values of a wrong type are left for validation. `error` is invalidProperties with all properties that hold
   * unknown references (RFC 8620 5.3), or invalidPatch if two paths become the same.
   */
  resolveProperties(
    object: JsonObject,
    placeOf: (property: string) => IdPlace | undefined,
  ): { readonly value: JsonObject } | { readonly error: SetError } {
    const value: MutableJsonObject = {}
    const wrong = new Set<string>()
    let missing = ''
    for (const key of Object.keys(object)) {
      const resolved = this.#resolveMember(key, object[key]!, placeOf)
      if ('unknown' in resolved) {
        wrong.add(resolved.property)
        missing = resolved.unknown
        continue
      }
      if (Object.hasOwn(value, resolved.key)) {
        return { error: invalidPatch(`Two paths of the patch mean '${quote(resolved.key)}'.`, resolved.property) }
      }
      setOwn(value, resolved.key, resolved.value)
    }
    if (wrong.size === 0) return { value }
    return { error: invalidProperties([...wrong], `Nothing was created with the creation id '${quote(missing)}'.`) }
  }

  #resolveMember(
    key: string,
    value: Json,
    placeOf: (property: string) => IdPlace | undefined,
  ): { key: string; value: Json; property: string } | { unknown: string; property: string } {
    const path = key.includes('/') || key.includes('~') ? parsePatchPath(key) : [key]
    const property = path?.[0] ?? key
    const place = placeOf(property)
    if (path === null || place === undefined) return { key, value, property }
    if (path.length === 1) {
      const resolved = this.#resolveValue(value, place)
      return 'unknown' in resolved ? { unknown: resolved.unknown, property } : { key, value: resolved.value, property }
    }
    if (place !== 'keys' || !isCreationReference(path[1]!)) return { key, value, property }
    const resolved = this.resolveId(path[1]!)
    if ('unknown' in resolved) return { unknown: resolved.unknown, property }
    return { key: formatPatchPath([property, resolved.value, ...path.slice(2)]), value, property }
  }

  #resolveValue(value: Json, place: IdPlace): Resolved<Json> {
    if (place === 'id' && typeof value === 'string') return this.resolveId(value)
    if (place === 'ids' && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
      return this.resolveIds(value)
    }
    if (place === 'keys' && isObject(value)) return this.resolveKeys(value)
    return { value }
  }
}

/** Whether a text is a reference by creation id. */
export function isCreationReference(id: string): boolean {
  return id.charCodeAt(0) === 0x23
}
