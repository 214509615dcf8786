/** An Event to VEVENT components: the series, and its instances that differ (the conversion draft, 3.2). */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { defaultType } from './design.ts'
import { Kept } from './hatch.ts'
import { patched } from './instance.ts'
import type { Component, Parameters, Property } from './jcal.ts'
import { jsProps } from './jsprop.ts'
import { ONCE } from './property-bag.ts'
import { THIS_AND_FUTURE } from './this-and-future.ts'
import { relatedProperties, writeAlerts } from './write-alerts.ts'
import { writeDescription } from './write-description.ts'
import { writeLinks } from './write-links.ts'
import { writePeople } from './write-people.ts'
import { writeConferences, writeLocations } from './write-places.ts'
import { property, setNames, textMember, type WriteScope } from './write-scope.ts'
import { type Times, timesOf, writeRecurrenceId, writeSeries, writeStart } from './write-times.ts'

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** Members whose value is that of one property. */
interface Plain {
  readonly member: string
  readonly property: string
  readonly type: string
  /** The value; null: iCalendar has none for it. */
  value(json: Json): Json
}

const text = (json: Json) => (typeof json === 'string' && json !== '' ? json : null)
const utc = (json: Json) => (typeof json === 'string' && UTC.test(json) ? json : null)
const integer = (json: Json) => (typeof json === 'number' && Number.isSafeInteger(json) ? json : null)
const word = (words: { readonly [value: string]: string }) => (json: Json) =>
  (typeof json === 'string' && Object.hasOwn(words, json) ? words[json] : undefined) ?? null

const PLAIN: readonly Plain[] = [
  { member: 'sequence', property: 'sequence', type: 'integer', value: integer },
  { member: 'created', property: 'created', type: 'date-time', value: utc },
  { member: 'title', property: 'summary', type: 'text', value: (json) => (typeof json === 'string' ? json : null) },
  { member: 'priority', property: 'priority', type: 'integer', value: integer },
  { member: 'freeBusyStatus', property: 'transp', type: 'text', value: word({ busy: 'OPAQUE', free: 'TRANSPARENT' }) },
  {
    member: 'privacy',
    property: 'class',
    type: 'text',
    value: word({ public: 'PUBLIC', private: 'PRIVATE', secret: 'CONFIDENTIAL' }),
  },
  {
    member: 'status',
    property: 'status',
    type: 'text',
    value: word({ confirmed: 'CONFIRMED', tentative: 'TENTATIVE', cancelled: 'CANCELLED' }),
  },
  { member: 'color', property: 'color', type: 'text', value: text },
]

/** Members that are written otherwise than by JSPROP. */
const WRITTEN = new Set([
  '@type',
  'uid',
  'updated',
  'start',
  'timeZone',
  'endTimeZone',
  'duration',
  'showWithoutTime',
  'recurrenceId',
  'recurrenceIdTimeZone',
  'recurrenceRule',
  'recurrenceOverrides',
  'excluded',
  'description',
  'descriptionContentType',
  'keywords',
  'categories',
  'locations',
  'mainLocationId',
  'virtualLocations',
  'links',
  'organizerCalendarAddress',
  'sentBy',
  'participants',
  'alerts',
  'relatedTo',
  'iCalendar',
])

/** What the components of one calendar share. */
export type CalendarWriteScope = Omit<WriteScope, 'event' | 'kept' | 'component'>

/** The components of an event: its series first. */
export function* eventComponents(event: JsonObject, calendar: CalendarWriteScope): Generator<Component> {
  const times = timesOf(event)
  const recurrenceId = textMember(event, 'recurrenceId')
  const instance = recurrenceId === null ? null : { recurrenceId, times: instanceTimes(event, times) }
  const { component, overrides } = vevent(event, calendar, times, instance)
  yield component
  for (const [key, patch] of overrides) {
    const changed = patched(event, key, patch)
    yield vevent(changed, calendar, timesOf(changed), { recurrenceId: key, times }).component
  }
}

