/**
 * CPU of the recurrences of a calendar of 10,000 events, 1,000 of them recurring, for windows of a month: after a start (every event is
 * prepared), with prepared events, and after a change of one event. Beside it, what rows of instances would cost to fill. Prints
 * milliseconds; exits 1 above 300 ms for 1,000 rules after a start, or above 5 ms with prepared events.
 *
 *     server/node scripts/bench/recurrence.ts [--events 10000] [--recurring 1000] [--rounds 50]
 */
import { parseArgs } from 'node:util'
import { expand, extent } from '../../jmap/calendars/recurrence/expand.ts'
import { prepare, type RuleSet } from '../../jmap/calendars/recurrence/prepare.ts'
import { PreparedEvents } from '../../jmap/calendars/recurrence/prepared-events.ts'
import { wholeNumber } from '../whole-number.ts'
import { eventAt } from './support/calendar-events.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    recurring: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '50' },
  },
})
const COLD_MAX_MS = 300
const WARM_MAX_MS = 5
const DAY_MS = 86_400_000
const recurring = wholeNumber(values, 'recurring')
const rows = Array.from({ length: wholeNumber(values, 'events') }, (_, index) => {
  const set = eventAt(index, index < recurring)
  return {
    id: index,
    revision: 0,
    isRecurring: index < recurring,
    text: JSON.stringify(set),
    ...extent(prepare(set)),
  }
})

let instances = 0
/** What a query does after the rows are read: times of single events are in the rows. */
function month(kept: PreparedEvents, start: number): void {
  const range = { start, end: start + 31 * DAY_MS }
  instances = 0
  const prepared = kept.ofAccount(1)
  for (const row of rows) {
    if (row.start >= range.end || (row.end !== null && row.end <= range.start)) continue
    if (row.isRecurring)
      instances += expand(
        prepared.get(row.id, row.revision, () => JSON.parse(row.text) as RuleSet),
        range,
      ).length
    else instances++
  }
}

function cpuOf(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!
}

const kept = new PreparedEvents()
const cold = cpuOf(() => month(kept, Date.UTC(2026, 10)))
const rounds = Array.from({ length: wholeNumber(values, 'rounds') }, (_, round) => round)
const other = rounds.map((round) => cpuOf(() => month(kept, Date.UTC(2024, round))))
const changed = rounds.map((round) =>
  cpuOf(() => {
    rows[(round * 31) % recurring]!.revision++
    month(kept, Date.UTC(2026, 10))
  }),
)
console.log(
  `after a start: ${cold.toFixed(1)} ms for ${recurring} rules, with the offsets of zones (${instances} instances)`,
)
console.log(
  `prepared, ${rounds.length} other months: median ${median(other).toFixed(2)} ms, first ${other[0]!.toFixed(2)}, most ${Math.max(...other).toFixed(2)}`,
)
console.log(
  `prepared, one event changed: median ${median(changed).toFixed(2)} ms, most ${Math.max(...changed).toFixed(2)}`,
)

const years = 5
let rowsFilled = 0
const fill = cpuOf(() => {
  for (const row of rows.slice(0, recurring)) {
    const prepared = kept.ofAccount(1).get(row.id, row.revision, () => JSON.parse(row.text) as RuleSet)
    rowsFilled += expand(prepared, { start: Date.UTC(2024, 0), end: Date.UTC(2024 + years, 0) }).length
  }
})
console.log(
  `an index of instances instead: ${rowsFilled} rows for ${years} years, ${fill.toFixed(1)} ms to calculate, without writing them`,
)
if ((cold * 1_000) / recurring > COLD_MAX_MS || median(other) > WARM_MAX_MS || median(changed) > WARM_MAX_MS)
  process.exitCode = 1
