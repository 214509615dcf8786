/**
 * jmap/calendars/icalendar: iCalendar (RFC 5545, 7986, 9073, 9074) to JSCalendar and back, by
 * draft-ietf-calext-jscalendar-icalendar-25 (here "the conversion draft"). Pure: no storage, no I/O, no clock.
 *
 * This file: jCal (RFC 7265), the form in which ical.js gives properties and in which an event keeps what has no JSCalendar property.
 */
import type { Json } from '../../../server/base/json.ts'

/** By name in lower case. */
export type Parameters = { readonly [name: string]: string | readonly string[] }

/** RFC 7265 3.4: name, parameters, type of the value, values. */
export type JCalProperty = readonly [name: string, parameters: Parameters, type: string, ...values: Json[]]

/** RFC 7265 3.3: name, properties, components. */
export type JCalComponent = readonly [name: string, properties: readonly Json[], components: readonly Json[]]

/** A property of a text that was read. */
export interface Property {
  /** Lower case. */
  readonly name: string
  readonly parameters: Parameters
  /** Type of the value in lower case; `unknown`: the value is the text as it stands in the line. */
  readonly type: string
  readonly values: readonly Json[]
  /** Number of the first line, from 1. */
  readonly line: number
}

export interface Component {
  /** Lower case. */
  readonly name: string
  readonly properties: Property[]
  readonly components: Component[]
  readonly line: number
}

export function propertyToJCal(property: Property): Json[] {
  return [property.name, property.parameters, property.type, ...property.values]
}

export function componentToJCal(component: Component): Json[] {
  return [component.name, component.properties.map(propertyToJCal), component.components.map(componentToJCal)]
}

/** The value of a property whose type has text values; null: it has another. */
export function textOf(property: Property): string | null {
  const [value] = property.values
  return typeof value === 'string' ? value : null
}

/** The first value of a parameter. */
export function parameterOf(property: Property, name: string): string | null {
  const value = Object.hasOwn(property.parameters, name) ? property.parameters[name] : undefined
  return (typeof value === 'string' ? value : value?.[0]) ?? null
}

/** All values of a parameter. */
export function parametersOf(property: Property, name: string): readonly string[] {
  const value = Object.hasOwn(property.parameters, name) ? property.parameters[name] : undefined
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}

/** RFC 9073 5.3: the value was computed from another property. */
export function isDerived(property: Property): boolean {
  return parameterOf(property, 'derived')?.toUpperCase() === 'TRUE'
}
