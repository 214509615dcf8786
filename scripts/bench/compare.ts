/**
 * Server CPU per operation of another checkout and of this one: mail in, JMAP and REST reads, and mail sent over REST and on to a
 * server that discards it. Three servers run side by side, two of the other checkout and one of this one, and take turns with the same
 * load. Each figure is the median of the ratios of the rounds. The ratio of the other checkout to itself shows the noise.
 *
 *     server/node scripts/bench/compare.ts --other DIR [--rounds 7] [--messages 5000] [--only WORDS]
 *
 * Exits 1 when a ratio is over the bound while the noise is within its own; then it is worth a second run. It exits 1, too, when no
 * figure has the words of --only in its name.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { requiredOption } from '../required-option.ts'
import { wholeNumber } from '../whole-number.ts'
import { cpuMs } from './support/cpu.ts'
import { type HttpRequest, runLoad } from './support/http-load.ts'
import { benchMessage } from './support/messages.ts'
import { type Running, startPosthouse } from './support/posthouse.ts'
import { readFigures } from './support/read-figures.ts'
import { restFigures, sendFigures } from './support/rest-figures.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    messages: { type: 'string', default: '5000' },
    only: { type: 'string', default: '' },
  },
})
const other = requiredOption(values, 'other', 'the folder of another checkout, with its packages installed')
const rounds = wholeNumber(values, 'rounds')
const messages = wholeNumber(values, 'messages')

const BOUND = 1.05
const NOISE = 1.03
const READING = 16
const REQUESTS = 1_500
const SENDS = 1_500
const INGESTED = 3_000
const LIMITS_OFF = ['--rate-read', '0', '--rate-send', '0', '--plan-limits', 'off', '--reputation', 'off']

/** One load on a server. Resolves when the server has finished it. */
interface Work {
  readonly name: string
  readonly operations: number
  run(operations: number): Promise<void>
}

const sink = spawn(process.execPath, [join(import.meta.dirname, 'support/discard-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [sinkPort] = (await once(createInterface({ input: sink.stdout }), 'line')) as [string]

/** In the order of the rounds: the other checkout, this one, the other again. */
const servers = await Promise.all([other, undefined, other].map(startFilled))
const works = await Promise.all(servers.map(worksOf))
let compared = 0
let missed = 0
for (const index of works[0]!.keys()) {
  const name = works[0]![index]!.name
  if (!name.includes(values.only)) continue
  compared++
  const ratios: number[] = []
  const noise: number[] = []
  const own: number[] = []
  for (let round = -1; round < rounds; round++) {
    const cpu: number[] = []
    // The first round runs cold code.
    for (const [which, server] of servers.entries()) cpu.push(await cpuOf(server, works[which]![index]!))
    if (round < 0) continue
    const elsewhere = (cpu[0]! + cpu[2]!) / 2
    ratios.push(cpu[1]! / elsewhere)
    noise.push(cpu[2]! / cpu[0]!)
    own.push(cpu[1]!)
  }
  const isOver = median(ratios) > BOUND && Math.abs(median(noise) - 1) <= NOISE - 1
  if (isOver) missed++
  console.log(
    `${name}: ${median(own).toFixed(3)} ms CPU, ${median(ratios).toFixed(3)} times the other; the other to itself ${median(noise).toFixed(3)}${isOver ? '  OVER' : ''}`,
  )
}
for (const server of servers) await server.stop()
sink.kill()
if (compared === 0) console.log(`no figure has '${values.only}' in its name`)
process.exit(missed > 0 || compared === 0 ? 1 : 0)

async function startFilled(checkout: string | undefined): Promise<Running> {
  const outbound = ['--outbound', `smtp://127.0.0.1:${sinkPort}`]
  const server = await startPosthouse([...LIMITS_OFF, ...outbound], undefined, checkout)
  await sendLoad({ ...ingestLoad(server), messages })
  return server
}

function ingestLoad({ smtp, mailbox }: Running) {
  return { ...smtp, connections: 50, recipient: mailbox.address, message: benchMessage }
}

async function worksOf(server: Running): Promise<Work[]> {
  const asks = (name: string, request: HttpRequest, connections: number, operations: number): Work => {
    return { name, operations, run: async (count) => void (await runLoad(request, connections, count)) }
  }
  const reads = [...(await readFigures(server)), ...(await restFigures(server))]
  const named = new Map(reads.map(({ name, request }) => [name, asks(name, request, READING, REQUESTS)]))
  const sends = sendFigures(server).map(({ name, request }) => asks(name, request, 50, SENDS))
  const ingest = async (messages: number) => void (await sendLoad({ ...ingestLoad(server), messages }))
  return [...named.values(), ...sends, { name: 'SMTP in', operations: INGESTED, run: ingest }]
}

/** Milliseconds of CPU for one operation, including the work after its last response: until the server is idle. */
async function cpuOf(server: Running, { operations, run }: Work): Promise<number> {
  const before = cpuMs(server.pid)
  await run(operations)
  let used = cpuMs(server.pid)
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    const now = cpuMs(server.pid)
    if (now - used <= 10) break
    used = now
  }
  return (used - before) / operations
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}
