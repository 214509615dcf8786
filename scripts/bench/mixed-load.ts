/**
 * Memory under hours of mixed work at a steady store: mail that arrives, sends one by one and in batches to a server that discards them,
 * pages, whole messages, text searches, flags, uploads, webhooks and event sources, at a fixed rate; what arrives is destroyed again, the
 * oldest first. A line every minute has the memory and what was done. At the end it prints the slope of the resident memory over the
 * last half (least squares) and the maximum.
 *
 *     server/node scripts/bench/mixed-load.ts [--minutes 120] [--rate 20] [--messages 20000] [--mailboxes 20] [--every 60] [--seed 1]
 *                                              [--heap MB] [--option=--database=...]
 *
 * Exits 1 when the slope is over 5 MB an hour, when an operation never succeeded, or when one in a hundred failed. Resident memory is
 * anonymous memory and pages of files (of SQLite's memory map and of programs, which the system takes back when it needs them); both are
 * printed. MB are 1,048,576 octets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { randomFrom } from '../crash/support/random.ts'
import { wholeNumber } from '../whole-number.ts'
import { benchMessage } from './support/messages.ts'
import { startDiscarding } from './support/mixed/discarding.ts'
import { headings, MEMORY_REPORT, type Reading, rowOf, slopeOfLastHalf, takeReading } from './support/mixed/memory.ts'
import { MixedClient } from './support/mixed/mixed-client.ts'
import { OPERATIONS, type Operation, type OperationName } from './support/mixed/operations.ts'
import { startTakingReceiver } from './support/mixed/taking-receiver.ts'
import { startPosthouse } from './support/posthouse.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    /** Operations a second, all kinds together. */
    rate: { type: 'string', default: '20' },
    messages: { type: 'string', default: '20000' },
    mailboxes: { type: 'string', default: '20' },
    /** Seconds between two lines. */
    every: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    heap: { type: 'string', default: '' },
    option: { type: 'string', multiple: true, default: [] },
  },
})
const rate = wholeNumber(values, 'rate')
const mailboxes = wholeNumber(values, 'mailboxes')
const everyMs = wholeNumber(values, 'every') * 1_000
const runMs = Number(values.minutes) * 60_000
if (!(runMs > 0)) throw new Error(`--minutes has to be a positive number: '${values.minutes}'`)
const random = randomFrom(wholeNumber(values, 'seed', 0))
const SLOPE_MB_PER_HOUR = 5
const FAILED_PART = 0.01
/** Operations under way at once; what would come beside them is left out and counted. */
const UNDER_WAY_MAX = 64
const FILLING_CONNECTIONS = 4
const NO_RATES = [
  '--rate-read',
  '0',
  '--rate-write',
  '0',
  '--rate-send',
  '0',
  '--plan-limits',
  'off',
  '--reputation',
  'off',
]

const folder = mkdtempSync(join(tmpdir(), 'posthouse-mixed-'))
const receiver = await startTakingReceiver()
writeFileSync(join(folder, 'authority.pem'), receiver.authority)
process.env['NODE_EXTRA_CA_CERTS'] = join(folder, 'authority.pem')
const sink = await startDiscarding()
const server = await startPosthouse(
  [
    ...NO_RATES,
    '--outbound',
    `smtp://127.0.0.1:${sink.port}`,
    '--webhook-allow-private-cidrs',
    '127.0.0.0/8',
    ...values.option,
  ],
  join(folder, 'server'),
  undefined,
  [...(values.heap === '' ? [] : [`--max-old-space-size=${values.heap}`]), '--import', MEMORY_REPORT],
)
const done = new Map<OperationName, number>(OPERATIONS.map(({ name }) => [name, 0]))
const failures = new Map<string, number>()
const readings: Reading[] = []
let underWay = 0
let leftOut = 0
try {
  const client = await MixedClient.open(server, mailboxes, random)
  await client.createWebhook(receiver.url)
  await fill(client)
  console.log(
    `${values.messages} messages in ${mailboxes} mailboxes; ${rate} operations a second for ${values.minutes} minutes`,
  )
  console.log(headings())
  await run(client)
  client.close()
} finally {
  await server.stop()
  receiver.close()
  sink.close()
  rmSync(folder, { recursive: true, force: true })
}
judge()

