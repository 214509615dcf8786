/** The types of properties and parameters, for ical.js. It knows those of RFC 5545; those of later specifications stand here. */
import ICAL from 'ical.js'

const TEXT = { defaultType: 'text' }
const TEXTS = { defaultType: 'text', multiValue: ',' }
const URI = { defaultType: 'uri' }
const RECUR = { defaultType: 'recur' }

const LATER_PROPERTIES = {
  // RFC 7986
  name: TEXT,
  'refresh-interval': { defaultType: 'duration' },
  source: URI,
  color: TEXT,
  image: URI,
  conference: URI,
  // RFC 9073
  'location-type': TEXTS,
  'participant-type': TEXT,
  'resource-type': TEXT,
  'calendar-address': { defaultType: 'cal-address' },
  'styled-description': TEXT,
  'structured-data': TEXT,
  // RFC 9074
  acknowledged: { defaultType: 'date-time' },
  proximity: TEXT,
  // RFC 9253
  concept: URI,
  link: URI,
  refid: TEXT,
  // RFC 7953
  busytype: TEXT,
  // draft-ietf-calext-icalendar-jscalendar-extensions
  coordinates: URI,
  'show-without-time': { defaultType: 'boolean' },
  // The conversion draft, 4.1
  jsid: TEXT,
  jsprop: TEXT,
  // Of calendars; Outlook and others read them only without VALUE.
  'x-wr-calname': TEXT,
  'x-published-ttl': { defaultType: 'duration' },
  // A rule is converted by recurrence-rule.ts.
  rrule: RECUR,
  exrule: RECUR,
}

/** Properties whose specification asks for VALUE although a type is the usual one (RFC 7986 5.10, 5.11; RFC 9253 8). */
const EXPLICIT = [
  'image',
  'conference',
  'concept',
  'link',
  'source',
  'refresh-interval',
  'styled-description',
  'structured-data',
]

const LISTS = { multiValue: ',' }
const LATER_PARAMETERS = { feature: LISTS, display: LISTS, role: LISTS }

/** ical.js looks names up with `in`, so that its tables must not inherit. */
function table<T extends object>(...parts: readonly object[]): T {
  return Object.assign(Object.create(null), ...parts)
}

const { icalendar } = ICAL.design
/** A rule stays text; one that is kept as jCal is an object (RFC 7265 3.6.10). */
const recur = {
  fromICAL: (text: string) => text,
  toICAL: (value: unknown) => (typeof value === 'string' ? value : icalendar.value.recur.toICAL(value)),
}
/** A wrong integer or boolean must not become 0 or false; values are checked before (values.ts). */
const boolean = {
  fromICAL: (text: string) => text.toUpperCase() === 'TRUE',
  toICAL: (value: unknown) => (value ? 'TRUE' : 'FALSE'),
}
const value = table(icalendar.value, { recur, boolean })
const property = table(icalendar.property, LATER_PROPERTIES)
const param = table(icalendar.param, LATER_PARAMETERS)

export const READING = { name: 'ical', value, param, property, propertyGroups: false }
export const WRITING = {
  ...READING,
  property: table(property, Object.fromEntries(EXPLICIT.map((name) => [name, {}]))),
}

/** The usual type of a property's value; `unknown`: a property that is not known. */
export function defaultType(name: string): string {
  const known: unknown = Object.hasOwn(READING.property, name) ? Reflect.get(READING.property, name) : undefined
  const type: unknown = typeof known === 'object' && known !== null ? Reflect.get(known, 'defaultType') : undefined
  return typeof type === 'string' ? type : 'unknown'
}

/** Whether a property has several values in a line, or a value of several parts. */
export function isMany(name: string): boolean {
  const known: unknown = Object.hasOwn(READING.property, name) ? Reflect.get(READING.property, name) : undefined
  return typeof known === 'object' && known !== null && ('multiValue' in known || 'structuredValue' in known)
}

/** A rule as jCal; null: ical.js refuses it. */
export function recurToJCal(text: string): { [part: string]: string | number | (string | number)[] } | null {
  try {
    const parts = Object.entries<string | number | (string | number)[] | undefined>(
      icalendar.value.recur.fromICAL(text),
    )
    const known = parts.flatMap(([part, value]) =>
      /^[a-z-]+$/.test(part) && value !== undefined ? [[part, value] as const] : [],
    )
    return known.length === parts.length ? Object.fromEntries(known) : null
  } catch {
    return null
  }
}