/** RECURRENCE-ID of an instance without its series has the zone of the series (2.3.34). */
function instanceTimes(event: JsonObject, times: Times): Times {
  const zone = textMember(event, 'recurrenceIdTimeZone')
  if (zone === null && times.form === 'date') return times
  return { zone, form: zone === 'Etc/UTC' ? 'utc' : 'local' }
}

interface Instance {
  readonly recurrenceId: string
  /** Of the series. */
  readonly times: Times
}

function vevent(
  event: JsonObject,
  calendar: CalendarWriteScope,
  times: Times,
  instance: Instance | null,
): { readonly component: Component; readonly overrides: [recurrenceId: string, patch: JsonObject][] } {
  const kept = new Kept(event)
  const component: Component = { name: 'vevent', properties: [], components: [], line: 0 }
  const scope: WriteScope = { ...calendar, event, kept, component }
  component.properties.push(property('uid', 'text', textMember(event, 'uid') ?? '', kept.parameters('uid', 'uid')))
  const updated = textMember(event, 'updated')
  const stamp = updated !== null && UTC.test(updated) ? updated : calendar.now
  component.properties.push(property('dtstamp', 'date-time', stamp, kept.parameters('dtstamp', 'updated')))
  if (instance !== null) writeRecurrenceId(scope, instance.recurrenceId, instance.times)
  writeStart(scope, times)
  const overrides = instance === null ? writeSeries(scope, times) : []
  const unwritten = writePlain(scope)
  writeDescription(event, kept, component, null)
  writeKeywords(scope)
  writeLocations(scope)
  writeConferences(scope)
  writeLinks(event, kept, component, calendar.lossless)
  component.properties.push(...relatedProperties(event, kept, (target) => target))
  writePeople(scope)
  writeAlerts(scope)
  if (calendar.lossless) component.properties.push(...jsProps(event, new Set([...WRITTEN, ...unwritten])))
  addKept(component, kept, calendar.lossless)
  return { component, overrides }
}

/** @returns the members that were written, so that JSPROP has the others */
function writePlain({ event, kept, component }: WriteScope): string[] {
  const done: string[] = []
  for (const { member, property: name, type, value } of PLAIN) {
    const json = event[member]
    const written = json === undefined ? null : value(json)
    if (written === null) continue
    done.push(member)
    const parameters: { [name: string]: string | readonly string[] } = { ...kept.parameters(name, member) }
    const locale = member === 'title' ? textMember(event, 'locale') : null
    if (locale !== null) {
      parameters['language'] = locale
      done.push('locale')
    }
    component.properties.push(property(name, type, written, parameters))
  }
  return done
}

/** CATEGORIES, one for the keywords that stood with the same parameters, and CONCEPT. */
function writeKeywords({ event, kept, component }: WriteScope): void {
  const groups = new Map<string, { readonly parameters: Parameters; readonly words: string[] }>()
  for (const keyword of setNames(event['keywords'])) {
    const parameters = kept.parameters('categories', 'keywords', keyword)
    const key = JSON.stringify(parameters)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { parameters, words: [keyword] })
    else group.words.push(keyword)
  }
  for (const { parameters, words } of groups.values())
    component.properties.push(property('categories', 'text', words, parameters))
  for (const uri of setNames(event['categories'])) {
    component.properties.push(property('concept', 'uri', uri, kept.parameters('concept', 'categories', uri)))
  }
}

/** In a message stands only what its reader may know: other names, and values that cannot be read, are for this server. */
function isForOthers({ name, type }: Property): boolean {
  if (name === THIS_AND_FUTURE) return false
  return name.startsWith('x-') || (type !== 'unknown' && defaultType(name) !== 'unknown')
}

/** What had no counterpart when it was read. */
function addKept(component: Component, kept: Kept, lossless: boolean): void {
  const names = new Set(component.properties.map(({ name }) => name))
  const ended = names.has('dtend') || names.has('duration')
  for (const each of kept.properties) {
    if (!lossless && !isForOthers(each)) continue
    const isEnd = each.name === 'dtend' || each.name === 'duration'
    if (isEnd ? !ended : !(ONCE.has(each.name) && names.has(each.name))) component.properties.push(each)
  }
  component.components.push(...kept.components)
}
