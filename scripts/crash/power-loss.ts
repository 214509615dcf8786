/**
 * Promise D2: power loss during ingest and JMAP writes. The data folder is on an ext4 in a loop-mounted image in a tmpfs. For a cut the
 * server is stopped (SIGSTOP) and the image is copied, without data that is only in the page cache; the copy is repaired and mounted as
 * after a reboot, and all acknowledged data is checked. Needs root, on Linux.
 *
 *     node scripts/crash/power-loss.ts [--cuts 100] [--seed 1] [--control]
 *
 * --control runs the same with synchronous=NORMAL and must lose data within 20 cuts; otherwise the run proves nothing.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { AckLog, sendAttempts } from './support/attempts.ts'
import { JmapWriter, type KnownChanges } from './support/jmap-writer.ts'
import { integrityOf, judge, type Told } from './support/judge.ts'
import { freeze, setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    cuts: { type: 'string' },
    seed: { type: 'string', default: '1' },
    control: { type: 'boolean', default: false },
  },
})
const cuts = wholeNumber({ cuts: values.cuts ?? (values.control ? '20' : '100') }, 'cuts')
const random = randomFrom(wholeNumber(values, 'seed', 0))
const run = promisify(execFile)
const IMAGE_MB = 384
/** Cuts per installation: a fresh one keeps the copies small. */
const CUTS_EACH = 10

interface Totals {
  acknowledged: number
  inPacks: number
  lost: number
  badCuts: number
  integrity: number
  faults: number
}

console.log(`power-loss: ${cuts} cuts, seed ${values.seed}${values.control ? ', control at synchronous=NORMAL' : ''}`)
const totals: Totals = { acknowledged: 0, inPacks: 0, lost: 0, badCuts: 0, integrity: 0, faults: 0 }
for (let done = 0; done < cuts; done += CUTS_EACH) await oneInstallation(Math.min(CUTS_EACH, cuts - done))
console.log(
  `power-loss: ${cuts} cuts, ${totals.acknowledged} acknowledged writes (${totals.inPacks} messages in packs), ${totals.lost} lost or wrong (in ${totals.badCuts} cuts), integrity and foreign keys ok ${totals.integrity}/${cuts}, ${totals.faults} faults`,
)
const clean = totals.lost === 0 && totals.integrity === cuts && totals.faults === 0
// The server syncs packs itself, whatever SQLite does: the control loses data in the database.
const passed = values.control ? totals.lost > 0 : clean && totals.inPacks > 0
if (!passed) process.exitCode = 1
console.log(
  passed
    ? 'power-loss: ok'
    : values.control
      ? 'power-loss: the control lost nothing: the run proves nothing'
      : 'power-loss: FAILED',
)

async function oneInstallation(count: number): Promise<void> {
  const folder = mkdtempSync('/dev/shm/posthouse-power-')
  const image = join(folder, 'disk.img')
  const mount = join(folder, 'mount')
  mkdirSync(mount)
  await run('truncate', ['-s', `${IMAGE_MB}M`, image])
  await run('mkfs.ext4', ['-q', '-F', image])
  // Without its periodic commit every five seconds, the file system only writes on request, and nothing during a copy.
  await run('mount', ['-o', 'loop,commit=600', image, mount])
  const data = join(mount, 'data')
  try {
    await load(folder, image, data, count)
  } finally {
    await run('umount', ['-l', mount])
    rmSync(folder, { recursive: true, force: true })
  }
}

async function load(folder: string, image: string, data: string, count: number): Promise<void> {
  const installation = await setUp(data)
  const preload = values.control ? ['--import', join(import.meta.dirname, 'support/normal-synchronous.ts')] : []
  const server = startServer(data, preload)
  const ready = await server.ready
  if (!ready) throw new Error('the server did not start')
  const log = new AckLog(join(folder, 'acknowledged'))
  const writer = new JmapWriter(ready.http, installation, log)
  await writer.open()
  let sent = 0
  let stop = false
  const next = () => (stop ? null : `${sent++}.0`)
  const clients = Array.from({ length: 4 }, () =>
    sendAttempts(ready.smtp.port, installation.mailbox.address, next, log, () => {}),
  )
  const writing = writer.run(() => stop)
  // Checked at the end.
  writing.catch(() => {})
  try {
    for (let cut = 0; cut < count; cut++) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random() * 400))
      await freeze(server.child)
      // Data that the client has read an acknowledgement of; replies on their way do not count.
      const told = { acknowledged: new Set(log.acknowledged), attempted: new Set(log.attempted) }
      const changes = writer.known()
      await run('cp', ['--sparse=always', image, join(folder, 'cut.img')])
      await judgeCut(folder, told, changes)
      server.child.kill('SIGCONT')
    }
  } finally {
    stop = true
    server.child.kill('SIGKILL')
    await server.exited
    await Promise.all([...clients, writing])
  }
}

async function judgeCut(folder: string, told: Told, changes: KnownChanges): Promise<void> {
  const image = join(folder, 'cut.img')
  const mount = join(folder, 'cut')
  mkdirSync(mount, { recursive: true })
  // 0: clean, 1: repaired. The journal of the file system is replayed as at boot.
  await run('e2fsck', ['-fy', image]).catch((error: { code: number }) => {
    if (error.code !== 1) throw error
  })
  await run('mount', ['-o', 'loop', image, mount])
  try {
    const data = join(mount, 'data')
    totals.acknowledged += told.acknowledged.size + changes.keywords.size + changes.submissions.size
    const sound = integrityOf(data)
    if (sound === 'ok') totals.integrity++
    else console.log(`power-loss: ${sound}`)
    const verdict = await judge(data, told, changes)
    const { lost, damaged, doubled, unknown, wrong, faults } = verdict
    const bad = [
      ...lost.map((id) => `${id} is lost`),
      ...damaged.map((id) => `${id} is damaged`),
      ...doubled.map((id) => `${id} is there twice`),
      ...unknown.map((id) => `${id} was never sent`),
      ...wrong,
    ]
    if (bad.length > 0) totals.badCuts++
    totals.inPacks += verdict.inPacks
    totals.lost += bad.length
    totals.faults += faults.length
    for (const words of [...bad, ...faults].slice(0, 3)) console.log(`power-loss: ${words}`)
  } finally {
    await run('umount', [mount])
  }
}
