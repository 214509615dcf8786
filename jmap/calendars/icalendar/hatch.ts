/** What an object keeps of iCalendar: its property `iCalendar`, an ICalComponent (the conversion draft, 5.1.1). */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { formatPatchPath } from '../../protocol/pointer.ts'
import { NAME } from './content-line.ts'
import { recurToJCal } from './design.ts'
import { type Component, componentToJCal, type Parameters, type Property, propertyToJCal } from './jcal.ts'

/** An ICalProperty: how a property stood in the text from which a member was converted. */
export interface Converted {
  readonly name: string
  readonly parameters: Parameters
  readonly valueType: string | null
}

/** Collects while a component is read. */
export class Hatch {
  readonly #component: string
  readonly #properties: Json[] = []
  readonly #components: Json[] = []
  readonly #converted: MutableJsonObject = {}
  readonly #always: boolean

  /** @param always if the object must say from which component it comes, although nothing else is kept */
  constructor(component: string, always = false) {
    this.#component = component
    this.#always = always
  }

  /** Keeps a property that has no counterpart. */
  keep(property: Property): void {
    if (property.type === 'recur' && typeof property.values[0] === 'string') {
      const recur = recurToJCal(property.values[0])
      this.#properties.push(
        propertyToJCal(recur === null ? { ...property, type: 'unknown' } : { ...property, values: [recur] }),
      )
    } else {
      this.#properties.push(propertyToJCal(property))
    }
  }

  keepComponent(component: Component): void {
    this.#components.push(componentToJCal(component))
  }

  /** Notes from which property the member at `path` was converted, with the parameters that were not. */
  note(path: readonly string[], name: string, parameters: Parameters = {}, valueType: string | null = null): void {
    const entry: MutableJsonObject = { '@type': 'ICalProperty', name }
    if (valueType !== null) entry['valueType'] = valueType
    if (Object.keys(parameters).length > 0) entry['parameters'] = parameters
    setOwn(this.#converted, formatPatchPath(path), entry)
  }

  /** The parameters that were noted for a path. */
  noted(path: readonly string[]): Parameters {
    const entry = this.#converted[formatPatchPath(path)]
    return isObject(entry) ? parametersOf(entry['parameters']) : {}
  }

  /** As `note`, if there are parameters besides those that were converted. */
  rest(path: readonly string[], property: Property, converted: readonly string[]): void {
    const entries = Object.entries(property.parameters).filter(([name]) => !converted.includes(name) && name !== 'jsid')
    if (entries.length > 0) this.note(path, property.name, Object.fromEntries(entries))
  }

  /** Sets the property `iCalendar` of an object, if there is anything to keep. */
  addTo(object: MutableJsonObject): void {
    const converted = Object.keys(this.#converted).length > 0
    const empty = this.#properties.length === 0 && this.#components.length === 0 && !converted
    if (empty && !this.#always) return
    const kept: MutableJsonObject = { '@type': 'ICalComponent', name: this.#component }
    if (converted) kept['convertedProperties'] = this.#converted
    if (this.#properties.length > 0) kept['properties'] = this.#properties
    if (this.#components.length > 0) kept['components'] = this.#components
    object['iCalendar'] = kept
  }
}

/** Reads the property `iCalendar` of an object. It may come from a client: what has not the form of jCal counts as absent. */
export class Kept {
  readonly component: string | null
  readonly properties: readonly Property[]
  readonly components: readonly Component[]
  readonly #converted: JsonObject

  constructor(object: JsonObject) {
    const kept = isObject(object['iCalendar']) ? object['iCalendar'] : {}
    this.component = typeof kept['name'] === 'string' ? kept['name'].toLowerCase() : null
    this.properties = list(kept['properties']).flatMap((item) => propertyOf(item) ?? [])
    this.components = list(kept['components']).flatMap((item) => componentOf(item, 0) ?? [])
    this.#converted = isObject(kept['convertedProperties']) ? kept['convertedProperties'] : {}
  }

  /** How the member at a path stood in iCalendar; null: unknown. */
  converted(...path: readonly string[]): Converted | null {
    const key = formatPatchPath(path)
    const entry = Object.hasOwn(this.#converted, key) ? this.#converted[key] : undefined
    if (!isObject(entry)) return null
    const { name, valueType, parameters } = entry
    return {
      name: typeof name === 'string' ? name.toLowerCase() : '',
      parameters: parametersOf(parameters),
      valueType: typeof valueType === 'string' ? valueType.toLowerCase() : null,
    }
  }

  /** The parameters with which the member at a path stood in a property of that name. */
  parameters(name: string, ...path: readonly string[]): Parameters {
    const converted = this.converted(...path)
    return converted?.name === name ? converted.parameters : {}
  }

  first(name: string): Property | null {
    return this.properties.find((property) => property.name === name) ?? null
  }
}

function list(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : []
}

function parametersOf(json: Json | undefined): Parameters {
  if (!isObject(json)) return {}
  const entries = Object.entries(json).flatMap(([name, value]): [string, string | string[]][] => {
    if (!NAME.test(name)) return []
    if (typeof value === 'string') return [[name.toLowerCase(), value]]
    const values = list(value).filter((item) => typeof item === 'string')
    return values.length > 0 ? [[name.toLowerCase(), values]] : []
  })
  return Object.fromEntries(entries)
}

function propertyOf(json: Json): Property | null {
  if (!Array.isArray(json) || json.length < 3) return null
  const [name, parameters, type, ...values] = json
  if (typeof name !== 'string' || !NAME.test(name) || typeof type !== 'string' || !NAME.test(type)) return null
  if (['begin', 'end'].includes(name.toLowerCase())) return null
  return { name: name.toLowerCase(), parameters: parametersOf(parameters), type: type.toLowerCase(), values, line: 0 }
}

const DEPTH_MAX = 6

function componentOf(json: Json, depth: number): Component | null {
  if (!Array.isArray(json) || depth > DEPTH_MAX) return null
  const [name, properties, components] = json
  if (typeof name !== 'string' || !NAME.test(name)) return null
  return {
    name: name.toLowerCase(),
    properties: list(properties).flatMap((item) => propertyOf(item) ?? []),
    components: list(components).flatMap((item) => componentOf(item, depth + 1) ?? []),
    line: 0,
  }
}
