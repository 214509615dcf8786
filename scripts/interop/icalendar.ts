/**
 * Figures of promise C2: iCalendar to JSCalendar and back, over the shared corpora. Prints a table with a row for each corpus and each
 * failure, and what a number of mutations of the same files do; exits 1 if a file fails.
 *
 * A file passes if it is read, written and read again to the same events, or if it is refused or reported in words. It fails on another
 * exception, on other events after the round trip, and if it takes more than 1 s of CPU.
 *
 *     node scripts/interop/icalendar.ts [--corpora FOLDER] [--mutations 2000] [--seed 1] [--verbose]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ICalendarError } from '../../jmap/calendars/icalendar/faults.ts'
import { type ReadCalendar, readICalendar } from '../../jmap/calendars/icalendar/read-icalendar.ts'
import { writeICalendar } from '../../jmap/calendars/icalendar/write-icalendar.ts'
import { jsonEqual } from '../../jmap/protocol/json-object.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'
import { conversionCases } from './support/conversion-cases.ts'
import { jcalPairs } from './support/jcal-pairs.ts'

const { values } = parseArgs({
  options: {
    corpora: { type: 'string', default: SHARED_CORPORA },
    mutations: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
})
if (!existsSync(values.corpora)) {
  console.error(`there are no corpora at ${values.corpora}: --corpora names another folder`)
  process.exit(2)
}

const CORPORA = ['ical4j', 'ical.js', 'libical', 'caldavtester', 'cyrus-cassandane', 'py-icalendar', 'calcard']
const NOW = '2026-01-01T00:00:00Z'
const SLOW_MS = 1_000

interface Outcome {
  /** What became of the file. */
  readonly kind: 'same' | 'reported' | 'refused' | 'failed'
  readonly text: string
  readonly events: number
  readonly ms: number
}

function icsFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.toLowerCase().endsWith('.ics'))
    .sort()
}

/** CalDAVTester's files have places for dates and names, which its own test program fills. */
function completed(octets: Buffer): Buffer {
  if (!octets.includes('$')) return octets
  const text = octets
    .toString('latin1')
    .replace(/\$now\.year\.?(-?\d*):?/g, (_, years: string) => String(2026 + Number(years || 0)))
    .replace(/\$now\.month\.?(-?\d*):?/g, '202603')
    .replace(/\$now(?:\.week|\.day)?\.?(-?\d*):?/g, '20260315')
    .replace(/\$([a-z]*cuaddr[a-z0-9]*):/g, 'mailto:$1@example.com')
    .replace(/\$email([0-9]*):/g, 'email$1@example.com')
    .replace(/\$([a-z][a-z0-9_-]*):/g, '$1')
  return Buffer.from(text, 'latin1')
}

/** Reads, writes and reads again. */
function roundTrip(octets: Uint8Array): Outcome {
  const start = process.cpuUsage()
  const spent = () => process.cpuUsage(start).user / 1_000
  const done = (kind: Outcome['kind'], text: string, events = 0): Outcome => ({ kind, text, events, ms: spent() })
  let first: ReadCalendar
  try {
    first = readICalendar(octets, { now: NOW })
  } catch (error) {
    if (error instanceof ICalendarError) return done('refused', error.message)
    return done('failed', `exception: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  try {
    const text = writeICalendar(first.events, {
      now: NOW,
      prodId: '-//Posthouse//EN',
      ...(first.method && { method: first.method, lossless: true }),
    })
    const second = readICalendar(text, { now: NOW })
    const difference = compare(first.events, second.events)
    if (difference !== null) return done('failed', difference, first.events.length)
    // What was reported once is kept as text, and is reported again; nothing more may be.
    if (second.faultCount > first.faultCount)
      return done('failed', `new fault: ${second.faults.at(-1)?.text}`, first.events.length)
  } catch (error) {
    return done(
      'failed',
      `writing: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      first.events.length,
    )
  }
  const [fault] = first.faults
  if (spent() > SLOW_MS) return done('failed', 'more than 1 s of CPU', first.events.length)
  return fault === undefined
    ? done('same', '', first.events.length)
    : done('reported', `line ${fault.line}: ${fault.text}`, first.events.length)
}

