/**
 * Promise D1: kill -9 at random points during ingest, start and recovery. No acknowledged message may be lost or doubled; others are
 * absent or whole. Exits 1 if anything is wrong.
 *
 *     node scripts/crash/kill.ts [--kills 200] [--messages 20000] [--connections 20] [--seed 1]
 */
import { existsSync, mkdtempSync, rmSync, statSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { AckLog, sendAttempts } from './support/attempts.ts'
import { copyDatabase, DATABASE, integrityOf, judge } from './support/judge.ts'
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
const kills = wholeNumber(values, 'kills')
const messages = wholeNumber(values, 'messages')
const connections = wholeNumber(values, 'connections')
const random = randomFrom(wholeNumber(values, 'seed', 0))
console.log(`kill: ${kills} kills during ${messages} messages over ${connections} connections, seed ${values.seed}`)

const data = mkdtempSync(join(tmpdir(), 'posthouse-kill-'))
// The clients' log is on another file system than the data, if there is one.
const outside = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'posthouse-acks-'))
if (statSync(outside).dev === statSync(data).dev) console.log('kill: the log of acknowledgements shares the disk')
const log = new AckLog(join(outside, 'acknowledged'))
const { mailbox } = await setUp(data)

let sent = 0
let killing = true
const again: string[] = []
/** A failed message is sent again under a new attempt id: only the answered attempt must be stored. */
function nextAttempt(): string | null {
  const retried = again.pop()
  if (retried !== undefined) {
    const [number, attempt] = retried.split('.')
    return `${number}.${Number(attempt) + 1}`
  }
  // While kills are left, there is mail to interrupt.
  return killing || sent < messages ? `${sent++}.0` : null
}

/** Fraction of the kills that hit the start with its recovery, and the checkpoint of the log; most hit the ingest. */
const EARLY_SHARE = 0.2
const CHECKPOINT_SHARE = 0.1
/** Milliseconds of a start in which it is killed. */
const START_MS = 1_500

/** 1 when the database file is written to, which only a checkpoint does; 0 when sending has ended. */
async function checkpointBegins(sending: () => boolean): Promise<number> {
  const watcher = watch(join(data, DATABASE))
  let begun = 0
  watcher.on('change', () => {
    begun = 1
  })
  while (sending() && begun === 0) await pause(1)
  watcher.close()
  return begun
}

let integrity = 0
let notStarted = 0
let killedBeforeReady = 0
let midCheckpoint = 0
const readyTimes: number[] = []
for (let round = 0; round <= kills; round++) {
  const last = round === kills
  killing = !last
  const begun = performance.now()
  const server = startServer(data)
  const early = !last && random() < EARLY_SHARE
  const timer = early ? setTimeout(() => server.child.kill('SIGKILL'), random() * START_MS) : null
  const ready = await server.ready
  if (ready) {
    readyTimes.push(performance.now() - begun)
    const target = Math.ceil(((round + 1) / (kills + 1)) * messages)
    const clients = Array.from({ length: connections }, () =>
      sendAttempts(ready.smtp.port, mailbox.address, nextAttempt, log, (id) => again.push(id)),
    )
    const ended = Promise.all(clients)
    let sending = true
    ended.then(() => {
      sending = false
    })
    if (!last && !early) {
      const enough = target - random() * (messages / kills)
      do await pause(random() * 20)
      while (sending && log.acknowledged.size < enough)
      if (random() < CHECKPOINT_SHARE) midCheckpoint += await checkpointBegins(() => sending)
      server.child.kill('SIGKILL')
    }
    await ended
    // If all connections were refused, an early kill is still to come.
    if (!last) server.child.kill('SIGKILL')
  } else if (early) killedBeforeReady++
  else {
    notStarted++
    console.log(`round ${round}: the server ended before it was ready, and nobody had killed it`)
  }
  if (timer) clearTimeout(timer)
  if (last) server.child.kill('SIGTERM')
  await server.exited
  copyDatabase(data, outside)
  const sound = integrityOf(outside)
  if (sound === 'ok') integrity++
  else console.log(`round ${round}: ${sound}`)
}
const verdict = await judge(data, log)
readyTimes.sort((a, b) => a - b)
const { lost, doubled, damaged, unknown, faults } = verdict
const unanswered = log.attempted.size - log.acknowledged.size
console.log(
  `kill: ${log.acknowledged.size} acknowledged, ${verdict.stored} stored (${verdict.inPacks} in packs), ${lost.length} lost, ${doubled.length} doubled, ${damaged.length} damaged, ${unknown.length} unknown; ${unanswered} attempts without an answer, of which ${verdict.stored - log.acknowledged.size} stored; integrity ok ${integrity}/${kills + 1}; ${faults.length} faults`,
)
console.log(
  `kill: ${killedBeforeReady} killed before ready, ${midCheckpoint} during a checkpoint; ready after ${readyTimes[Math.floor(readyTimes.length / 2)]?.toFixed(0)} ms (worst ${readyTimes.at(-1)?.toFixed(0)} ms); ${verdict.strayBlobs} blobs without a row for the sweep`,
)
for (const fault of faults.slice(0, 20)) console.log(fault)
rmSync(data, { recursive: true, force: true })
rmSync(outside, { recursive: true, force: true })
// Large messages are stored outside of the database: both ways of storing must be hit.
const complete = log.acknowledged.size >= messages && integrity === kills + 1 && verdict.inPacks > 0
const clean = [lost, doubled, damaged, unknown, faults].every((list) => list.length === 0)
if (!complete || !clean || notStarted > 0) process.exitCode = 1
console.log(process.exitCode === 1 ? 'kill: FAILED' : 'kill: ok')
