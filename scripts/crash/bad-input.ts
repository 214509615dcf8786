/**
 * Promise J4: invalid input to a real server. Each request must get its proper error within 100 ms of the last octet, and the server's
 * memory may grow by at most twice the largest request. Prints a table; exits 1 if anything is wrong.
 *
 *     node scripts/crash/bad-input.ts [--only words] [--rounds 3]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { MAX_SIZE_REQUEST } from '../../server/base/limits.ts'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { type BadRequest, badRequests } from './support/bad-requests.ts'
import { rawPost } from './support/raw-post.ts'

const TARGET_MS = 100
const TARGET_MB = Math.round((2 * MAX_SIZE_REQUEST) / 1e6)

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, rounds: { type: 'string', default: '3' } },
})

const roundCount = wholeNumber(values, 'rounds')

interface Measured {
  readonly ms: number
  /** Milliseconds of CPU time for the whole body. */
  readonly cpu: number
  readonly bytes: number
  readonly fault: string | null
}

const server = await startPosthouse(['--rate-write=0', '--rate-read=0'])
const url = new URL('/jmap/api', server.http)
const authorization = `Bearer ${server.api_key}`

/** Resident octets, now and at most since the last reset. */
function memory(): { now: number; peak: number } {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const octets = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]) * 1024
  return { now: octets('VmRSS'), peak: octets('VmHWM') }
}

/** Milliseconds that the server's threads have run. */
function cpuMs(): number {
  const threads = readdirSync(`/proc/${server.pid}/task`)
  const of = (thread: string) =>
    Number(readFileSync(`/proc/${server.pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return threads.reduce((sum, thread) => sum + of(thread), 0) / 1e6
}

async function measure(request: BadRequest): Promise<Measured> {
  // proc(5): 5 resets the peak resident size to the present one.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const before = memory().now
  const begun = cpuMs()
  const { status, body, ms } = await rawPost(url, authorization, request)
  const bytes = memory().peak - before
  const cpu = cpuMs() - begun
  const isRight = status === request.status && body.includes(request.answer)
  return { ms, cpu, bytes, fault: isRight ? null : `${status} ${body.slice(0, 200)}` }
}

const control: BadRequest = {
  name: 'control',
  body: Buffer.from(
    JSON.stringify({ using: ['urn:ietf:params:jmap:core'], methodCalls: [['Core/echo', { ok: 1 }, 'c']] }),
  ),
  status: 200,
  answer: '"ok":1',
}
// A server that has run for a while has its heap; only the growth by bad input is measured.
for (let i = 0; i < 200; i++) await measure(control)

let faults = 0
let asked = 0
console.log(
  `${'request'.padEnd(38)}${'status'.padStart(7)}${'ms'.padStart(9)}${'cpu ms'.padStart(9)}${'memory MB'.padStart(11)}`,
)
for (const request of badRequests(server.mailbox.id, MAX_SIZE_REQUEST)) {
  if (!request.name.includes(values.only)) continue
  asked++
  const rounds: Measured[] = []
  for (let i = 0; i < roundCount; i++) rounds.push(await measure(request))
  // Other processes on the machine delay responses, but use no CPU time of the server.
  const ms = Math.min(...rounds.map((round) => round.ms))
  const cpu = Math.min(...rounds.map((round) => round.cpu))
  const bytes = Math.max(...rounds.map((round) => round.bytes))
  const wrong = rounds.find(({ fault }) => fault !== null)?.fault
  // Accepted requests are ordinary work: the target is for refusals.
  const isRefusal = request.status !== 200 || request.answer.startsWith('"type"')
  const over = [
    ...(isRefusal && Math.min(ms, cpu) > TARGET_MS ? ['slow'] : []),
    ...(Math.round(bytes / 1e6) > TARGET_MB ? ['large'] : []),
    ...(wrong ? [wrong] : []),
  ]
  if (over.length > 0) faults++
  const figures = `${String(request.status).padStart(7)}${ms.toFixed(1).padStart(9)}${cpu.toFixed(1).padStart(9)}${(bytes / 1e6).toFixed(1).padStart(11)}`
  console.log(`${request.name.padEnd(38)}${figures}  ${over.join(', ')}`)
}
const after = await measure(control)
if (after.fault) console.log(`the server is of no use any more: ${after.fault}`)
if (asked === 0) console.log(`no request is called so: ${values.only}`)
await server.stop()
process.exitCode = faults > 0 || asked === 0 || after.fault ? 1 : 0