async function fill(client: MixedClient): Promise<void> {
  const each = Math.ceil(wholeNumber(values, 'messages') / mailboxes)
  for (const [at, { address }] of client.accounts.entries())
    await sendLoad({
      ...server.smtp,
      connections: FILLING_CONNECTIONS,
      messages: each,
      recipient: address,
      message: (index) => benchMessage(at * each + index),
    })
}

async function run(client: MixedClient): Promise<void> {
  const begun = performance.now()
  let nextReading = everyMs
  await report(0)
  // An operation has its own time, so that a slow one delays no other.
  for (let count = 1; ; count++) {
    const at = (count * 1_000) / rate
    if (at > runMs) break
    await pause(Math.max(0, begun + at - performance.now()))
    if (!server.isAlive()) throw new Error('the server ended')
    if (underWay >= UNDER_WAY_MAX) leftOut++
    else void runOne(client)
    if (performance.now() - begun < nextReading) continue
    await report(nextReading)
    nextReading += everyMs
  }
  while (underWay > 0) await pause(50)
}

async function runOne(client: MixedClient): Promise<void> {
  const operation = pick()
  underWay++
  try {
    await operation.run(client)
    done.set(operation.name, done.get(operation.name)! + 1)
  } catch (error) {
    const what = `${operation.name}: ${(error as Error).message.slice(0, 200)}`
    failures.set(what, (failures.get(what) ?? 0) + 1)
  } finally {
    underWay--
  }
}

function pick(): Operation {
  let left = random() * OPERATIONS.reduce((sum, { weight }) => sum + weight, 0)
  for (const operation of OPERATIONS) {
    left -= operation.weight
    if (left < 0) return operation
  }
  return OPERATIONS[0]!
}

async function report(atMs: number): Promise<void> {
  const reading = await takeReading(server, atMs)
  readings.push(reading)
  console.log(rowOf(reading, { operations: total(done), failures: total(failures), webhooks: receiver.taken() }))
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

function judge(): void {
  console.log([...done].map(([name, count]) => `${count} ${name}`).join(', '))
  console.log(
    `${receiver.taken()} webhooks, ${sink.messages()} messages sent, ${leftOut} operations left out because ${UNDER_WAY_MAX} were under way`,
  )
  const faults: string[] = []
  for (const [name, count] of done) if (count === 0) faults.push(`no ${name} succeeded`)
  if (receiver.taken() === 0) faults.push('no webhook arrived')
  if (sink.messages() === 0) faults.push('no message was sent')
  const commonest = [...failures].sort((a, b) => b[1] - a[1]).slice(0, 20)
  for (const [what, count] of commonest) console.log(`${count} times ${what}`)
  if (total(failures) > FAILED_PART * total(done)) faults.push(`${total(failures)} operations failed`)
  if (leftOut > FAILED_PART * total(done)) faults.push(`${leftOut} operations were left out`)
  const most = Math.max(...readings.map(({ rss }) => rss))
  const slope = slopeOfLastHalf(readings, ({ rss }) => rss)
  const anonymous = slopeOfLastHalf(readings, ({ anonymous }) => anonymous)
  const heaps = slopeOfLastHalf(readings, ({ heapUsed, workerHeaps }) => heapUsed + workerHeaps)
  console.log(
    `last half: resident memory ${slope.toFixed(1)} MB/h, anonymous ${anonymous.toFixed(1)} MB/h, used heaps ${heaps.toFixed(1)} MB/h; maximum ${most.toFixed(0)} MB`,
  )
  if (!(slope <= SLOPE_MB_PER_HOUR)) faults.push(`the slope is over ${SLOPE_MB_PER_HOUR} MB/h`)
  for (const fault of faults) console.log(`FAULT ${fault}`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
