/** ical.js's pairs of iCalendar text and jCal (RFC 7265): X.ics with X.json. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isUnread, readComponents, readUnread } from '../../../jmap/calendars/icalendar/components.ts'
import { Faults, ICalendarError } from '../../../jmap/calendars/icalendar/faults.ts'
import { componentToJCal } from '../../../jmap/calendars/icalendar/jcal.ts'
import { jsonEqual } from '../../../jmap/protocol/json-object.ts'
import type { Json } from '../../../server/base/json.ts'

export interface JCalPair {
  readonly name: string
  /** null: equal. */
  readonly fault: string | null
  /** Values that ical.js guesses, and that this server keeps as text and reports. */
  readonly kept: number
}

export function jcalPairs(folder: string): JCalPair[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ics') && existsSync(join(folder, name.replace(/ics$/, 'json'))))
    .sort()
    .map((name) => {
      const wanted: Json = JSON.parse(readFileSync(join(folder, name.replace(/ics$/, 'json')), 'utf8'))
      return { name, ...compare(readFileSync(join(folder, name)), wanted) }
    })
}

function compare(text: Uint8Array, wanted: Json): Omit<JCalPair, 'name'> {
  const faults = new Faults()
  let read: Json
  try {
    const calendars = readComponents(text, faults, () => {}).map(({ components, ...calendar }) => {
      const whole = components.map((inner) => (isUnread(inner) ? readUnread(inner, faults) : inner))
      return componentToJCal({ ...calendar, components: whole })
    })
    read = calendars.length === 1 ? calendars[0]! : calendars
  } catch (error) {
    if (error instanceof ICalendarError) return { fault: error.message, kept: 0 }
    throw error
  }
  const tally = { kept: 0 }
  const equal = jsonEqual(normal(wanted, read, tally), read)
  return {
    fault: equal ? null : `${JSON.stringify(read).slice(0, 400)} in place of ${JSON.stringify(wanted).slice(0, 400)}`,
    kept: tally.kept,
  }
}

/** What is wanted, with the value that was read where that is kept as text although the pair has a type for it. */
function normal(wanted: Json, read: Json, tally: { kept: number }): Json {
  if (!Array.isArray(wanted) || !Array.isArray(read)) return wanted
  if (
    isProperty(wanted) &&
    isProperty(read) &&
    read[0] === wanted[0] &&
    read[2] === 'unknown' &&
    wanted[2] !== 'unknown'
  ) {
    tally.kept++
    return read
  }
  return wanted.map((item, index) => normal(item, read[index] ?? null, tally))
}

function isProperty(json: readonly Json[]): boolean {
  return typeof json[0] === 'string' && typeof json[2] === 'string'
}
