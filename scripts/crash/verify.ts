/**
 * Promise D8: `posthouse verify` on a sound store of 100,000 messages that were received, read, flagged, answered and deleted: 0 faults; then
 * with 20 planted faults in it: each is found, and `--fix` loses no message. Prints how long each check takes, and its memory. Exits 1 when
 * anything is wrong.
 *
 *     server/node scripts/crash/verify.ts [--messages 100000] [--mailboxes 10] [--operations 2000] [--seed 1]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import type { Fault } from '../../storage/check/fault.ts'
import { benchMessage } from '../bench/support/messages.ts'
import { MixedClient } from '../bench/support/mixed/mixed-client.ts'
import { OPERATIONS } from '../bench/support/mixed/operations.ts'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { sendLoad } from '../bench/support/smtp-load.ts'
import { wholeNumber } from '../whole-number.ts'
import { plantFaults } from './support/planted-faults.ts'
import { PROGRAM } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    mailboxes: { type: 'string', default: '10' },
    operations: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
})
const NO_RATES = ['--rate-read', '0', '--rate-write', '0', '--rate-send', '0', '--plan-limits', 'off']
/** One in so many messages has a long text, which is stored in a pack. */
const LONG_EVERY = 50
const LONG = Buffer.from('All work and no play makes a long text.\r\n'.repeat(2_500))
const root = mkdtempSync(join(tmpdir(), 'posthouse-verify-'))
const wrong: string[] = []

try {
  const data = await fill()
  const messages = countMessages(data)
  judge(messages >= wholeNumber(values, 'messages') * 0.9, `${messages} messages`)
  for (const more of [[], ['--deep']]) {
    const { faults, words } = await verify(data, more)
    judge(faults.length === 0, `verify ${more.join(' ')} of the sound store: ${words}`, faults)
  }
  const planted = plantFaults(data)
  const { faults, words } = await verify(data, ['--deep'])
  const missed = planted.filter(({ isFound }) => !faults.some(isFound)).map(({ what }) => what)
  judge(
    missed.length === 0,
    `${planted.length - missed.length} of ${planted.length} planted faults found: ${words}`,
    missed,
  )
  const fixed = await verify(data, ['--fix'])
  judge(fixed.repaired > 0, `verify --fix: ${fixed.repaired} repaired, ${fixed.words}`)
  const after = countMessages(data)
  judge(after === messages, `${after} messages after it`)
  const left = await verify(data, ['--deep'])
  const unexpected = left.faults.filter(
    (fault) => !planted.some(({ isLasting, isFound }) => isLasting && isFound(fault)),
  )
  judge(unexpected.length === 0, `then only octets that are lost are left: ${left.words}`, unexpected)
} finally {
  rmSync(root, { recursive: true, force: true })
}
process.exitCode = wrong.length > 0 ? 1 : 0
console.log(wrong.length > 0 ? 'verify: FAILED' : 'verify: ok')

function judge(isRight: boolean, told: string, faults: readonly unknown[] = []): void {
  if (!isRight) wrong.push(told)
  console.log(`${isRight ? 'right' : 'WRONG'}  ${told}`)
  for (const fault of faults.slice(0, 20)) console.log(`       ${JSON.stringify(fault)}`)
}

/** @returns the data folder of a server that has stopped */
async function fill(): Promise<string> {
  const mailboxes = wholeNumber(values, 'mailboxes')
  const each = Math.ceil(wholeNumber(values, 'messages') / mailboxes)
  const server = await startPosthouse(NO_RATES, root)
  const client = await MixedClient.open(server, mailboxes, randomFrom(wholeNumber(values, 'seed', 0)))
  const begun = performance.now()
  for (const [at, { address }] of client.accounts.entries()) {
    const message = (index: number) => {
      const ordinary = benchMessage(at * each + index)
      return index % LONG_EVERY === 0 ? Buffer.concat([ordinary, LONG]) : ordinary
    }
    await sendLoad({ ...server.smtp, connections: 8, messages: each, recipient: address, message })
  }
  const work = OPERATIONS.filter(({ name }) => name !== 'event source')
  for (let done = 0; done < wholeNumber(values, 'operations', 0); done++) await work[done % work.length]!.run(client)
  client.close()
  await server.stop()
  console.log(`filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  return server.data
}

function countMessages(data: string): number {
  const database = new Database(join(data, 'posthouse.db'), { readonly: true })
  try {
    return database.prepare('select count(*) from email').pluck().get() as number
  } finally {
    database.close()
  }
}

async function verify(data: string, more: readonly string[]) {
  const begun = performance.now()
  const child = spawn(PROGRAM, ['verify', '--json', '--data', data, ...more], { stdio: ['ignore', 'pipe', 'inherit'] })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid!))
  }, 100)
  const [output] = await Promise.all([buffer(child.stdout), once(child, 'exit')])
  clearInterval(watch)
  const { faults, repaired = 0 } = JSON.parse(output.toString()) as { faults: Fault[]; repaired?: number }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  return { faults, repaired, words: `${faults.length} faults, ${seconds} s, ${peak.toFixed(0)} MB at most` }
}

/** MB; 0: the process has ended. */
function peakOf(pid: number): number {
  try {
    const [, peak = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(peak) / 1_024
  } catch {
    return 0
  }
}
