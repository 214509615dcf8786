/**
 * Promise W1: every event of acknowledged mail is delivered to a webhook whose receiver fails, cuts connections and stalls, through
 * kill -9 of the server at random points; the same event has the same id each time. Exits 1 if anything is wrong.
 *
 *     node scripts/crash/webhooks.ts [--events 10000] [--kills 50] [--connections 8] [--seed 1]
 *
 * Retries come after a second instead of minutes and hours, and there are more of them: a receiver that fails three times in ten could
 * otherwise refuse some events five times in a row.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { AckLog, sendAttempts } from './support/attempts.ts'
import { startMoodyReceiver } from './support/moody-receiver.ts'
import { type Addresses, setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '50' },
    connections: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
})
const kills = wholeNumber(values, 'kills')
const wanted = wholeNumber(values, 'events')
const connections = wholeNumber(values, 'connections')
const random = randomFrom(wholeNumber(values, 'seed', 0))
const moods = { failing: 0.3, resetting: 0.03, stalling: 0.002 }
/** Milliseconds for the last deliveries after all mail was sent. */
const PATIENCE_MS = 900_000
const SETTINGS = ['--webhook-allow-private-cidrs=127.0.0.0/8', `--webhook-retry-seconds=${Array(14).fill(1).join()}`]

const data = mkdtempSync(join(tmpdir(), 'posthouse-webhooks-'))
const receiver = await startMoodyReceiver(moods, random)
writeFileSync(join(data, 'authority.pem'), receiver.ca)
process.env['NODE_EXTRA_CA_CERTS'] = join(data, 'authority.pem')
const { mailbox, api_key } = await setUp(data)
console.log(`webhooks: ${wanted} events, ${kills} kills, seed ${values.seed}`)

async function rest({ http }: Addresses, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${http}/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as { [name: string]: unknown }
}

const log = new AckLog(join(data, 'acknowledged'))
let sent = 0
const again: string[] = []
/** As in kill.ts: a failed message is sent again under another id. */
function nextAttempt(limit: number): string | null {
  const retried = again.pop()
  if (retried === undefined) return sent < limit ? `${sent++}.0` : null
  const [number, attempt] = retried.split('.')
  return `${number}.${Number(attempt) + 1}`
}

let hook = ''
let killedEarly = 0
const begun = performance.now()
for (let round = 0; round <= kills; round++) {
  const server = startServer(data, [], SETTINGS)
  const early = round > 0 && round < kills && random() < 0.15
  const timer = early ? setTimeout(() => server.child.kill('SIGKILL'), random() * 1_500) : null
  const ready = await server.ready
  if (timer) clearTimeout(timer)
  if (!ready) {
    if (!early) throw new Error(`round ${round}: the server ended before it was ready, and nobody had killed it`)
    killedEarly++
    await server.exited
    continue
  }
  if (round === 0) {
    const made = await rest(ready, 'POST', '/webhooks', { url: receiver.url, events: ['message.received'] })
    hook = made['id'] as string
    receiver.secret = made['secret'] as string
  }
  const limit = Math.ceil(((round + 1) / (kills + 1)) * wanted)
  const clients = Array.from({ length: connections }, () =>
    sendAttempts(
      ready.smtp.port,
      mailbox.address,
      () => nextAttempt(limit),
      log,
      (id) => again.push(id),
    ),
  )
  if (round < kills) {
    // Some kills hit the intake, some the deliveries after it.
    if (random() < 0.5) await Promise.all(clients)
    const target = receiver.takenEvents() + random() * (wanted / kills)
    const patience = performance.now() + 6_000
    do await pause(random() * 20)
    while (receiver.takenEvents() < target && performance.now() < patience)
    server.child.kill('SIGKILL')
    await Promise.all(clients)
    await server.exited
    continue
  }
  await Promise.all(clients)
  const end = performance.now() + PATIENCE_MS
  while (performance.now() < end && missing().length > 0) await pause(200)
  // Events without an acknowledgement may be on their way.
  while (performance.now() < end && (await count(ready, 'pending')) > 0) await pause(200)
  await judge(ready)
  server.child.kill('SIGTERM')
  await server.exited
}

function missing(): string[] {
  return [...log.acknowledged].filter((id) => (receiver.told.get(`Attempt ${id}`)?.taken ?? 0) === 0)
}

async function count(ready: Addresses, status: string): Promise<number> {
  const { data: page } = await rest(ready, 'GET', `/webhooks/${hook}/deliveries?status=${status}&limit=100`)
  return (page as unknown[]).length
}

async function judge(ready: Addresses): Promise<void> {
  const all = [...receiver.told.values()]
  const sum = (pick: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + pick(one), 0)
  const { failed, reset, stalled, taken, unsigned, stale } = receiver.counts
  const lost = missing().length
  const pending = await count(ready, 'pending')
  const refused = await count(ready, 'failed')
  const { active } = await rest(ready, 'GET', `/webhooks/${hook}`)
  const renamed = all.filter(({ ids }) => ids.size > 1).length
  const twice = sum((one) => Math.max(0, one.taken - 1))
  const retried = all.filter(({ attempts }) => attempts > 1).length
  console.log(
    `webhooks: ${log.acknowledged.size} messages acknowledged, ${receiver.takenEvents()} events delivered, ${lost} not; ${pending} pending, ${refused} failed for good, webhook ${active ? 'active' : 'disabled'}`,
  )
  console.log(
    `webhooks: ${sum((one) => one.attempts)} attempts: ${taken} taken, ${failed} refused, ${reset} cut, ${stalled} stalled; ${retried} events tried again, ${renamed} of them under another id; ${twice} taken twice; ${unsigned} without a right signature, ${stale} stale`,
  )
  console.log(
    `webhooks: ${kills} kills, ${killedEarly} of them before the server was ready; ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  )
  // At most the deliveries under way at a kill come twice: their response was not read.
  const isClean = lost + pending + refused + renamed + unsigned + stale === 0 && active === true && twice <= kills * 8
  if (!isClean || log.acknowledged.size < wanted) process.exitCode = 1
}

receiver.close()
rmSync(data, { recursive: true, force: true })
console.log(process.exitCode === 1 ? 'webhooks: FAILED' : 'webhooks: ok')
