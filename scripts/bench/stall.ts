/**
 * Promises T1 and C3: no message and no recurrence stalls others. Each bomb goes through each way into a server whose heap has 512 MB
 * and that checks senders, beside a probe that asks for the greeting of SMTP and a page by HTTP; then the same octets as ordinary messages
 * or events do. For each door: what became of them, the probe's p99 of both and its ratio, the longest turn of the event loop of the sockets
 * by its own CPU, and the growth of memory by the message.
 *
 *     server/node scripts/bench/stall.ts [--engine postgres] [--doors smtp,import] [--bombs WORDS]... [--generated 200] [--seed 1]
 *                                         [--what mail|calendars] [--scale 1] [--probes 1000] [--heap 512] [--option=--NAME=VALUE]
 *                                         [--flood 4]
 *
 * `--flood` sends the bombs without pauses, so many at a time: the figures are those of all of them together.
 *
 * In pieces: a door at a time, the known bombs with --generated 0, and the generated ones with `--bombs 'from seed' --generated 50 --seed 51`
 * for those of the seeds 51 to 100.
 *
 * Exits 1 when a door is above a bound: a turn of 50 ms, 3 times the p99, 4 times the message, an end of the server, a refusal for the
 * moment (a bomb that does not come in shows nothing). Another load
 * beside the same probe: make `Load`s (support/stall/beside.ts) and give them to `besideLoad`.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import type { Running } from './support/posthouse.ts'
import { startSenderDns } from './support/sender-dns.ts'
import {
  besideLoad,
  type Load,
  type Percentiles,
  type StallFigures,
  startMeasured,
  together,
} from './support/stall/beside.ts'
import { calendarBombs, ordinaryEvent } from './support/stall/calendar-bombs.ts'
import { calendarDoors } from './support/stall/calendar-doors.ts'
import { type Door, doorsOf } from './support/stall/doors.ts'
import { generatedBombs, knownBombs, type MailBomb, ordinary } from './support/stall/mail-bombs.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    doors: { type: 'string', default: '' },
    what: { type: 'string', default: 'mail' },
    bombs: { type: 'string', multiple: true, default: [''] },
    generated: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    probes: { type: 'string', default: '1000' },
    heap: { type: 'string', default: '512' },
    option: { type: 'string', multiple: true, default: [] },
    flood: { type: 'string', default: '0' },
    verbose: { type: 'boolean', default: false },
  },
})
const probes = wholeNumber(values, 'probes')
const flood = wholeNumber(values, 'flood', 0)
const [engine] = enginesIn(values.engine)

const TURN_MS = 50
const P99_RATIO = 3
const MEMORY_RATIO = 4
/** Messages from which on memory is compared with them: of smaller ones the collector keeps more. */
const MEMORY_FROM_BYTES = 8_000_000
/** Replies and statuses by which a message did not come in, although another time it may: 421, 45x, and what HTTP refuses for now. */
const NOT_NOW = /\b(?:421|45\d|401|403|429|5\d\d)$|^(?:421|45\d) /
const NO_RATES = ['--rate-write', '0', '--rate-send', '0', '--rate-read', '0']
/** p99 below it are equally good: one slice of the scheduler. */
const P99_FLOOR_MS = 4

const generated = wholeNumber(values, 'generated', 0)
const KINDS = {
  mail: {
    bombs: () => [...knownBombs(Number(values.scale)), ...generatedBombs(generated, wholeNumber(values, 'seed'))],
    ordinary,
    doorsOf,
  },
  calendars: { bombs: () => calendarBombs(generated), ordinary: ordinaryEvent, doorsOf: calendarDoors },
}
const family = KINDS[values.what as keyof typeof KINDS]
if (!family) refuse(`--what is ${Object.keys(KINDS).join(' or ')}.`)
if (!(Number(values.scale) > 0)) refuse(`--scale is a number above 0: '${values.scale}'`)
const allBombs = family.bombs()
for (const words of values.bombs)
  if (!allBombs.some(({ name }) => name.includes(words))) refuse(noneNamed('bombs', words))
const bombs = allBombs.filter(({ name }) => values.bombs.some((words) => name.includes(words)))
console.log(`${bombs.length} bombs, seed ${values.seed}, heap ${values.heap} MB, ${engine}`)
const wanted = values.doors.toLowerCase().split(',')
const faults: string[] = []

const senderDns = await startSenderDns()
const all = await withServer(async (server) => (await family.doorsOf(server)).map(({ name }) => name))
const isDoor = (word: string) => (door: string) => door.toLowerCase().includes(word)
for (const word of wanted)
  if (!all.some(isDoor(word))) faults.push(`${noneNamed('doors', word)} They are ${all.join(', ')}.`)
