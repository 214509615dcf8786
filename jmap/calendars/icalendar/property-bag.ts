/** The properties of a component that are not converted yet. */
import type { Faults } from './faults.ts'
import type { Hatch } from './hatch.ts'
import type { Component, Property } from './jcal.ts'

/**
 * Properties that stand once in a component (RFC 5545 3.6.1). Of several the first that can be converted counts; when an event is
 * written, the value of the event does.
 */
export const ONCE: ReadonlySet<string> = new Set(
  'uid dtstamp dtstart dtend duration recurrence-id summary description status class transp priority sequence created location geo organizer color url jsid'.split(
    ' ',
  ),
)

/** A text that says nothing, such as LOCATION of an event without a place. */
function isEmpty({ type, values, parameters, name }: Property): boolean {
  return (
    type === 'text' &&
    values.every((value) => value === '') &&
    Object.keys(parameters).length === 0 &&
    !name.startsWith('x-')
  )
}

export class PropertyBag {
  readonly #component: Component
  readonly #byName = new Map<string, Property[]>()
  readonly #taken = new Set<Property>()

  constructor(component: Component) {
    this.#component = component
    for (const property of component.properties) {
      const list = this.#byName.get(property.name)
      if (list === undefined) this.#byName.set(property.name, [property])
      else list.push(property)
    }
  }

  /** The first property of that name whose value has its type; it counts as converted. Others of the name stay. */
  take(name: string): Property | null {
    const property = this.peek(name)
    if (property !== null) this.#taken.add(property)
    return property
  }

  peek(name: string): Property | null {
    return this.#byName.get(name)?.find((property) => property.type !== 'unknown' && !this.#taken.has(property)) ?? null
  }

  takeAll(name: string): Property[] {
    return this.takeRaw(name, (property) => property.type !== 'unknown')
  }

  /** As `takeAll`, of properties that are not known: their values are text as it stands. */
  takeRaw(name: string, wanted: (property: Property) => boolean = () => true): Property[] {
    const properties =
      this.#byName.get(name)?.filter((property) => wanted(property) && !this.#taken.has(property)) ?? []
    for (const property of properties) this.#taken.add(property)
    return properties
  }

  /** Gives a property back: it has no counterpart after all. */
  putBack(property: Property): void {
    this.#taken.delete(property)
  }

  /** Drops a property that is written anew from others. */
  drop(property: Property): void {
    this.#taken.add(property)
  }

  /** Drops all properties of a name, also those whose values cannot be read. */
  dropAll(name: string): void {
    this.takeRaw(name)
  }

  /** Keeps what is left; of what may stand once, nothing beside what was converted. */
  keepRest(hatch: Hatch, faults: Faults): void {
    const converted = new Set([...this.#taken].map(({ name }) => name))
    for (const property of this.#component.properties) {
      if (this.#taken.has(property) || isEmpty(property)) continue
      if (!ONCE.has(property.name) || !converted.has(property.name)) hatch.keep(property)
      else faults.property(property.line, `${property.name.toUpperCase()} stands twice; this one has no effect.`)
    }
  }
}
