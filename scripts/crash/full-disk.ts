/**
 * Promise D4: the data folder lies on a small tmpfs of its own, mail is sent until the disk is full, then room is made and mail is sent
 * again. What got 452 is not stored, what got 250 is stored once, the reserve stays free, reading goes on, and mail is accepted again
 * without a restart. Needs root, to mount. Exits 1 when anything is wrong.
 *
 *     node scripts/crash/full-disk.ts [--megabytes 48] [--connections 8] [--accepted 20]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { reserveOf } from '../../storage/disk-space.ts'
import { wholeNumber } from '../whole-number.ts'
import { AckLog, attemptMessage, sendAttempts } from './support/attempts.ts'
import { judge } from './support/judge.ts'
import { setUp, startServer } from './support/process.ts'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '48' },
    connections: { type: 'string', default: '8' },
    accepted: { type: 'string', default: '20' },
  },
})
const MIB = 1_048_576
/** Refusals after which the disk counts as full. */
const REFUSALS = 60
/** Seconds within which mail must be accepted again (promise D4). */
const RECOVERY_SECONDS = 30

const disk = mkdtempSync(join(tmpdir(), 'posthouse-full-'))
const outside = mkdtempSync(join(tmpdir(), 'posthouse-acks-'))
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${wholeNumber(values, 'megabytes')}m`, 'tmpfs', disk])
const wrong: string[] = []
try {
  await run(join(disk, 'data'))
} finally {
  execFileSync('umount', ['-l', disk])
  for (const folder of [disk, outside]) rmSync(folder, { recursive: true, force: true })
}
for (const fault of wrong.slice(0, 20)) console.log(fault)
if (wrong.length > 0) process.exitCode = 1
console.log(wrong.length > 0 ? 'full-disk: FAILED' : 'full-disk: ok')

function free(): number {
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize
}

async function run(data: string): Promise<void> {
  const { mailbox, api_key: key } = await setUp(data)
  const server = startServer(data)
  const ready = (await server.ready)!
  const log = new AckLog(join(outside, 'acknowledged'))
  let sent = 0
  let refused = 0
  let lowest = free()
  const fill = async (isOver: () => boolean) => {
    while (!isOver()) {
      const next = () => (isOver() ? null : `${sent++}.0`)
      const failed = () => void refused++
      const clients = Array.from({ length: wholeNumber(values, 'connections') }, () =>
        sendAttempts(ready.smtp.port, mailbox.address, next, log, failed),
      )
      const ended = Promise.all(clients).then(() => true)
      while (!(await Promise.race([ended, pause(5, false)]))) lowest = Math.min(lowest, free())
    }
  }
  // Taken away at the end, so that there is room again.
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(MIB))
  await fill(() => refused >= REFUSALS)
  const accepted = [...log.acknowledged].reduce((sum, id) => sum + attemptMessage(id).length, 0)
  const reserve = reserveOf(wholeNumber(values, 'megabytes') * MIB)
  const before = log.acknowledged.size
  console.log(
    `full-disk: ${before} messages (${(accepted / MIB).toFixed(1)} MiB) acknowledged, ${refused} refused; at least ${(lowest / MIB).toFixed(2)} MiB stayed free, the reserve is ${(reserve / MIB).toFixed(2)}`,
  )
  if (accepted < wholeNumber(values, 'accepted') * MIB) wrong.push('too little mail was accepted')
  if (lowest <= 0) wrong.push('the disk was filled to its last octet')
  for (const path of ['/readyz', '/v1/mailboxes', `/v1/mailboxes/${mailbox.id}/inbox/messages`]) {
    const { status } = await fetch(ready.http + path, { headers: { authorization: `Bearer ${key}` } })
    if (status !== 200) wrong.push(`${path} answered ${status} on the full disk`)
  }
  rmSync(ballast)
  const begun = performance.now()
  const isOver = () => log.acknowledged.size > before || performance.now() - begun > RECOVERY_SECONDS * 1000
  await fill(isOver)
  console.log(`full-disk: mail was accepted again after ${(performance.now() - begun).toFixed(0)} ms`)
  if (log.acknowledged.size === before) wrong.push('no mail was accepted after room had been made')
  server.child.kill('SIGTERM')
  await server.exited
  if (server.child.exitCode !== 0) wrong.push(`the server ended with code ${server.child.exitCode}`)
  const { lost, doubled, damaged, stored, faults } = await judge(data, log)
  const kept = stored - log.acknowledged.size
  console.log(
    `full-disk: ${stored} stored, ${lost.length} lost, ${doubled.length} doubled, ${kept} stored though refused, ${faults.length} faults`,
  )
  wrong.push(...lost.map((id) => `lost: ${id}`), ...doubled.map((id) => `doubled: ${id}`), ...damaged, ...faults)
  if (kept > 0) wrong.push(`${kept} messages were stored though their senders got a refusal`)
}