for (const name of all.filter((door) => wanted.some((word) => isDoor(word)(door))))
  await withServer(async (server) => {
    const door = (await family.doorsOf(server)).find((one) => one.name === name)!
    await door.take(family.ordinary(values.what === 'mail' ? 1_000_000 : 1_000))
    await measure(server, door)
  }).catch((error: Error) => faults.push(error.message))
await senderDns.close()
await stopOwnPostgres()
for (const fault of faults) console.log(`FAULT ${fault}`)
process.exitCode = faults.length > 0 ? 1 : 0

/** A run of nothing finds no fault. */
function noneNamed(option: string, words: string): string {
  return `No ${option} of --what ${values.what} have '${words}' in their names (--${option}).`
}

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

async function withServer<T>(use: (server: Running) => Promise<T>): Promise<T> {
  const database = engine === 'postgres' ? await freshDatabase() : null
  const server = await startMeasured(
    [`--max-old-space-size=${values.heap}`],
    [
      '--plan-limits',
      'off',
      ...NO_RATES,
      ...senderDns.options,
      ...(database ? [`--database=${database.url}`] : []),
      ...values.option,
    ],
  )
  try {
    return await use(server)
  } finally {
    await server.stop()
    await database?.drop()
  }
}

async function measure(server: Running, door: Door): Promise<void> {
  const beside = (name: string, load: (door: Door, bomb: MailBomb) => Load) => {
    const loads = bombs.map((bomb) => load(door, bomb))
    return besideLoad(server, name, flood > 0 ? [together(loads, flood)] : loads, probes)
  }
  const bad = await beside(door.name, loadOf)
  const plain = await beside(`${door.name}, ordinary`, ordinaryOf)
  report(bad)
  report(plain)
  const ratio = (kind: 'smtp' | 'http') =>
    Math.max(bad[kind].p99, P99_FLOOR_MS) / Math.max(plain[kind].p99, P99_FLOOR_MS)
  console.log(`  p99 by that of ordinary ones: SMTP ${ratio('smtp').toFixed(2)}, HTTP ${ratio('http').toFixed(2)}`)
  for (const kind of ['smtp', 'http'] as const) {
    if (ratio(kind) > P99_RATIO)
      faults.push(`${door.name}: p99 of ${kind} is ${ratio(kind).toFixed(2)} times that of ordinary messages`)
    if (bad[kind].unanswered > 0) faults.push(`${door.name}: ${bad[kind].unanswered} probes of ${kind} had no answer`)
  }
  for (const [outcome, count] of [...bad.outcomes, ...plain.outcomes])
    if (NOT_NOW.test(outcome)) faults.push(`${door.name}: ${count} came to nothing: ${outcome}`)
  const { turn, ratio: grown } = bad
  if (turn.cpuMs > TURN_MS) faults.push(`${door.name}: a turn took ${turn.cpuMs.toFixed(0)} ms of CPU (${turn.load})`)
  if (grown.times > MEMORY_RATIO)
    faults.push(`${door.name}: memory grew by ${grown.times.toFixed(1)} times the message (${grown.load})`)
}

function loadOf(door: Door, bomb: MailBomb): Load {
  return {
    name: bomb.name,
    run: async () => {
      const message = bomb.make()
      const begin = performance.now()
      const outcome = await door.take(message)
      if (values.verbose)
        console.log(
          `    ${door.name}: ${bomb.name}, ${message.length} octets: ${outcome}, ${(performance.now() - begin).toFixed(0)} ms`,
        )
      return { outcome, octets: message.length >= MEMORY_FROM_BYTES ? message.length : 0 }
    },
  }
}

/** @param bomb whose octets it has, but nothing else */
function ordinaryOf(door: Door, bomb: MailBomb): Load {
  return {
    name: bomb.name,
    run: async () => ({ outcome: await door.take(family.ordinary(bomb.make().length)), octets: 0 }),
  }
}

function report({ name, outcomes, smtp, http, turn, grown, ratio }: StallFigures): void {
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
  console.log(`${name}: ${counts}`)
  console.log(`  probe of SMTP ${inWords(smtp)}; of HTTP ${inWords(http)}`)
  console.log(
    `  longest turn ${turn.cpuMs.toFixed(1)} ms of CPU in ${turn.wallMs.toFixed(1)} ms (${turn.load}), ${turn.over} over ${TURN_MS} ms`,
  )
  const mib = (grown.bytes / 1_048_576).toFixed(0)
  console.log(
    `  memory +${mib} MiB at most (${grown.load}), ${ratio.times.toFixed(1)} times a large message (${ratio.load})`,
  )
}

function inWords({ count, unanswered, p50, p99, max }: Percentiles): string {
  const ms = [p50, p99, max].map((figure) => figure.toFixed(1))
  return `${count} times, p50 ${ms[0]}, p99 ${ms[1]}, max ${ms[2]} ms, ${unanswered} unanswered`
}
