/** What writers of parts of an event share, and how a property is made. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import type { Kept } from './hatch.ts'
import type { Component, Parameters, Property } from './jcal.ts'
import { toJCalTime } from './local-time.ts'
import type { ZoneSpans } from './write-zones.ts'

export interface WriteScope {
  readonly event: JsonObject
  readonly kept: Kept
  /** Where properties and components are added. */
  readonly component: Component
  readonly zones: ZoneSpans
  /** If what iCalendar has no property for is written as JSPROP (the conversion draft, 1.4: lossless). */
  readonly lossless: boolean
  /** UTCDateTime, for events that do not say when they were changed. */
  readonly now: string
}

export function property(
  name: string,
  type: string,
  value: Json | readonly Json[],
  parameters: Parameters = {},
): Property {
  return { name, parameters, type, values: Array.isArray(value) ? value : [value as Json], line: 0 }
}

/** The form in which an event's times are written (the conversion draft, 3.2). */
export type TimeForm = 'date' | 'local' | 'utc'

/** A property of a local time. */
export function timeProperty(
  name: string,
  local: string,
  zone: string | null,
  form: TimeForm,
  parameters: Parameters = {},
): Property {
  const type = form === 'date' ? 'date' : 'date-time'
  const { tzid: _, value: __, ...others } = parameters
  const all: Parameters = form === 'local' && zone !== null ? { tzid: zone, ...others } : others
  return property(name, type, toJCalTime(local, form), all)
}

export function textMember(object: JsonObject, name: string): string | null {
  const value = object[name]
  return typeof value === 'string' ? value : null
}

/** Members of an object that are objects themselves. */
export function objectEntries(value: Json | undefined): [key: string, object: JsonObject][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).filter((entry): entry is [string, JsonObject] => {
    const [, item] = entry
    return typeof item === 'object' && item !== null && !Array.isArray(item)
  })
}

/** Names of a set (String[Boolean]). */
export function setNames(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.keys(value).filter((name) => name !== '')
}
