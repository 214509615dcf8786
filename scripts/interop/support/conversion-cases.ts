/**
 * calcard's pairs of iCalendar and JSCalendar: blocks `> test NAME`, one form, `> convert`, the other form, and perhaps more conversions.
 * They follow the conversion draft's notation of examples (1.3): what stands around them, and properties that must be there, is left out.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readICalendar } from '../../../jmap/calendars/icalendar/read-icalendar.ts'
import { writeICalendar } from '../../../jmap/calendars/icalendar/write-icalendar.ts'
import { isObject, jsonEqual } from '../../../jmap/protocol/json-object.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'

export interface ConversionCase {
  readonly name: string
  /** null: all that is named is equal. */
  readonly fault: string | null
}

export function conversionCases(folder: string, now: string): ConversionCase[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .flatMap((file) => blocksOf(readFileSync(join(folder, file), 'utf8')).flatMap((block) => casesOf(file, block, now)))
}

interface Block {
  readonly name: string
  readonly forms: readonly string[]
}

function blocksOf(text: string): Block[] {
  return text.split(/^> test/m).flatMap((block) => {
    const [title = '', ...rest] = block.split('\n')
    const forms = rest
      .join('\n')
      .split(/^> convert.*$/m)
      .map((form) => form.trim())
    return forms.length > 1 ? [{ name: title.trim(), forms }] : []
  })
}

/** A case for each step that ends in JSCalendar events. Tasks are not converted by this server. */
function casesOf(file: string, { name, forms }: Block, now: string): ConversionCase[] {
  return forms.slice(1).flatMap((form, index) => {
    const before = forms[index] ?? ''
    if (isJson(form) === isJson(before) || /VTODO|"Task"/.test(form + before)) return []
    return [
      {
        name: `${file} ${name} (step ${index + 1})`,
        fault: isJson(form) ? readFault(before, form, now) : writeFault(before, now),
      },
    ]
  })
}

function isJson(text: string): boolean {
  return /^[{"]/.test(text)
}

function readFault(ics: string, json: string, now: string): string | null {
  const wanted = eventsOf(parse(json))
  let read: readonly JsonObject[]
  try {
    read = readICalendar(completed(ics), { now }).events
  } catch (error) {
    return String(error)
  }
  if (read.length !== wanted.length) return `${read.length} events in place of ${wanted.length}`
  for (const [index, event] of wanted.entries()) {
    const uid = event['uid']
    const own = read.find((candidate) => candidate['uid'] === uid) ?? read[index]!
    const fault = missing(event, own, '')
    if (fault !== null) return fault
  }
  return null
}

/** JSCalendar that is written and read again is the same. */
function writeFault(json: string, now: string): string | null {
  const events = eventsOf(parse(json)).map((event) => ({ uid: 'x', start: '2020-01-01T00:00:00', ...event }))
  const read = readICalendar(writeICalendar(events, { now, prodId: 'x' }), { now }).events
  if (read.length !== events.length) return `${events.length} events became ${read.length}`
  for (const [index, event] of events.entries()) {
    const fault = missing(event, read[index]!, '')
    if (fault !== null) return fault
  }
  return null
}

function parse(json: string): Json {
  return JSON.parse(json.startsWith('{') ? json : `{${json}}`) as Json
}

function eventsOf(json: Json): JsonObject[] {
  if (!isObject(json)) return []
  const entries = json['entries']
  return Array.isArray(entries) ? entries.filter(isObject) : [json]
}

/** The conversion draft, 1.3.1: components that are implied, and properties that they must have. */
function completed(ics: string): string {
  const lines = ics
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .filter((line) => line !== '' && line !== '...')
  const out: string[] = []
  const open: string[] = []
  const close = () => {
    const name = open.pop()
    if (name !== undefined) out.push(`END:${name}`)
  }
  if (!lines[0]?.startsWith('BEGIN:VCALENDAR')) open.push('VCALENDAR')
  if (!/^BEGIN:(?:VCALENDAR|VEVENT)/.test(lines[0] ?? '')) open.push('VEVENT')
  out.push(...open.map((name) => `BEGIN:${name}`))
  for (const line of lines) {
    if (line.startsWith('BEGIN:')) open.push(line.slice(6))
    if (line.startsWith('END:')) close()
    else out.push(line)
  }
  while (open.length > 0) close()
  return withRequired(out).join('\r\n')
}

function withRequired(lines: readonly string[]): string[] {
  const out: string[] = []
  let from = 0
  for (const line of lines) {
    if (line === 'BEGIN:VEVENT' || line === 'BEGIN:VALARM') from = out.length
    const own = out.slice(from)
    const add = (name: string, text: string) => {
      if (!own.some((other) => new RegExp(`^${name}[;:]`).test(other))) out.push(text)
    }
    if (line === 'END:VEVENT') add('DTSTART', 'DTSTART:20200101T000000Z')
    if (line === 'END:VALARM') add('TRIGGER', 'TRIGGER:PT0S')
    out.push(line)
  }
  return out
}

/** The first member of `wanted` that `got` has otherwise. What an implementation keeps in `iCalendar` is its own choice. */
function missing(wanted: Json | undefined, got: Json | undefined, path: string): string | null {
  if (!isObject(wanted))
    return jsonEqual(wanted, got ?? null)
      ? null
      : `${path}: ${JSON.stringify(got)} in place of ${JSON.stringify(wanted)}`
  for (const [name, value] of Object.entries(wanted)) {
    // The main location is named by such a key.
    if (name === 'mainLocationId' && isObject(got) && typeof got[name] === 'string') continue
    if (name === 'iCalendar' || name === 'method' || name === '...' || name === '@type') continue
    const at = `${path}/${name}`
    const own = isObject(got) && Object.hasOwn(got, name) ? got[name] : undefined
    const fault = BY_ID.has(name) ? missingById(value, own ?? null, at) : missing(value, own ?? null, at)
    if (fault !== null) return fault
  }
  return null
}

/** Maps whose keys an implementation chooses (2.1.3). */
const BY_ID = new Set(['alerts', 'links', 'locations', 'participants', 'virtualLocations'])

function missingById(wanted: Json, got: Json, path: string): string | null {
  if (!isObject(wanted) || !isObject(got)) return missing(wanted, got, path)
  for (const [key, value] of Object.entries(wanted)) {
    const candidates = Object.hasOwn(got, key) ? [got[key]] : Object.values(got)
    if (candidates.every((candidate) => missing(value, candidate, path) !== null)) {
      return missing(value, candidates[0], `${path}/${key}`) ?? `${path}/${key}`
    }
  }
  return null
}
