/**
 * Promise N2: newsletters run at once to audiences of their own, the server is killed by SIGKILL again and again, and some
 * recipients unsubscribe meanwhile. Everybody else gets each newsletter once, except where the server was killed after the 250 and before it
 * could record it; who unsubscribed more than 60 s before gets nothing. Meanwhile single messages are timed. Exits 1 if anything is wrong, or
 * if too few kills came while messages were sent.
 *
 *     server/node scripts/crash/newsletters.ts [--newsletters 10] [--recipients 10000] [--kills 50] [--seed 1] [--engine postgres]
 *
 * Without kills it measures: messages per second, memory, and the time of single messages.
 */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { QUEUE_CONCURRENCY } from '../../server/base/outbound-limits.ts'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { cuttingSink } from './support/cutting-sink.ts'
import { type Addresses, type Installation, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    newsletters: { type: 'string', default: '10' },
    recipients: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const newsletters = wholeNumber(values, 'newsletters')
const recipients = wholeNumber(values, 'recipients')
const kills = wholeNumber(values, 'kills', 0)
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Share of the kills that must come while messages are sent. */
const DURING_SHARE = 0.8
/** Share of the recipients who unsubscribe. */
const LEAVING_SHARE = 0.01
const ROWS = 1_000
/** Milliseconds after an unsubscription from which on nothing may come. */
const GRACE_MS = 60_000
/** Milliseconds that a server lives before a kill, at least and at most. */
const LIVES_MS = [1_500, 5_000] as const

/** When each message was taken, by `message-id recipient`. */
const taken = new Map<string, number[]>()
const sink = cuttingSink(() => null)
const record = sink.taken.set.bind(sink.taken)
sink.taken.set = (key, count) => {
  taken.set(key, [...(taken.get(key) ?? []), Date.now()])
  return record(key, count)
}
sink.server.listen(0, '127.0.0.1')
await once(sink.server, 'listening')
const { port } = sink.server.address() as AddressInfo

const data = mkdtempSync(join(tmpdir(), 'posthouse-newsletters-'))
const [engine] = enginesIn(values.engine)
const database = engine === 'postgres' ? await freshDatabase() : null
const settings = ['--dev', ...(database ? [`--database=${database.url}`] : [])]
/** Dev mode verifies the domain at once, and prints credentials at each start. */
let credentials: Pick<Installation, 'api_key' | 'mailbox'> | null = null
const serving = [
  ...settings,
  '--plan-limits=off',
  '--reputation=off',
  '--newsletter-pace=off',
  '--rate-send=0',
  `--outbound=smtp://127.0.0.1:${port}`,
]
console.log(`newsletters: ${newsletters} of ${recipients} recipients, ${kills} kills, seed ${values.seed}, ${engine}`)

async function call({ http }: Addresses, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${credentials!.api_key}`, 'Content-Type': 'application/json' }
  const text = body && JSON.stringify(body)
  const response = await fetch(`${http}/api/v1${path}`, { method, headers, ...(text && { body: text }) })
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the server under test
  const answer = (await response.json()) as any
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

const addressOf = (newsletter: number, index: number) => `r${index}@n${newsletter}-${index % 20}.out.test`
const BODY = 'News of the month, with something to read for everybody. '.repeat(20)

interface Sending {
  readonly id: string
  readonly audience: string
}

async function prepare(ready: Addresses): Promise<Sending[]> {
  await call(ready, 'PATCH', '/organization', { legal_name: 'News Ltd', postal_address: '1 Way' })
  const made: Sending[] = []
  for (let newsletter = 0; newsletter < newsletters; newsletter++) {
    const { id: audience } = await call(ready, 'POST', '/audiences', { name: `A${newsletter}`, consent_source: 'Form' })
    for (let from = 0; from < recipients; from += ROWS) {
      const rows = Array.from({ length: Math.min(ROWS, recipients - from) }, (_, i) => ({
        email_address: addressOf(newsletter, from + i),
        merge_fields: { first_name: `N${from + i}` },
      }))
      await call(ready, 'POST', `/audiences/${audience}/subscribers/batch`, { subscribers: rows })
    }
    const blocks = [
      { type: 'heading', text: 'News' },
      ...Array.from({ length: 8 }, () => ({ type: 'paragraph', body: `Hello {{first_name|you}}. ${BODY}` })),
      { type: 'button', label: 'Read', url: 'https://www.example.com/' },
    ]
    const draft = { audience_id: audience, subject: `Number ${newsletter} for {{first_name}}`, blocks }
    const { id } = await call(ready, 'POST', '/newsletters', draft)
    made.push({ id, audience })
  }
  return made
}

/** Milliseconds from the request to the sink. */
const singles: number[] = []

async function sendSingle(ready: Addresses, number: number): Promise<void> {
  const to = `single${number}@out.test`
  const begun = Date.now()
  await call(ready, 'POST', '/messages', {
    from: credentials!.mailbox.address,
    to,
    subject: 'Reset',
    text: 'Your link',
  })
  for (;;) {
    const found = [...singlesTaken()].find(([address]) => address === to)
    if (found) return void singles.push(found[1] - begun)
    if (Date.now() > begun + 60_000) return void singles.push(60_000)
    await pause(20)
  }
}

function* singlesTaken(): Generator<[string, number]> {
  for (const [key, [at]] of taken) {
    const address = key.slice(key.indexOf(' ') + 1)
    if (address.startsWith('single')) yield [address, at!]
  }
}

/** When each recipient had unsubscribed, by address. */
const left = new Map<string, number>()

async function leave(ready: Addresses, sendings: readonly Sending[]): Promise<void> {
  const newsletter = Math.floor(random() * newsletters)
  const address = addressOf(newsletter, Math.floor(random() * recipients))
  if (left.has(address)) return
  const path = `/audiences/${sendings[newsletter]!.audience}/subscribers`
  const { id } = await call(ready, 'GET', `${path}/by-email/${encodeURIComponent(address)}`)
  await call(ready, 'POST', `${path}/${id}/unsubscribe`)
  left.set(address, Date.now())
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

const killTimes: number[] = []
let during = 0
let sendings: Sending[] = []
let begun = 0
let ended = 0
let rssAtStart = 0
let rssMost = 0
for (let life = 0; life <= kills; life++) {
  const server = startServer(data, [], serving)
  const ready = await server.ready
  if (!ready) throw new Error(`life ${life}: the server ended before it was ready`)
  credentials ??= ready as Addresses & Installation
  if (life === 0) {
    sendings = await prepare(ready)
    rssAtStart = memoryOf(server.child.pid!)
    const at = new Date(Date.now() + 1_000).toISOString()
    for (const { id } of sendings) await call(ready, 'POST', `/newsletters/${id}/schedule`, { scheduled_at: at })
    begun = Date.now() + 1_000
  }
  const until =
    life < kills ? Date.now() + LIVES_MS[0] + random() * (LIVES_MS[1] - LIVES_MS[0]) : Number.POSITIVE_INFINITY
  await work(ready, server.child.pid!, until, life)
  const before = taken.size
  if (life === kills) {
    server.child.kill('SIGTERM')
  } else {
    if (before < newsletters * recipients * (1 - LEAVING_SHARE * 2)) during++
    killTimes.push(Date.now())
    server.child.kill('SIGKILL')
  }
  await server.exited
}

/** Sends single messages and unsubscribes until the time has come, or all newsletters are sent. */
async function work(ready: Addresses, pid: number, until: number, life: number): Promise<void> {
  for (let number = 0; Date.now() < until; number++) {
    const isDying = (error: unknown) => {
      if (until === Number.POSITIVE_INFINITY) throw error
    }
    if (left.size < newsletters * recipients * LEAVING_SHARE) await leave(ready, sendings).catch(isDying)
    if (kills === 0) {
      await sendSingle(ready, number)
      rssMost = Math.max(rssMost, memoryOf(pid))
    } else await pause(50)
    if (number % 10 > 0 && kills > 0) continue
    const statuses: string[] = []
    for (const { id } of sendings) {
      const found = await call(ready, 'GET', `/newsletters/${id}`)
      statuses.push(found.status)
    }
    const bad = statuses.find((status) => !['scheduled', 'sending', 'sent'].includes(status))
    if (bad) throw new Error(`life ${life}: a newsletter is ${bad}`)
    if (statuses.every((status) => status === 'sent')) {
      ended ||= Date.now()
      if (until === Number.POSITIVE_INFINITY) return
    }
  }
}

let lost = 0
let doubled = 0
let unexplained = 0
let late = 0
const byAddress = new Map<string, number[]>()
for (const [key, times] of taken) {
  const address = key.slice(key.indexOf(' ') + 1)
  byAddress.set(address, [...(byAddress.get(address) ?? []), ...times])
}
for (let newsletter = 0; newsletter < newsletters; newsletter++) {
  for (let index = 0; index < recipients; index++) {
    const address = addressOf(newsletter, index)
    const times = byAddress.get(address) ?? []
    const gone = left.get(address)
    if (times.length === 0 && gone === undefined) lost++
    if (times.length > 1) {
      doubled++
      // The first was taken shortly before a kill, which came before its record.
      if (!killTimes.some((at) => at >= times[0]! && at < times[0]! + 10_000)) unexplained++
    }
    if (gone !== undefined && times.some((at) => at > gone + GRACE_MS)) late++
  }
}
const messages = [...byAddress].filter(([address]) => !address.startsWith('single')).length
console.log(
  `newsletters: ${messages} recipients reached, ${lost} lost, ${doubled} doubled by kills (at most ${kills * QUEUE_CONCURRENCY} could be), ${unexplained} doubled otherwise; ${left.size} unsubscribed, ${late} of them got one more than 60 s later`,
)
console.log(`newsletters: ${kills} kills, ${during} of them while messages were sent`)
if (ended > 0) {
  const seconds = (ended - begun) / 1_000
  console.log(`newsletters: ${(messages / seconds).toFixed(0)} messages per second in ${seconds.toFixed(1)} s`)
}
if (kills === 0) {
  const sorted = singles.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  console.log(
    `newsletters: single messages p50 ${at(0.5)} ms, p95 ${at(0.95)} ms of ${sorted.length}; RSS ${rssAtStart.toFixed(0)} MiB at the start, ${rssMost.toFixed(0)} MiB at most`,
  )
}
if (lost + unexplained + late > 0 || during < kills * DURING_SHARE) process.exitCode = 1

sink.server.close()
await database?.drop()
await stopOwnPostgres()
rmSync(data, { recursive: true, force: true })
console.log(process.exitCode === 1 ? 'newsletters: FAILED' : 'newsletters: ok')
process.exit()
