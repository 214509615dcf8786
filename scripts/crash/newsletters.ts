/**
 * Promise N2: newsletters run at once to audiences of their own, the server is killed by SIGKILL again and again, and some
 * recipients unsubscribe meanwhile. Everybody else gets each newsletter once. A second copy is allowed only where the kill came so soon after
 * the 250 to the first one that the server had not read it, or was committing it: within the time of two writes, which other requests measure
 * all the while (from the request to the answer after the commit, the slowest of that life of the server). A write waits for the commit under
 * way and for its own; a result may wait for one more, since two calls record results at a time (QUEUE_REPORT_CALLS). Who unsubscribed more than 60 s
 * before gets nothing. Exits 1 if anything is wrong, or if too few kills came while messages were sent.
 *
 *     server/node scripts/crash/newsletters.ts [--newsletters 10] [--recipients 10000] [--kills 50] [--seed 1] [--engine postgres]
 *
 * scripts/bench/newsletters.ts measures the same load without kills.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { addressOf, newsletterWorld, type Sending } from './support/newsletter-world.ts'
import type { Addresses } from './support/process.ts'
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
const kills = wholeNumber(values, 'kills')
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Share of the kills that must come while messages are sent. */
const DURING_SHARE = 0.8
/** Share of the recipients who unsubscribe. */
const LEAVING_SHARE = 0.01
/** Milliseconds after an unsubscription from which on nothing may come. */
const GRACE_MS = 60_000
/** Milliseconds that a server lives before a kill, at least and at most. */
const LIVES_MS = [1_500, 5_000] as const
/** Milliseconds between two of the writes that measure what a commit takes. */
const WRITE_EVERY_MS = 50

const [engine] = enginesIn(values.engine)
const world = await newsletterWorld(engine!)
const { served, call } = world
console.log(`newsletters: ${newsletters} of ${recipients} recipients, ${kills} kills, seed ${values.seed}, ${engine}`)

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

interface Kill {
  readonly at: number
  /** Milliseconds of two of the slowest write before it. One that was under way counts for as long as it had taken. */
  readonly commitMs: number
  doubled: number
}

const killed: Kill[] = []
let during = 0
let sendings: Sending[] = []
const begun = Date.now()
for (let life = 0; life <= kills; life++) {
  const { server, ready } = await world.start()
  if (life === 0) {
    sendings = await world.prepare(ready, newsletters, recipients)
    await world.schedule(ready, sendings)
  }
  const until =
    life < kills ? Date.now() + LIVES_MS[0] + random() * (LIVES_MS[1] - LIVES_MS[0]) : Number.POSITIVE_INFINITY
  const commits = measureWrites(ready)
  await work(ready, until)
  if (life === kills) {
    server.child.kill('SIGTERM')
  } else {
    if (served.size < newsletters * recipients * (1 - LEAVING_SHARE * 2)) during++
    server.child.kill('SIGKILL')
    killed.push({ at: Date.now(), commitMs: 2 * commits.slowest(), doubled: 0 })
  }
  await commits.stop()
  await server.exited
}

/** Renames an audience again and again. */
function measureWrites(ready: Addresses) {
  let slowest = 0
  let begun = 0
  let isOver = false
  const run = async () => {
    for (let round = 0; !isOver; round++) {
      begun = Date.now()
      await call(ready, 'PATCH', `/audiences/${sendings[0]!.audience}`, { description: `${round}` })
      slowest = Math.max(slowest, Date.now() - begun)
      begun = 0
      await pause(WRITE_EVERY_MS)
    }
  }
  // It ends with the server.
  const running = run().catch(() => {})
  return {
    slowest: () => Math.max(slowest, begun === 0 ? 0 : Date.now() - begun),
    stop() {
      isOver = true
      return running
    },
  }
}

/** Unsubscribes some until the time has come, or all newsletters are sent. */
async function work(ready: Addresses, until: number): Promise<void> {
  const isLast = until === Number.POSITIVE_INFINITY
  for (let round = 0; Date.now() < until; round++) {
    if (left.size < newsletters * recipients * LEAVING_SHARE) await leave(ready, sendings)
    await pause(20)
    if (round % 50 === 0 && (await world.areSent(ready, sendings)) && isLast) return
  }
}

let lost = 0
let unexplained = 0
let late = 0
/** Milliseconds from the 250 to the kill, of each second copy. */
const ages: number[] = []
for (let newsletter = 0; newsletter < newsletters; newsletter++) {
  for (let index = 0; index < recipients; index++) {
    const address = addressOf(newsletter, index)
    const times = served.get(address) ?? []
    const gone = left.get(address)
    if (times.length === 0 && gone === undefined) lost++
    // Each copy but the last one needs a kill of its own that followed it.
    for (const [i, time] of times.slice(0, -1).entries()) {
      // What was on its way to the sink when the server was killed arrives after that.
      const kill = killed.find(({ at, commitMs }) => at >= time - commitMs && at < times[i + 1]!)
      ages.push(kill ? kill.at - time : Number.POSITIVE_INFINITY)
      if (!kill || kill.at - time > kill.commitMs) unexplained++
      if (kill) kill.doubled++
    }
    if (gone !== undefined && times.some((at) => at > gone + GRACE_MS)) late++
  }
}
const reached = [...served.keys()].length
const counts = killed.map(({ doubled }) => doubled).sort((a, b) => a - b)
const writes = killed.map(({ commitMs }) => commitMs).sort((a, b) => a - b)
ages.sort((a, b) => a - b)
const at = (list: readonly number[], share: number) => list[Math.min(list.length - 1, Math.floor(list.length * share))]
console.log(`newsletters: ${kills} kills, ${during} of them while messages were sent; ${seconds(begun)} s in all`)
console.log(
  `newsletters: ${reached} recipients reached, ${lost} lost; ${left.size} unsubscribed, ${late} of them got one more than ${GRACE_MS / 1_000} s later`,
)
console.log(
  `newsletters: ${ages.length} second copies, for each kill ${counts[0]} to ${counts.at(-1)}, median ${at(counts, 0.5)}; their 250 came before the kill by ms: median ${at(ages, 0.5) ?? '-'}, p95 ${at(ages, 0.95) ?? '-'}, most ${ages.at(-1) ?? '-'}; ${unexplained} by more than two writes take (ms: median ${at(writes, 0.5)}, most ${writes.at(-1)})`,
)
if (lost + unexplained + late > 0 || during < kills * DURING_SHARE) process.exitCode = 1
await world.end()
console.log(process.exitCode === 1 ? 'newsletters: FAILED' : 'newsletters: ok')
process.exit()

function seconds(since: number): string {
  return ((Date.now() - since) / 1_000).toFixed(0)
}
