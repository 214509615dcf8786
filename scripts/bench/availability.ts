/**
 * CPU of one call of availability over 1,000 events of which 200 recur: 62 days, the longest call of REST, cold (the first call of the
 * process) and warm (also after one event has changed), and 365 days warm. Medians, in ms, with the answer as JMAP makes it. Exits 1 if a
 * figure is above its goal.
 *
 *     server/node scripts/bench/availability.ts [--events 1000] [--recurring 200] [--engine sqlite|postgres]
 */
import { parseArgs } from 'node:util'
import { type Result, startCore } from '../../spec/support/core.ts'
import { stopOwnPostgres } from '../../spec/support/postgres.ts'
import { wholeNumber } from '../whole-number.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    recurring: { type: 'string', default: '200' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const [total, recurring] = [wholeNumber(values, 'events'), wholeNumber(values, 'recurring')]
const GOALS = { 'cold, 62 days': 60, 'warm, 62 days': 5, 'after a change, 62 days': 5, 'warm, 365 days': 20 }
const ROUNDS = 31
const DAY_MS = 86_400_000
const FIRST = Date.UTC(2026, 0, 5)

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
const { mailbox } = await startCore(scope, values.engine === 'postgres' ? 'postgres' : 'sqlite')
const box = await mailbox('alice')
const calendar = (await box.call('Calendar/get', { ids: null })).list[0].id as string
const ids = await seed()

const ask = (days: number) => ({
  from: '2026-01-05T00:00:00Z',
  to: `${new Date(FIRST + days * DAY_MS).toISOString().slice(0, 19)}Z`,
  bufferMinutes: 5,
})
const found: [string, number][] = [['cold, 62 days', await cpuOf(62)]]
for (let i = 0; i < 10; i++) await cpuOf(62)
found.push(['warm, 62 days', await median(() => cpuOf(62))])
found.push([
  'after a change, 62 days',
  await median(async (round) => {
    await box.call('CalendarEvent/set', { update: { [ids[round]!]: { title: `changed ${round}` } } })
    return cpuOf(62)
  }),
])
found.push(['warm, 365 days', await median(() => cpuOf(365))])
let isSlow = false
for (const [what, ms] of found) {
  const goal = GOALS[what as keyof typeof GOALS]
  isSlow ||= ms > goal
  console.log(`${what.padEnd(26)} ${ms.toFixed(2)} ms of CPU (goal: ${goal})`)
}
for (const end of ends) await end()
await stopOwnPostgres()
process.exit(isSlow ? 1 : 0)

async function cpuOf(days: number): Promise<number> {
  const before = process.cpuUsage()
  const { slots } = (await box.call('Availability/get', ask(days))) as Result
  const { user, system } = process.cpuUsage(before)
  if (slots.length === 0) throw new Error('control: no slot is free')
  return (user + system) / 1000
}

async function median(measure: (round: number) => Promise<number>): Promise<number> {
  const all: number[] = []
  for (let round = 0; round < ROUNDS; round++) all.push(await measure(round))
  return all.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!
}

/** All lie within the 62 days; those that recur do so weekly or on some days of the month, for ever. */
async function seed(): Promise<string[]> {
  const made: string[] = []
  for (let at = 0; at < total; at += 250) {
    const create: { [id: string]: object } = {}
    for (let i = at; i < Math.min(at + 250, total); i++) create[`e${i}`] = event(i)
    const { created, notCreated } = (await box.call('CalendarEvent/set', { create: create as never })) as Result
    if (notCreated) throw new Error(JSON.stringify(notCreated))
    made.push(...Object.values(created as { [id: string]: { id: string } }).map(({ id }) => id))
  }
  return made
}

function event(i: number): object {
  const minutes = (i * 7919) % (60 * 1440)
  const isRecurring = i < recurring
  const rule =
    i % 2 === 0
      ? { '@type': 'RecurrenceRule', frequency: 'weekly', byDay: [{ '@type': 'NDay', day: i % 4 === 0 ? 'mo' : 'we' }] }
      : { '@type': 'RecurrenceRule', frequency: 'monthly', byMonthDay: [1 + (i % 28)] }
  return {
    '@type': 'Event',
    uid: `event-${i}`,
    calendarIds: { [calendar]: true },
    title: `Event ${i}`,
    description: 'x'.repeat(200),
    start: new Date(FIRST + minutes * 60_000).toISOString().slice(0, 19),
    timeZone: ['Europe/Berlin', 'America/New_York', 'Etc/UTC'][i % 3],
    duration: i % 5 === 0 ? 'PT45M' : 'PT10M',
    ...(isRecurring && { recurrenceRule: rule }),
    participants: Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [
        `p${n}`,
        {
          '@type': 'Participant',
          name: `Person ${n}`,
          calendarAddress: `mailto:p${n}@example.org`,
          roles: { attendee: true },
        },
      ]),
    ),
  }
}
