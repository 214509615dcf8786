/** Content lines to a tree of components, within the limits. */
import {
  ICALENDAR_MAX_COMPONENTS,
  ICALENDAR_MAX_DEPTH,
  ICALENDAR_MAX_PROPERTIES,
} from '../../../server/base/icalendar-limits.ts'
import { quote } from '../../protocol/json-object.ts'
import { splitLine } from './content-line.ts'
import { contentLines } from './content-lines.ts'
import { type Faults, ICalendarError } from './faults.ts'
import type { Component } from './jcal.ts'
import { toProperty } from './values.ts'

/**
 * The calendars (RFC 5545 3.4) of a text; there may be several, one after the other.
 * @param check called after each component; it may throw to end the reading
 * @throws ICalendarError if the text is no iCalendar or exceeds the limits
 */
export function readComponents(input: Uint8Array | string, faults: Faults, check: () => void): Component[] {
  const roots: Component[] = []
  const open: Component[] = []
  let components = 0
  for (const { text, line } of contentLines(input)) {
    const split = splitLine(text)
    if (typeof split === 'string') {
      if (text.trim() !== '') faults.property(line, `The line '${quote(text)}' ${split}.`)
      continue
    }
    const current = open.at(-1)
    if (split.name === 'begin') {
      if (++components > ICALENDAR_MAX_COMPONENTS) {
        throw new ICalendarError(`The text has more than ${ICALENDAR_MAX_COMPONENTS} components.`)
      }
      begin(split.value, line, { open, roots, faults })
      check()
    } else if (split.name === 'end') {
      end(split.value, line, open)
    } else if (current === undefined) {
      faults.property(line, `${split.name.toUpperCase()} stands outside of every component.`)
    } else {
      if (current.properties.length >= ICALENDAR_MAX_PROPERTIES) {
        throw new ICalendarError(`${label(current)} has more than ${ICALENDAR_MAX_PROPERTIES} properties.`)
      }
      const { property, fault } = toProperty(split, line)
      current.properties.push(property)
      if (fault !== null) faults.property(line, `${fault}: '${quote(split.value)}'.`)
    }
  }
  const unfinished = open.at(-1)
  if (unfinished !== undefined) throw new ICalendarError(`${label(unfinished)} has no end.`)
  if (roots.length === 0) throw new ICalendarError('The text has no VCALENDAR.')
  return roots
}

/** Components that some write without a VCALENDAR around them. */
const BARE = ['vevent', 'vtodo', 'vjournal', 'vfreebusy', 'vtimezone']

interface Tree {
  /** Those that have not ended. */
  readonly open: Component[]
  readonly roots: Component[]
  readonly faults: Faults
}

function begin(value: string, line: number, { open, roots, faults }: Tree): void {
  const name = value.trim().toLowerCase()
  if (!/^[a-z0-9-]{1,100}$/.test(name)) throw new ICalendarError(`Line ${line} begins a component without a name.`)
  if (open.length >= ICALENDAR_MAX_DEPTH) {
    throw new ICalendarError(`Line ${line} begins a component inside of ${ICALENDAR_MAX_DEPTH} others.`)
  }
  const component: Component = { name, properties: [], components: [], line }
  const parent = open.at(-1)
  if (parent !== undefined) parent.components.push(component)
  else if (name === 'vcalendar') roots.push(component)
  else if (BARE.includes(name)) {
    faults.property(line, `${name.toUpperCase()} stands outside of a VCALENDAR.`)
    if (roots.length === 0) roots.push({ name: 'vcalendar', properties: [], components: [], line })
    roots.at(-1)?.components.push(component)
  } else throw new ICalendarError(`The text begins with ${name.toUpperCase()}, not with VCALENDAR.`)
  open.push(component)
}

function end(value: string, line: number, open: Component[]): void {
  const component = open.pop()
  const name = value.trim().toLowerCase()
  if (component === undefined)
    throw new ICalendarError(`Line ${line} ends ${quote(name.toUpperCase())}, which did not begin.`)
  if (component.name !== name) {
    throw new ICalendarError(`Line ${line} ends ${quote(name.toUpperCase())}, but ${label(component)} is open.`)
  }
}

function label(component: Component): string {
  return `${component.name.toUpperCase()} of line ${component.line}`
}
