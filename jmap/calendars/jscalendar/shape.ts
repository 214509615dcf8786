/**
 * Shapes of JSCalendar objects: what is wrong in a value, by the path of each fault, such as `participants/abc/calendarAddress`. Objects
 * are open: members that a shape does not declare are accepted. A shape can be followed to a member, so that patches of overrides are
 * checked where they change something.
 */
import { EVENT_MAX_FAULTS, EVENT_MAX_MEMBERS } from '../../../server/base/calendar-data-limits.ts'
import type { Json } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { escapeToken } from '../../protocol/pointer.ts'

export interface PropertyFault {
  /** As in a PatchObject. */
  readonly path: string
  /** The end of a sentence that begins with the path. */
  readonly fault: string
}

/** Stops at EVENT_MAX_FAULTS. */
export class Faults {
  readonly list: PropertyFault[] = []

  add(path: string, fault: string): void {
    if (this.list.length < EVENT_MAX_FAULTS) this.list.push({ path, fault })
  }

  get isFull(): boolean {
    return this.list.length >= EVENT_MAX_FAULTS
  }
}

export interface Shape {
  check(value: Json, path: string, faults: Faults): void
  /** The shape of a member; undefined: any value. */
  member?(name: string): Shape | undefined
  /** Whether the member must be there. */
  requires?(name: string): boolean
  /** Of a map: why it has no member of that name; null: it may have one. */
  keyFault?(name: string): string | null
  /** Of a map. */
  readonly maxMembers?: number
}

export function below(path: string, name: string): string {
  const token = escapeToken(name)
  return path === '' ? token : `${path}/${token}`
}

/** A value that passes a test. @param fault the end of a sentence */
export function that(test: (value: Json) => boolean, fault: string): Shape {
  return {
    check(value, path, faults) {
      if (!test(value)) faults.add(path, fault)
    },
  }
}

export function text(test: (value: string) => boolean, fault: string): Shape {
  return that((value) => typeof value === 'string' && test(value), fault)
}

export function words(max: number, min = 0): Shape {
  return text(
    (value) => value.length >= min && value.length <= max && value.isWellFormed(),
    min > 0 ? `is a text of ${min} to ${max} characters` : `is a text of at most ${max} characters`,
  )
}

export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER, except?: number): Shape {
  return that(
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max && value !== except,
    `is an integer from ${min} to ${max}${except === undefined ? '' : `, except ${except}`}`,
  )
}

export const boolean: Shape = that((value) => typeof value === 'boolean', 'is a boolean')

export function oneOf(values: readonly string[]): Shape {
  return text((value) => values.includes(value), `is one of ${values.join(', ')}`)
}

export function listOf(item: Shape, max: number): Shape {
  return {
    check(value, path, faults) {
      if (!Array.isArray(value) || value.length === 0) return faults.add(path, 'is a list that is not empty')
      if (value.length > max) return faults.add(path, `has at most ${max} items`)
      for (const [i, one] of value.entries()) item.check(one, below(path, String(i)), faults)
    },
  }
}

export function tooMany(max: number): string {
  return `has at most ${max} members`
}

/** @param isKey which keys it may have @param kind what a key is, as in "its keys are ..." */
export function mapOf(
  values: Shape,
  isKey: (key: string) => boolean,
  kind: string,
  max: number = EVENT_MAX_MEMBERS,
): Shape {
  const keyFault = (key: string) => (isKey(key) ? null : `is not a key here: keys are ${kind}`)
  return {
    check(value, path, faults) {
      if (!isObject(value)) return faults.add(path, 'is an object')
      const entries = Object.entries(value)
      if (entries.length > max) return faults.add(path, tooMany(max))
      for (const [key, member] of entries) {
        if (faults.isFull) return
        const fault = keyFault(key)
        if (fault === null) values.check(member, below(path, key), faults)
        else faults.add(below(path, key.slice(0, 255)), fault)
      }
    },
    member: () => values,
    keyFault,
    maxMembers: max,
  }
}

/** @param required names of members that must be there */
export function objectOf(
  members: { readonly [name: string]: Shape },
  required: readonly string[] = [],
  also?: Shape['check'],
): Shape {
  const shapes = new Map(Object.entries(members))
  return {
    check(value, path, faults) {
      if (!isObject(value)) return faults.add(path, 'is an object')
      for (const name of required) if (getOwn(value, name) === undefined) faults.add(below(path, name), 'is missing')
      for (const [name, member] of Object.entries(value)) shapes.get(name)?.check(member, below(path, name), faults)
      also?.(value, path, faults)
    },
    member: (name) => shapes.get(name),
    requires: (name) => required.includes(name),
  }
}
