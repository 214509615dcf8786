/**
 * CPU of CalendarEvent/query with expandRecurrences over a month of a calendar of 10,000 events, 1,000 of them recurring, on SQLite in
 * memory of one process: the first after a start, then of months that nobody has asked for, of the same month after a change of one event
 * and without one, with a text condition, and of Principal/getAvailability over 62 days. Prints milliseconds; exits 1 above 300 ms for 1,000 rules after a start, or
 * above 5 ms after that (promise C3, decision record 0034).
 *
 *     server/node scripts/bench/calendar-queries.ts [--events 10000] [--recurring 1000] [--rounds 30]
 */
import { parseArgs } from 'node:util'
import type { JsonObject } from '../../server/base/json.ts'
import { type Result, startCore, type TestMailbox } from '../../spec/support/core.ts'
import { wholeNumber } from '../whole-number.ts'
import { eventAt } from './support/calendar-events.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    recurring: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '30' },
  },
})
const COLD_MAX_MS = 300
const WARM_MAX_MS = 5
const BATCH = 500

const ended: (() => unknown)[] = []
const { mailbox } = await startCore({ teardown: (end: () => unknown) => ended.push(end) } as never)
const hello = await mailbox('hello')
const calendar = (await hello.call('Calendar/get', { ids: null })).list[0].id as string
const recurring = wholeNumber(values, 'recurring')
const ids = await fill(hello, wholeNumber(values, 'events'))
console.log(`${ids.length} events, ${recurring} of them recurring`)

async function fill(box: TestMailbox, events: number): Promise<string[]> {
  const made: string[] = []
  for (let from = 0; from < events; from += BATCH) {
    const create: { [id: string]: JsonObject } = {}
    for (let i = from; i < Math.min(from + BATCH, events); i++)
      create[`e${i}`] = {
        ...eventAt(i, i < recurring),
        title: `Event ${i}`,
        calendarIds: { [calendar]: true },
      } as JsonObject
    const { created, notCreated } = await box.call('CalendarEvent/set', { create })
    if (notCreated) throw new Error(JSON.stringify(notCreated).slice(0, 500))
    for (const { id } of Object.values(created) as { id: string }[]) made.push(id)
  }
  return made
}

/** Creating an event keeps nothing prepared, so that the first query is like one after a start. */
async function run(name: string, args: JsonObject): Promise<{ readonly ms: number; readonly answer: Result }> {
  const before = process.cpuUsage()
  const answer = await hello.call(name, args)
  const { user, system } = process.cpuUsage(before)
  if (answer.type !== undefined) throw new Error(JSON.stringify(answer).slice(0, 500))
  return { ms: (user + system) / 1_000, answer }
}

/** @param day on which it begins */
function month(year: number, index: number, day = 1): JsonObject {
  const at = (offset: number) => new Date(Date.UTC(year, index + offset, day)).toISOString().slice(0, 19)
  return { after: at(0), before: at(1) }
}
const query = (filter: JsonObject) =>
  run('CalendarEvent/query', { filter, expandRecurrences: true, timeZone: 'Europe/Berlin' })

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
}

const cold = await query(month(2026, 10))
console.log(`after a start: ${cold.ms.toFixed(1)} ms (${cold.answer.ids.length} instances)`)
const rounds = Array.from({ length: wholeNumber(values, 'rounds') }, (_, round) => round)
// The compiler needs some rounds of its own.
for (const round of rounds) await query(month(2023, round))
const others: number[] = []
for (const round of rounds) others.push((await query(month(2024, round, 15))).ms)
const changed: number[] = []
for (const round of rounds) {
  const id = ids[(round * 31) % recurring]!
  await hello.call('CalendarEvent/set', { update: { [id]: { title: `Changed ${round}` } } })
  changed.push((await query(month(2026, 10))).ms)
}
const again: number[] = []
for (const _round of rounds) again.push((await query(month(2026, 10))).ms)
const texts: number[] = []
for (const round of rounds) texts.push((await query({ ...month(2026, 10), title: `event ${round}` })).ms)
const { list } = (await run('Principal/get', { ids: null })).answer
const period = { id: list[0].id, utcStart: '2026-10-01T00:00:00Z', utcEnd: '2026-12-02T00:00:00Z' }
const available: number[] = []
for (const _round of rounds.slice(0, 10)) available.push((await run('Principal/getAvailability', period)).ms)
const told = (name: string, list: readonly number[]) =>
  console.log(`${name}: median ${median(list).toFixed(2)} ms, most ${Math.max(...list).toFixed(2)}`)
told('other months', others)
told('one event changed', changed)
told('the same again', again)
told('with a title', texts)
told('availability of 62 days', available)
for (const end of ended.toReversed()) await end()
if ((cold.ms * 1_000) / recurring > COLD_MAX_MS || median(others) > WARM_MAX_MS || median(changed) > WARM_MAX_MS)
  process.exitCode = 1
process.exit()
