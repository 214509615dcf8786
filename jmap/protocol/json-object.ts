/**
 * jmap/protocol: the wire language of JMAP as pure functions: octets to Request, the three levels of errors, result references,
 * patches, creation ids, dates and ids. It knows no type, no account and no storage, does no I/O and reads no clock.
 *
 * This file: reads and builds objects whose keys come from clients, in which `__proto__` is an ordinary key.
 */

import type { Json, JsonObject } from '../../server/base/json.ts'
import { ERROR_QUOTE_MAX_CHARS } from '../../server/base/limits.ts'

export type MutableJsonObject = { [key: string]: Json }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The own member of that name, never one inherited from Object.prototype. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a member. A plain assignment to `__proto__` would change the prototype instead. */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    object[key] = value
  }
}

/** Equal as JSON: the order of members is ignored, the order of items is not. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
}

/** A client's text for an error message, cut so that the response does not grow with it. */
export function quote(text: string): string {
  return text.length <= ERROR_QUOTE_MAX_CHARS ? text : `${text.slice(0, ERROR_QUOTE_MAX_CHARS).toWellFormed()}...`
}