/** Events are compared by their identity; their order may change. */
function compare(first: readonly JsonObject[], second: readonly JsonObject[]): string | null {
  const keyOf = (event: JsonObject) => `${event['uid']} ${event['recurrenceId'] ?? ''}`
  const byKey = new Map(second.map((event) => [keyOf(event), event]))
  if (first.length !== second.length) return `${first.length} events became ${second.length}`
  for (const event of first) {
    const other = byKey.get(keyOf(event))
    if (other === undefined) return `the event ${keyOf(event)} is lost`
    for (const name of new Set([...Object.keys(event), ...Object.keys(other)])) {
      if (!jsonEqual(event[name], other[name])) {
        const text = (value: unknown) => JSON.stringify(value)?.slice(0, 600)
        return `${name} of ${keyOf(event)}: ${text(event[name])} became ${text(other[name])}`
      }
    }
  }
  return null
}

/** A small generator of numbers (mulberry32), so that a run can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const PIECES = [
  '',
  '\r\n',
  ':',
  ';',
  '"',
  ',',
  'BEGIN:VEVENT\r\n',
  'END:VEVENT\r\n',
  'RECURRENCE-ID:20260101T000000Z\r\n',
  '99999999T999999',
  '\u0000',
  'é',
  '-P1D',
  'FREQ=SECONDLY;',
  'TZID=X:',
  '__proto__',
]

/** One to eight changes: octets cut out, repeated, swapped or put in. */
function mutate(octets: Buffer, next: (below: number) => number): Buffer {
  let text = octets.toString('latin1')
  for (let n = next(8) + 1; n > 0; n--) {
    const at = next(text.length + 1)
    const size = next(200)
    const piece = PIECES[next(PIECES.length)] ?? ''
    const kind = next(4)
    if (kind === 0) text = text.slice(0, at) + text.slice(at + size)
    else if (kind === 1) text = text.slice(0, at + size) + text.slice(at)
    else if (kind === 2) text = text.slice(0, at) + piece + text.slice(at)
    else text = text.slice(0, at) + String.fromCharCode(next(256)) + text.slice(at + 1)
  }
  return Buffer.from(text, 'latin1')
}

let failures = 0
const seeds: Buffer[] = []
console.log('corpus            files  events   same  reported  refused  failed  slowest ms')
for (const corpus of CORPORA) {
  const folder = join(values.corpora, corpus)
  const outcomes = icsFiles(folder).map((name) => {
    const octets = completed(readFileSync(join(folder, name)))
    if (octets.length < 20_000) seeds.push(octets)
    return { name, outcome: roundTrip(octets) }
  })
  const count = (kind: Outcome['kind']) => outcomes.filter(({ outcome }) => outcome.kind === kind).length
  const row = [count('same'), count('reported'), count('refused'), count('failed')]
  const slowest = Math.max(0, ...outcomes.map(({ outcome }) => outcome.ms))
  const events = outcomes.reduce((sum, { outcome }) => sum + outcome.events, 0)
  console.log(
    [corpus.padEnd(16), outcomes.length, events, ...row, slowest.toFixed(0)]
      .map((cell) => String(cell).padStart(7))
      .join(' '),
  )
  for (const { name, outcome } of outcomes) {
    if (outcome.kind === 'failed' || (values.verbose && outcome.kind !== 'same'))
      console.log(`  ${outcome.kind} ${name}: ${outcome.text}`)
  }
  failures += count('failed')
}

const cases = conversionCases(join(values.corpora, 'calcard/jscalendar'), NOW)
const equal = cases.filter(({ fault }) => fault === null).length
console.log(
  `calcard's pairs of iCalendar and JSCalendar: ${equal} of ${cases.length} equal in every member that they name`,
)
for (const { name, fault } of cases) if (fault !== null) console.log(`  differs ${name}: ${fault}`)

const pairs = jcalPairs(join(values.corpora, 'ical.js/parser'))
const wrong = pairs.filter(({ fault }) => fault !== null)
const kept = pairs.reduce((sum, pair) => sum + pair.kept, 0)
console.log(
  `ical.js's pairs of iCalendar and jCal: ${pairs.length - wrong.length} of ${pairs.length} equal, ${kept} wrong values kept as text`,
)
for (const { name, fault } of wrong) console.log(`  differs ${name}: ${fault}`)

const next = numbers(Number(values.seed))
const wanted = seeds.length === 0 ? 0 : Number(values.mutations)
let worst = 0
const broken: string[] = []
for (let n = 0; n < wanted; n++) {
  const octets = mutate(seeds[next(seeds.length)]!, next)
  const outcome = roundTrip(octets)
  worst = Math.max(worst, outcome.ms)
  if (outcome.kind === 'failed') broken.push(`mutation ${n}: ${outcome.text}`)
}
console.log(`mutations: ${wanted}, failed ${broken.length}, slowest ${worst.toFixed(0)} ms`)
for (const text of broken.slice(0, 20)) console.log(`  ${text}`)
process.exit(failures + broken.length > 0 ? 1 : 0)
