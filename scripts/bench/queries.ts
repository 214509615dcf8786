/**
 * Promise T2: no query stalls others. In one account of a million messages, 16 clients ask for what reads the most, and half of them hang up;
 * beside them a probe asks for the greeting of SMTP and a page by HTTP. Then 32 requests for bodies in parallel, with the memory of the server
 * over idle, and again after a minute. Then SIGTERM while all run.
 *
 *     server/node scripts/bench/queries.ts --keep FOLDER [--messages 1000000] [--probes 1000] [--rounds 3] [--minute 60]
 *
 * The store is made once, in FOLDER: 2,000 messages by SMTP, then copies of them in the file (some minutes, 1 GB). Exits 1 when a figure is
 * above its bound: a turn of 50 ms of CPU, 3 times the p99 of idle clients, 256 MiB, 10 s.
 */
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { requiredOption } from '../required-option.ts'
import { wholeNumber } from '../whole-number.ts'
import { benchMessage } from './support/messages.ts'
import { startPosthouse } from './support/posthouse.ts'
import { multiplyEmails } from './support/queries/multiply.ts'
import { type Asked, ask, manyBodies, worstQueries } from './support/queries/worst-queries.ts'
import { sendLoad } from './support/smtp-load.ts'
import { besideLoad, type Load, type Percentiles, startMeasured } from './support/stall/beside.ts'

const { values } = parseArgs({
  options: {
    keep: { type: 'string' },
    messages: { type: 'string', default: '1000000' },
    probes: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    minute: { type: 'string', default: '60' },
  },
})
const folder = requiredOption(values, 'keep', 'the folder of the store')
const CLIENTS = 16
const BODIES = 32
const TURN_MS = 50
const P99_RATIO = 3
/** p99 below it are equally good: one slice of the scheduler. */
const P99_FLOOR_MS = 4
const MEMORY_MIB = 256
const STOP_MS = 10_000
const faults: string[] = []

if (!existsSync(join(folder, 'filled'))) await fill(wholeNumber(values, 'messages'))
const server = await startMeasured([], ['--rate-read', '0', '--plan-limits', 'off'], folder)
const queries = worstQueries(server)
for (let round = 1; round <= wholeNumber(values, 'rounds'); round++) await stall(round)
await memory()
await stop()
for (const fault of faults) console.log(`FAULT ${fault}`)
process.exitCode = faults.length > 0 ? 1 : 0

/** 2,000 messages by SMTP, and copies of them. */
async function fill(count: number): Promise<void> {
  const running = await startPosthouse([], folder)
  const { smtp, mailbox } = running
  await sendLoad({ ...smtp, connections: 8, messages: 2_000, recipient: mailbox.address, message: benchMessage })
  await running.stop()
  multiplyEmails(join(running.data, 'posthouse.db'), count)
  writeFileSync(join(folder, 'filled'), '')
}

async function stall(round: number): Promise<void> {
  const probes = wholeNumber(values, 'probes')
  const nothing: Load = {
    name: 'idle',
    run: async () => {
      await wait(500)
      return { outcome: 'idle', octets: 0 }
    },
  }
  const idle = await besideLoad(server, 'idle', [nothing], probes)
  const bad = await besideLoad(server, 'worst queries', [{ name: `${CLIENTS} clients`, run: askAll }], probes)
  console.log(`round ${round}: ${[...bad.outcomes].map(([outcome, count]) => `${count} times ${outcome}`).join('; ')}`)
  for (const kind of ['smtp', 'http'] as const) {
    const ratio = Math.max(bad[kind].p99, P99_FLOOR_MS) / Math.max(idle[kind].p99, P99_FLOOR_MS)
    console.log(`  ${kind}: idle ${inWords(idle[kind])}; beside them ${inWords(bad[kind])}; ${ratio.toFixed(2)} times`)
    if (ratio > P99_RATIO)
      faults.push(`round ${round}: p99 of ${kind} is ${ratio.toFixed(2)} times that of idle clients`)
    if (bad[kind].unanswered > 0) faults.push(`round ${round}: ${bad[kind].unanswered} probes of ${kind} had no answer`)
  }
  const { cpuMs, wallMs, over } = bad.turn
  console.log(`  longest turn ${cpuMs.toFixed(1)} ms of CPU in ${wallMs.toFixed(1)} ms, ${over} over ${TURN_MS} ms`)
  if (cpuMs > TURN_MS) faults.push(`round ${round}: a turn took ${cpuMs.toFixed(0)} ms of CPU`)
}

/** Each client asks once; every second one hangs up. */
async function askAll() {
  const begin = performance.now()
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, (_, i) => ask(server, queries[i % queries.length]!, i % 2 === 0 ? 200 : null)),
  )
  const counts = new Map<string, number>()
  for (const { outcome, errors } of answers) {
    const what = [outcome, ...errors].join(' ')
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  const seconds = Math.round((performance.now() - begin) / 1000)
  const outcome = [...counts]
    .map(([what, count]) => `${count} ${what}`)
    .sort()
    .join(', ')
  return { outcome: `${outcome} within ${seconds} s`, octets: 0 }
}

async function memory(): Promise<void> {
  // Threads that have nothing to do end.
  await wait(wholeNumber(values, 'minute') * 1000)
  const idle = resident()
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const asked: Asked = manyBodies(server)
  const answers = await Promise.all(Array.from({ length: BODIES }, () => ask(server, asked, null)))
  const grown = peak() - idle
  const largest = Math.max(...answers.map(({ octets }) => octets))
  await wait(wholeNumber(values, 'minute') * 1000)
  const left = resident() - idle
  const outcomes = Map.groupBy(answers, ({ outcome }) => outcome)
  console.log(
    `${BODIES} in parallel, ${asked.name}: ${[...outcomes].map(([o, list]) => `${list.length} ${o}`).join(', ')}`,
  )
  console.log(
    `  largest answer ${largest} octets; memory ${idle} MiB idle, +${grown} at most, ${left} more after ${values.minute} s`,
  )
  if (grown > MEMORY_MIB) faults.push(`memory grew by ${grown} MiB`)
}

async function stop(): Promise<void> {
  const asked = Array.from({ length: CLIENTS }, (_, i) => ask(server, queries[i % queries.length]!, null))
  await wait(500)
  const begin = performance.now()
  const exited = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  const [code, signal] = await exited
  const ms = performance.now() - begin
  await Promise.all(asked)
  console.log(`SIGTERM beside ${CLIENTS} queries: ended after ${(ms / 1000).toFixed(1)} s (${signal ?? code})`)
  if (ms > STOP_MS) faults.push(`the server took ${(ms / 1000).toFixed(1)} s to end`)
}

function resident(): number {
  return fromStatus('VmRSS')
}

function peak(): number {
  return fromStatus('VmHWM')
}

/** MiB */
function fromStatus(name: string): number {
  const [, kib] = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))!
  return Math.round(Number(kib) / 1024)
}

function inWords({ count, p50, p99, max }: Percentiles): string {
  return `${count} probes, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(1)} ms`
}
