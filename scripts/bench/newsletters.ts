/**
 * Newsletters that run at once, to a sink, with the pace off: CPU of the server for each message that is rendered, signed, queued, sent and
 * recorded; messages per second; memory above that at the start; and how long single messages take meanwhile. Exits 1 if a figure is
 * missed (500 a second on SQLite, 100 MiB, 2 s).
 *
 *     server/node scripts/bench/newsletters.ts [--newsletters 10] [--recipients 10000] [--engine postgres]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { addressOf, newsletterWorld } from '../crash/support/newsletter-world.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { cpuMs } from './support/cpu.ts'

const { values } = parseArgs({
  options: {
    newsletters: { type: 'string', default: '10' },
    recipients: { type: 'string', default: '10000' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const newsletters = wholeNumber(values, 'newsletters')
const recipients = wholeNumber(values, 'recipients')
const [engine] = enginesIn(values.engine)
const GOALS = { rate: engine === 'sqlite' ? 500 : 0, grown: 100, single: 2_000 }
const MIB = 1_024

const world = await newsletterWorld(engine!)
const { server, ready } = await world.start()
const pid = server.child.pid!
const sendings = await world.prepare(ready, newsletters, recipients)
const atStart = memoryOf(pid)
const most = { ...atStart }
const cpuAtStart = cpuMs(pid)
const begun = await world.schedule(ready, sendings)
const singles: number[] = []
let sampled = Date.now()
for (let isOver = false; !isOver; ) {
  singles.push(await world.sendSingle(ready))
  const now = memoryOf(pid)
  most.all = Math.max(most.all, now.all)
  most.own = Math.max(most.own, now.own)
  if (Date.now() < sampled + 1_000) continue
  sampled = Date.now()
  isOver = await world.areSent(ready, sendings)
}
const cpu = cpuMs(pid) - cpuAtStart
const messages = newsletters * recipients
const times = Array.from({ length: messages }, (_, i) =>
  world.served.get(addressOf(Math.floor(i / recipients), i % recipients)),
)
const wrong = times.filter((served) => served?.length !== 1).length
const last = times.reduce((latest, served) => Math.max(latest, served?.at(-1) ?? 0), begun)
const rate = (messages * 1_000) / (last - begun)
singles.sort((a, b) => a - b)
const single = (share: number) => singles[Math.min(singles.length - 1, Math.floor(singles.length * share))]!
const grown = (most.all - atStart.all) / MIB
console.log(
  `newsletters: ${newsletters} of ${recipients} recipients on ${engine}: ${messages - wrong} of ${messages} once`,
)
console.log(
  `newsletters: ${rate.toFixed(0)} messages per second in ${((last - begun) / 1_000).toFixed(1)} s, ${(cpu / messages).toFixed(2)} ms of CPU each`,
)
console.log(
  `newsletters: RSS ${(atStart.all / MIB).toFixed(0)} MiB at the start, ${(most.all / MIB).toFixed(0)} MiB at most (${grown.toFixed(0)} more); without pages of files ${(atStart.own / MIB).toFixed(0)} and ${(most.own / MIB).toFixed(0)} MiB`,
)
console.log(`newsletters: single messages p50 ${single(0.5)} ms, p95 ${single(0.95)} ms of ${singles.length}`)
server.child.kill('SIGTERM')
await server.exited
await world.end()
const isMissed = wrong > 0 || rate < GOALS.rate || grown > GOALS.grown || single(0.95) > GOALS.single
console.log(isMissed ? 'newsletters: MISSED' : 'newsletters: ok')
process.exit(isMissed ? 1 : 0)

/** In KiB. `own`: without the pages of files, such as those of the database that SQLite maps, which the system takes back as it likes. */
function memoryOf(process: number): { all: number; own: number } {
  const status = readFileSync(`/proc/${process}/status`, 'utf8')
  const sizeOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1])
  return { all: sizeOf('VmRSS'), own: sizeOf('RssAnon') }
}
