/**
 * Promise D6: backups are taken under load, some of them and the server itself killed at random; then each backup is restored into an empty
 * folder, a server starts on it, and it is held against what was acknowledged before it began. Exits 1 when anything is wrong.
 *
 *     server/node scripts/crash/backup.ts [--backups 30] [--every 10] [--kills 5] [--connections 4] [--rate 40] [--seed 1]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { listBackups } from '../../storage/backup/backup-folder.ts'
import { wholeNumber } from '../whole-number.ts'
import { AckLog, sendAttempts } from './support/attempts.ts'
import { integrityOf, judge } from './support/judge.ts'
import { PROGRAM, setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    backups: { type: 'string', default: '30' },
    /** Seconds between two. */
    every: { type: 'string', default: '10' },
    kills: { type: 'string', default: '5' },
    connections: { type: 'string', default: '4' },
    /** Messages a second. */
    rate: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
})
const backups = wholeNumber(values, 'backups')
const kills = wholeNumber(values, 'kills', 0)
const connections = wholeNumber(values, 'connections')
const rate = wholeNumber(values, 'rate')
const random = randomFrom(wholeNumber(values, 'seed', 0))
const root = mkdtempSync(join(tmpdir(), 'posthouse-backup-'))
const data = join(root, 'data')
const folder = join(root, 'backups')
const log = new AckLog(join(root, 'acknowledged'))
const wrong: string[] = []

const { mailbox } = await setUp(data)
let server = startServer(data)
let port = (await server.ready)!.smtp.port
let isLoading = true
let sent = 0
const load = Promise.all(Array.from({ length: connections }, client))
/** What was acknowledged before each backup began, by its name. */
const before = new Map<string, ReadonlySet<string>>()
let killed = 0
const took: number[] = []
while (before.size < backups) {
  const kill = killed < kills && random() < 0.4 ? (random() < 0.5 ? 'backup' : 'server') : null
  await takeOne(kill)
  if (kill === 'server' || server.child.exitCode !== null) {
    await server.exited
    server = startServer(data)
    port = (await server.ready)!.smtp.port
  }
  await pause(wholeNumber(values, 'every') * 1000)
}
isLoading = false
await load
server.child.kill('SIGTERM')
await server.exited
console.log(
  `backup: ${before.size} taken during ${log.acknowledged.size} messages, ${killed} kills; one took ${Math.max(...took).toFixed(0)} ms at most`,
)
let started = 0
let sound = 0
for (const { name } of listBackups(folder)) if (before.has(name)) await restoreOne(name)
console.log(`backup: ${started} of ${before.size} restored and started, integrity ok ${sound} of ${before.size}`)
for (const fault of wrong.slice(0, 20)) console.log(fault)
if (wrong.length > 0 || started < backups || sound < backups || killed < kills) process.exitCode = 1
console.log(process.exitCode === 1 ? 'backup: FAILED' : 'backup: ok')
rmSync(root, { recursive: true, force: true })

/** Sends at its part of the rate; a connection that breaks is opened again. */
async function client(): Promise<void> {
  while (isLoading) {
    const begun = performance.now()
    let own = 0
    const next = () => (isLoading && own++ < rate ? `${sent++}.0` : null)
    await sendAttempts(port, mailbox.address, next, log, () => {})
    await pause(Math.max(50, connections * 1000 - (performance.now() - begun)))
  }
}

async function takeOne(kill: 'backup' | 'server' | null): Promise<void> {
  const acknowledged = new Set(log.acknowledged)
  const args = ['backup', folder, '--data', data, '--keep', String(backups + kills), '--json']
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const begun = performance.now()
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  const exited = once(child, 'exit') as Promise<[number | null]>
  if (kill !== null) {
    await pause(random() * 900)
    if (kill === 'backup' ? child.exitCode === null && child.kill('SIGKILL') : server.child.kill('SIGKILL')) killed++
  }
  const [code] = await exited
  if (code === 0) {
    const { name } = JSON.parse(Buffer.concat(output).toString()) as { name: string }
    before.set(name, acknowledged)
    took.push(performance.now() - begun)
  } else if (kill !== 'backup') wrong.push(`a backup ended with code ${code}`)
}

async function restoreOne(name: string): Promise<void> {
  const target = join(root, 'restored')
  mkdirSync(target)
  try {
    const child = spawn(PROGRAM, ['restore', folder, '--backup', name, '--data', target], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) {
      wrong.push(`${name}: restore ended with code ${code}`)
      return
    }
    if (integrityOf(target) === 'ok') sound++
    const again = startServer(target)
    if (await again.ready) started++
    again.child.kill('SIGTERM')
    await again.exited
    const told = { acknowledged: before.get(name)!, attempted: log.attempted }
    const { lost, doubled, damaged, faults } = await judge(target, told)
    for (const [what, found] of Object.entries({ lost, doubled, damaged, faults }))
      wrong.push(...found.slice(0, 3).map((one) => `${name}: ${what}: ${one}`))
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}
