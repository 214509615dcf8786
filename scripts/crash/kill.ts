/**
 * reliability.md D1: kill -9 at random points during ingest, also during start and recovery. Nothing that was acknowledged may be lost
 * or doubled; what was not is absent or whole. Exits 1 when anything is wrong.
 *
 *     node scripts/crash/kill.ts [--kills 200] [--messages 20000] [--connections 20] [--seed 1]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AckLog, sendAttempts } from './support/attempts.ts'
import { faultsOf, integrityOf, judgeMessages } from './support/judge.ts'
import { setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    messages: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
const kills = Number(values.kills)
const messages = Number(values.messages)
const random = randomFrom(Number(values.seed))
console.log(
  `kill: ${kills} kills during ${messages} messages over ${values.connections} connections, seed ${values.seed}`,
)

const data = mkdtempSync(join(tmpdir(), 'posthouse-kill-'))
const logFolder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'posthouse-acks-'))
const log = new AckLog(join(logFolder, 'acknowledged'))
const { mailbox } = await setUp(data)

let sent = 0
const again: string[] = []
/** A message that failed is tried again under a new attempt id: only the attempt that was answered must be there. */
function nextAttempt(): string | null {
  const retried = again.pop()
  if (retried !== undefined) {
    const [number, attempt] = retried.split('.')
    return `${number}.${Number(attempt) + 1}`
  }
  return sent < messages ? `${sent++}.0` : null
}

let integrity = 0
let killedBeforeReady = 0
const readyTimes: number[] = []
for (let round = 0; round <= kills; round++) {
  const last = round === kills
  const begun = performance.now()
  const server = startServer(data)
  // Some kills fall into the start and its recovery, most into the ingest.
  const early = !last && random() < 0.2
  const timer = early ? setTimeout(() => server.child.kill('SIGKILL'), random() * 1_500) : null
  const ready = await server.ready
  if (ready) {
    readyTimes.push(performance.now() - begun)
    const target = Math.ceil(((round + 1) / (kills + 1)) * messages)
    const clients = Array.from({ length: Number(values.connections) }, () =>
      sendAttempts(ready.smtp.port, mailbox.address, nextAttempt, log, (id) => again.push(id)),
    )
    if (!last && !early) {
      while (log.acknowledged.size < target - random() * (messages / kills))
        await new Promise((resolve) => setTimeout(resolve, random() * 20))
      server.child.kill('SIGKILL')
    }
    await Promise.all(clients)
  } else killedBeforeReady++
  if (timer) clearTimeout(timer)
  if (last) server.child.kill('SIGTERM')
  await server.exited
  if (integrityOf(data) === 'ok') integrity++
  else console.log(`round ${round}: ${integrityOf(data)}`)
}
const verdict = judgeMessages(data, log)
const faults = await faultsOf(data)
readyTimes.sort((a, b) => a - b)
console.log(
  `kill: ${log.acknowledged.size} acknowledged, ${verdict.stored} stored, ${verdict.lost.length} lost, ${verdict.doubled.length} doubled, ${verdict.damaged.length} damaged, ${verdict.unknown.length} unknown; integrity ok ${integrity}/${kills + 1}; ${killedBeforeReady} killed before ready; ready after ${readyTimes[Math.floor(readyTimes.length / 2)]?.toFixed(0)} ms (worst ${readyTimes.at(-1)?.toFixed(0)} ms); ${faults.length} faults`,
)
for (const fault of faults.slice(0, 20)) console.log(fault)
rmSync(data, { recursive: true, force: true })
rmSync(logFolder, { recursive: true, force: true })
const complete = log.acknowledged.size >= messages && integrity === kills + 1
const clean = [verdict.lost, verdict.doubled, verdict.damaged, verdict.unknown, faults].every(
  (list) => list.length === 0,
)
if (!complete || !clean) process.exitCode = 1
console.log(process.exitCode === 1 ? 'kill: FAILED' : 'kill: ok')
