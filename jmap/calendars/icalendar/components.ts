/** Content lines to a tree of components, within the limits. */
import {
  ICALENDAR_MAX_COMPONENTS,
  ICALENDAR_MAX_DEPTH,
  ICALENDAR_MAX_PROPERTIES,
} from '../../../server/base/icalendar-limits.ts'
import { quote } from '../../protocol/json-object.ts'
import { type SplitLine, splitLine } from './content-line.ts'
import { type ContentLine, ICalendarText, type LineRange } from './content-lines.ts'
import { type Faults, ICalendarError } from './faults.ts'
import { type Component, type Property, textOf } from './jcal.ts'
import { toProperty } from './values.ts'

/**
 * A component that is not read yet. Of its lines only the place is kept, and of what they say what is looked up before it is read: a calendar
 * has thousands.
 */
export interface UnreadEvent extends Component {
  readonly name: 'vevent'
  readonly source: ICalendarText
  /** The lines between its BEGIN and its END. */
  readonly range: LineRange
  readonly known: KnownProperties
}

/** undefined: there is no such property. Of several the first counts. */
interface KnownProperties {
  /** null: it is empty. */
  uid: string | null | undefined
  organizer: Property | undefined
  isInstance: boolean
  /** Of DTSTART; it may be NaN. */
  year: number | undefined
}

/**
 * The calendars (RFC 5545 3.4) of a text; there may be several, one after the other. Their events are UnreadEvents.
 * @param check called after each component; it may throw to end the reading
 * @throws ICalendarError if the text is no iCalendar or exceeds the limits
 */
export function readComponents(input: Uint8Array | string, faults: Faults, check: () => void): Component[] {
  const roots: Component[] = []
  const open: Open[] = []
  let components = 0
  const source = new ICalendarText(input)
  for (const content of source.lines()) {
    const { text, line } = content
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
      begin(split.value, content, { source, open, roots, faults })
      check()
    } else if (split.name === 'end') {
      end(split.value, content, open)
    } else if (current === undefined) {
      faults.property(line, `${split.name.toUpperCase()} stands outside of every component.`)
    } else {
      if (++current.properties > ICALENDAR_MAX_PROPERTIES) {
        throw new ICalendarError(`${label(current.component)} has more than ${ICALENDAR_MAX_PROPERTIES} properties.`)
      }
      const { event, component } = current
      if (event === null) addProperty(component, split, line, faults)
      else if (component === event) addKnown(event.known, split, line)
    }
  }
  const unfinished = open.at(-1)
  if (unfinished !== undefined) throw new ICalendarError(`${label(unfinished.component)} has no end.`)
  if (roots.length === 0) throw new ICalendarError('The text has no VCALENDAR.')
  return roots
}

function addKnown(known: KnownProperties, split: SplitLine, line: number): void {
  const property = () => toProperty(split, line).property
  if (split.name === 'uid' && known.uid === undefined) known.uid = textOf(property())?.trim() || null
  else if (split.name === 'organizer') known.organizer ??= property()
  else if (split.name === 'recurrence-id') known.isInstance = true
  else if (split.name === 'dtstart') known.year ??= Number(textOf(property())?.slice(0, 4))
}

/** The tree of an event, whose lines were checked. */
export function readUnread(unread: UnreadEvent, faults: Faults): Component {
  const root: Component = { name: unread.name, properties: [], components: [], line: unread.line }
  const open = [root]
  for (const { text, line } of unread.source.lines(unread.range)) {
    const split = splitLine(text)
    if (typeof split === 'string') continue
    const current = open.at(-1)!
    if (split.name === 'begin') {
      const inner: Component = { name: nameOf(split.value), properties: [], components: [], line }
      current.components.push(inner)
      open.push(inner)
    } else if (split.name === 'end') open.pop()
    else addProperty(current, split, line, faults)
  }
  return root
}

export function isUnread(component: Component): component is UnreadEvent {
  return component.name === 'vevent' && 'range' in component
}

function addProperty(component: Component, split: SplitLine, line: number, faults: Faults): void {
  const { property, fault } = toProperty(split, line)
  component.properties.push(property)
  if (fault !== null) faults.property(line, `${fault}: '${quote(split.value)}'.`)
}

/** Components that some write without a VCALENDAR around them. */
const BARE = ['vevent', 'vtodo', 'vjournal', 'vfreebusy', 'vtimezone']

/** A component that has not ended. */
interface Open {
  readonly component: Component
  /** The event that it is, or is inside of; null: none. */
  readonly event: OpenEvent | null
  /** Their number. */
  properties: number
}

/** An event whose end is not known. */
type OpenEvent = UnreadEvent & { readonly range: { end: number } }

interface Tree {
  readonly source: ICalendarText
  readonly open: Open[]
  readonly roots: Component[]
  readonly faults: Faults
}

function begin(value: string, at: ContentLine, { source, open, roots, faults }: Tree): void {
  const { line } = at
  const name = nameOf(value)
  if (!/^[a-z0-9-]{1,100}$/.test(name)) throw new ICalendarError(`Line ${line} begins a component without a name.`)
  if (open.length >= ICALENDAR_MAX_DEPTH) {
    throw new ICalendarError(`Line ${line} begins a component inside of ${ICALENDAR_MAX_DEPTH} others.`)
  }
  const above = open.at(-1)
  const parent = above?.component
  const isEvent = name === 'vevent' && (parent === undefined || parent.name === 'vcalendar')
  const event = isEvent ? beginEvent(source, at) : (above?.event ?? null)
  const component: Component = isEvent ? event! : { name, properties: [], components: [], line }
  open.push({ component, event, properties: 0 })
  // What is inside of an event is read with it.
  if (above?.event) return
  if (parent !== undefined) parent.components.push(component)
  else if (name === 'vcalendar') roots.push(component)
  else if (BARE.includes(name)) {
    faults.property(line, `${name.toUpperCase()} stands outside of a VCALENDAR.`)
    if (roots.length === 0) roots.push({ name: 'vcalendar', properties: [], components: [], line })
    roots.at(-1)?.components.push(component)
  } else throw new ICalendarError(`The text begins with ${name.toUpperCase()}, not with VCALENDAR.`)
}

function beginEvent(source: ICalendarText, { line, end: start, nextLine }: ContentLine): OpenEvent {
  const known = { uid: undefined, organizer: undefined, isInstance: false, year: undefined }
  const range = { start, end: start, line: nextLine }
  return { name: 'vevent', properties: [], components: [], line, source, range, known }
}

function end(value: string, { start, line }: ContentLine, open: Open[]): void {
  const ended = open.pop()
  const component = ended?.component
  if (ended && ended.event === component) ended.event.range.end = start
  const name = nameOf(value)
  if (component === undefined)
    throw new ICalendarError(`Line ${line} ends ${quote(name.toUpperCase())}, which did not begin.`)
  if (component.name !== name) {
    throw new ICalendarError(`Line ${line} ends ${quote(name.toUpperCase())}, but ${label(component)} is open.`)
  }
}

function nameOf(value: string): string {
  return value.trim().toLowerCase()
}

function label(component: Component): string {
  return `${component.name.toUpperCase()} of line ${component.line}`
}
