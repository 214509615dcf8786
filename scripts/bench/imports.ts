/**
 * Imports from a zip as Takeout makes it: CPU of the server for each message with its indexing, memory above idle, and how long SMTP takes
 * to accept mail beside an import. Issue figures: at most 2.5 ms of CPU for a message of 10 kB, 200 MB above idle, and 20 % or 20 ms more
 * at the 95th percentile of acceptance with a steady 100 messages a second. Exits 1 beyond them.
 *
 *     server/node scripts/bench/imports.ts [--messages 5000] [--octets 10000] [--attached 0] [--smtp-seconds 20] [--rate 100]
 *
 * --attached: octets of an attachment of each message. 1 GB: --messages 105000, or --messages 3000 --attached 340000.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openLook } from '../crash/support/look.ts'
import { wholeNumber } from '../whole-number.ts'
import { cpuMs } from './support/cpu.ts'
import { type ImportState, importClient } from './support/import-client.ts'
import { benchMessage } from './support/messages.ts'
import { startPosthouse } from './support/posthouse.ts'
import { SmtpClient } from './support/smtp-load.ts'
import { writeTakeout } from './support/takeout.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '5000' },
    octets: { type: 'string', default: '10000' },
    attached: { type: 'string', default: '0' },
    'smtp-seconds': { type: 'string', default: '20' },
    rate: { type: 'string', default: '100' },
  },
})
const messages = wholeNumber(values, 'messages')
const octets = wholeNumber(values, 'octets')
const attached = wholeNumber(values, 'attached', 0)
const seconds = wholeNumber(values, 'smtp-seconds', 0)
const rate = wholeNumber(values, 'rate')

const MAX_CPU_MS = 2.5
const MAX_MIB = 200
const MAX_GROWTH = 1.2
const MAX_MORE_MS = 20
const MIB = 1_048_576
const OVER = ['completed', 'failed']
const CONNECTIONS = 20

const folder = mkdtempSync(join(tmpdir(), 'posthouse-takeout-'))
const zip = join(folder, 'takeout.zip')
const unpacked = await writeTakeout(zip, messages, octets, attached)
const megabytes = (size: number) => (size / MIB).toFixed(0)
console.log(`imports: ${messages} messages, ${megabytes(statSync(zip).size)} MiB, ${megabytes(unpacked)} unpacked`)

const server = await startPosthouse(['--rate-write=0', '--rate-read=0'])
const imports = importClient(server.api_key, server.mailbox.id)
/** @param name VmRSS, or RssAnon: without the pages of files, such as those of the database that SQLite maps, which the system takes back as it likes */
const memoryOf = (pid: number, name: 'VmRSS' | 'RssAnon') =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024
let failed = false

/** Milliseconds until each of the messages was accepted, sent at a steady rate for some time or until told to stop. */
async function acceptance(untilMs: number, stop: () => boolean = () => false): Promise<number[]> {
  const { host, port } = server.smtp
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => SmtpClient.open(host, port)))
  const times: number[] = []
  const sending = new Set<Promise<void>>()
  const begun = performance.now()
  for (let n = 0; performance.now() - begun < untilMs && !stop(); n++) {
    const due = begun + (n * 1_000) / rate
    if (due > performance.now()) await pause(due - performance.now())
    const send = async () => {
      while (free.length === 0) await pause(1)
      const client = free.pop()!
      await client.send('sender@example.org', server.mailbox.address, benchMessage(Math.floor(Math.random() * 1e9)))
      // From the time when it should have been sent.
      times.push(performance.now() - due)
      free.push(client)
    }
    const one = send().finally(() => sending.delete(one))
    sending.add(one)
  }
  await Promise.all(sending)
  for (const client of free) client.close()
  return times.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

/** Until the search index has all mail, so that its CPU counts. */
async function indexed(): Promise<void> {
  const look = await openLook(join(server.data, 'posthouse.db'))
  while ((await look.count('select count(*) as count from email_unindexed')) > 0) await pause(100)
  await look.close()
}

async function importAlone(): Promise<ImportState> {
  await pause(3_000)
  const idle = memoryOf(server.pid, 'VmRSS')
  const idleAnonymous = memoryOf(server.pid, 'RssAnon')
  let most = idle
  let mostAnonymous = idleAnonymous
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(server.pid, 'VmRSS'))
    mostAnonymous = Math.max(mostAnonymous, memoryOf(server.pid, 'RssAnon'))
  }, 50)
  const { id } = await imports.start(server.http, zip)
  const uploaded = most
  const cpu = cpuMs(server.pid)
  const begun = performance.now()
  const done = await imports.until(server.http, id, OVER)
  const took = (performance.now() - begun) / 1_000
  await indexed()
  const each = (cpuMs(server.pid) - cpu) / messages
  clearInterval(timer)
  const above = (most - idle) / MIB
  console.log(`imports: ${done.counters.imported} imported in ${took.toFixed(1)} s, ${(messages / took).toFixed(0)}/s`)
  console.log(`imports: ${each.toFixed(2)} ms of CPU for a message, indexed (at most ${MAX_CPU_MS})`)
  console.log(
    `imports: RSS ${megabytes(idle)} MiB idle, ${megabytes(uploaded)} after the upload, ${megabytes(most)} at most: ${above.toFixed(0)} above idle (at most ${MAX_MIB}), of it ${megabytes(mostAnonymous - idleAnonymous)} anonymous, the rest pages of files`,
  )
  failed ||= done.counters.imported !== messages || (attached === 0 && each > MAX_CPU_MS) || above > MAX_MIB
  return done
}

async function importBesideSmtp(): Promise<void> {
  await imports.act(server.http, first.id, 'undo')
  await imports.until(server.http, first.id, ['undone', 'undo_failed'])
  const cpu = cpuMs(server.pid)
  const alone = await acceptance(seconds * 1_000)
  await indexed()
  const each = (cpuMs(server.pid) - cpu) / alone.length
  console.log(`imports: ${each.toFixed(2)} ms of CPU for a message of 5 kB by SMTP, for comparison`)
  let isOver = false
  const { id } = await imports.start(server.http, zip)
  const running = imports.until(server.http, id, OVER).then((state) => {
    isOver = true
    return state
  })
  const beside = await acceptance(seconds * 1_000, () => isOver)
  const { counters } = await imports.read(server.http, id)
  if (!isOver) await imports.act(server.http, id, 'cancel')
  await imports.until(server.http, id, [...OVER, 'cancelled'])
  void running.catch(() => {})
  const [before, with95] = [at(alone, 0.95), at(beside, 0.95)]
  console.log(
    `imports: acceptance at ${rate}/s p50 ${at(alone, 0.5).toFixed(1)}, p95 ${before.toFixed(1)} ms alone; p50 ${at(beside, 0.5).toFixed(1)}, p95 ${with95.toFixed(1)} ms beside an import of ${(counters.imported / (beside.length / rate)).toFixed(0)}/s`,
  )
  failed ||= with95 > Math.max(before * MAX_GROWTH, before + MAX_MORE_MS)
}

const first = await importAlone()
if (seconds > 0) await importBesideSmtp()
await server.stop()
rmSync(folder, { recursive: true, force: true })
console.log(failed ? 'imports: FAILED' : 'imports: ok')
process.exit(failed ? 1 : 0)
