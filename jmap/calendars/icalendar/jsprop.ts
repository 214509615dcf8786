/** JSPROP: properties of JSCalendar that iCalendar has not (the conversion draft, 4.1.2). */

import { ICALENDAR_JSPROP_MAX_CHARS } from '../../../server/base/icalendar-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { formatPatchPath, parsePatchPath } from '../../protocol/pointer.ts'
import { type Property, parameterOf, textOf } from './jcal.ts'
import type { PropertyBag } from './property-bag.ts'

/** Members that a text must not set: those of this server, and those that decide how the object is read. */
const CLOSED = new Set([
  '@type',
  'version',
  'id',
  'baseEventId',
  'calendarIds',
  'isDraft',
  'isOrigin',
  'utcStart',
  'utcEnd',
  'uid',
  'prodId',
  'method',
  'iCalendar',
  'blobId',
  'recurrenceOverrides',
  'recurrenceId',
  'recurrenceIdTimeZone',
  'conferencing',
])

/** Sets the members of JSPROP. It runs after all other properties; members that are there stay as they are. */
export function readJsProps(object: MutableJsonObject, bag: PropertyBag): void {
  for (const property of bag.takeAll('jsprop')) {
    if (!setMember(object, property)) bag.putBack(property)
  }
}

function setMember(object: MutableJsonObject, property: Property): boolean {
  const path = parsePatchPath(parameterOf(property, 'jsptr') ?? '')
  const text = textOf(property)
  if (path === null || text === null || text.length > ICALENDAR_JSPROP_MAX_CHARS) return false
  const [first] = path
  const last = path.at(-1)
  if (first === undefined || last === undefined || last === '' || CLOSED.has(first) || CLOSED.has(last)) return false
  const value = parse(text)
  if (value === null || namesBlob(value)) return false
  let parent: MutableJsonObject = object
  for (const name of path.slice(0, -1)) {
    const next = Object.hasOwn(parent, name) ? parent[name] : undefined
    if (!isObject(next)) return false
    // Objects of an event that is being read are its own; none is shared.
    parent = next
  }
  if (Object.hasOwn(parent, last)) return false
  setOwn(parent, last, value)
  return true
}

/** Blobs are of an account: a text cannot know their ids. */
function namesBlob(value: Json): boolean {
  return JSON.stringify(value).includes('"blobId":')
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return isShallow(value, 16) ? value : null
  } catch {
    return null
  }
}

function isShallow(value: unknown, depth: number): value is Json {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1))
}

/** JSPROP properties for the members of an object that are not in `known`. @param path of the object in that of its component */
export function jsProps(object: JsonObject, known: ReadonlySet<string>, path: readonly string[] = []): Property[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (known.has(name) || CLOSED.has(name) || name.startsWith('@') || value === null) return []
    const text = JSON.stringify(value)
    if (text.length > ICALENDAR_JSPROP_MAX_CHARS) return []
    return [
      {
        name: 'jsprop',
        parameters: { jsptr: formatPatchPath([...path, name]) },
        type: 'text',
        values: [text],
        line: 0,
      },
    ]
  })
}
