/** VEVENT to an Event (the conversion draft, 2.2.3). */
import type { Json } from '../../../server/base/json.ts'
import { type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { Hatch } from './hatch.ts'
import { type Component, type Property, parameterOf, textOf } from './jcal.ts'
import { readJsProps } from './jsprop.ts'
import { PropertyBag } from './property-bag.ts'
import { readAlerts, readRelations, utcOf } from './read-alerts.ts'
import { readLinks } from './read-links.ts'
import { readDescription, readPeople } from './read-people.ts'
import { readConferences, readLocations } from './read-places.ts'
import type { CalendarScope, EventScope } from './read-scope.ts'
import { readEnd, readSeries, readStart, type StartForm, timeOf } from './read-times.ts'
import type { ZonedTime } from './zone-names.ts'

/** An event of one component, before components of the same UID are joined. */
export interface ReadEvent {
  readonly event: MutableJsonObject
  readonly form: StartForm | null
  /** There is no DTSTART: `form` is that of RECURRENCE-ID, and the series says the rest. */
  readonly inherits: boolean
  readonly instance: Instance | null
  /** Of the component. It is not kept itself: a calendar has thousands. */
  readonly line: number
}

/** RECURRENCE-ID. */
export interface Instance {
  readonly time: ZonedTime
  readonly isDate: boolean
  /** RANGE=THISANDFUTURE. */
  readonly future: boolean
}

/** Members whose text or number is that of one property, in the order in which they are set. */
interface Plain {
  readonly property: string
  readonly member: string
  /** The value; null: it has no counterpart. */
  value(property: Property, scope: CalendarScope): Json
}

const text = (property: Property) => textOf(property) || null
const word =
  (values: { readonly [word: string]: string }) =>
  (property: Property): Json => {
    const name = (textOf(property) ?? '').trim().toUpperCase()
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? null
  }
const integer = (min: number, max: number) => (property: Property) => {
  const [value] = property.values
  return typeof value === 'number' && value >= min && value <= max ? value : null
}

const PLAIN: readonly Plain[] = [
  { property: 'summary', member: 'title', value: text },
  { property: 'created', member: 'created', value: utcOf },
  { property: 'dtstamp', member: 'updated', value: utcOf },
  { property: 'sequence', member: 'sequence', value: integer(0, Number.MAX_SAFE_INTEGER) },
  { property: 'priority', member: 'priority', value: integer(0, 9) },
  { property: 'transp', member: 'freeBusyStatus', value: word({ OPAQUE: 'busy', TRANSPARENT: 'free' }) },
  {
    property: 'class',
    member: 'privacy',
    value: word({ PUBLIC: 'public', PRIVATE: 'private', CONFIDENTIAL: 'secret' }),
  },
  {
    property: 'status',
    member: 'status',
    value: word({ CONFIRMED: 'confirmed', TENTATIVE: 'tentative', CANCELLED: 'cancelled' }),
  },
  { property: 'color', member: 'color', value: (property) => textOf(property)?.trim() || null },
]

/** @param uid of the event, which may have none of its own */
export function readEvent(component: Component, uid: string, calendar: CalendarScope): ReadEvent {
  const event: MutableJsonObject = { '@type': 'Event', uid }
  const bag = new PropertyBag(component)
  const hatch = new Hatch('vevent')
  const scope: EventScope = { ...calendar, event, bag, hatch }
  const own = bag.take('uid')
  if (own !== null) hatch.rest(['uid'], own, [])
  readPlain(scope)
  const instance = readInstance(scope)
  const start = readStart(scope)
  const form = start ?? (instance === null ? null : startOf(instance, event))
  if (form !== null) {
    bag.dropAll('dtstart')
    readEnd(scope, form, start !== null)
    readSeries(scope, form)
  }
  readAllDay(scope, form)
  readDescription(event, bag, hatch)
  readKeywords(scope)
  readLocations(scope, component)
  readConferences(scope)
  readLinks(event, bag, hatch)
  readPeople(scope, component)
  readAlerts(scope, component, form?.zone ?? null)
  readRelations(event, bag, hatch)
  readJsProps(event, bag)
  event['updated'] ??= stampOf(bag, scope)
  // Every event that is written has these.
  for (const name of ['uid', 'dtstamp']) bag.dropAll(name)
  bag.keepRest(hatch, scope.faults)
  for (const inner of component.components) {
    if (!['valarm', 'vlocation', 'participant'].includes(inner.name)) hatch.keepComponent(inner)
  }
  hatch.addTo(event)
  return { event, form, inherits: start === null, instance, line: component.line }
}

/** RFC 5546 3.2: a message about an instance need not say when it is: it is where its series has it. */
function startOf({ time, isDate }: Instance, event: MutableJsonObject): StartForm {
  event['start'] = time.local
  if (time.zone !== null) event['timeZone'] = time.zone
  if (isDate) event['showWithoutTime'] = true
  return { start: time.local, zone: time.zone, date: isDate }
}

function readPlain(scope: EventScope): void {
  const { event, bag, hatch } = scope
  for (const { property: name, member, value } of PLAIN) {
    const property = bag.take(name)
    if (property === null) continue
    const json = value(property, scope)
    if (json === null) {
      bag.putBack(property)
      continue
    }
    event[member] = json
    const language = member === 'title' ? parameterOf(property, 'language') : null
    // 2.3.42: the language of SUMMARY is that of the event.
    if (language !== null) event['locale'] = language
    hatch.rest([member], property, member === 'title' ? ['language'] : ['tzid'])
  }
}

/** SHOW-WITHOUT-TIME (2.3.38), and what Outlook says of an event that takes whole days by the clock. */
function readAllDay({ event, bag }: EventScope, form: StartForm | null): void {
  const property = bag.take('show-without-time')
  if (form?.date === true) return
  if (property?.values[0] === true) event['showWithoutTime'] = true
  const [outlook] = bag.takeRaw('x-microsoft-cdo-alldayevent')
  if (outlook === undefined) return
  bag.putBack(outlook)
  if (textOf(outlook)?.toUpperCase() === 'TRUE' && form?.start.endsWith('T00:00:00') === true)
    event['showWithoutTime'] = true
}

/** 2.3.34; RANGE is of RFC 5545 3.2.13. */
function readInstance(scope: EventScope): Instance | null {
  const property = scope.bag.take('recurrence-id')
  if (property === null) return null
  const time = timeOf(property, property.values[0], scope)
  if (time === null) return null
  const future = parameterOf(property, 'range')?.toUpperCase() === 'THISANDFUTURE'
  scope.hatch.rest(['recurrenceId'], property, future ? ['tzid', 'range'] : ['tzid'])
  return { time, isDate: property.type === 'date', future }
}

/** CATEGORIES and CONCEPT (2.3.6, 2.3.9). */
function readKeywords({ event, bag, hatch }: EventScope): void {
  for (const [name, member] of [
    ['categories', 'keywords'],
    ['concept', 'categories'],
  ] as const) {
    const set: { [key: string]: true } = {}
    for (const property of bag.takeAll(name)) {
      const words = property.values.filter((value) => typeof value === 'string' && value !== '')
      if (words.length === 0) bag.putBack(property)
      for (const keyword of words) {
        setOwn(set, String(keyword), true)
        hatch.rest([member, String(keyword)], property, [])
      }
    }
    if (Object.keys(set).length > 0) event[member] = set
  }
}

/** `updated` of an event without DTSTAMP: what else says when it was changed. */
function stampOf(bag: PropertyBag, scope: CalendarScope & { readonly event: MutableJsonObject }): Json {
  const modified = bag.peek('last-modified')
  return (modified === null ? null : utcOf(modified, scope)) ?? scope.event['created'] ?? scope.now
}
