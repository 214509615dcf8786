/**
 * Promise D3: strace makes the Nth fsync or fdatasync of the server fail with EIO, for N = 1, 2, ... The server must end with code 74, or
 * refuse to start, and nothing that was acknowledged may be missing after a restart. Ends when no call was hit any more, or after --most.
 * Needs strace. Exits 1 when anything is wrong.
 *
 *     node scripts/crash/disk-errors.ts [--most 60] [--messages 400] [--step 1]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { AckLog, sendAttempts } from './support/attempts.ts'
import { copyDatabase, integrityOf, judge } from './support/judge.ts'
import { type Addresses, PROGRAM, serveArguments, setUp } from './support/process.ts'

const { values } = parseArgs({
  options: {
    most: { type: 'string', default: '60' },
    messages: { type: 'string', default: '400' },
    step: { type: 'string', default: '1' },
  },
})
const most = wholeNumber(values, 'most')
const messages = wholeNumber(values, 'messages')
const step = wholeNumber(values, 'step')
const CONNECTIONS = 4
const EX_IOERR = 74

const wrong: string[] = []
let ended = 0
let refusedToStart = 0
let hits = 0
for (let at = 1; at <= most; at += step) if (!(await fails(at))) break
console.log(`disk-errors: ${hits} calls failed: ${ended} ended with code 74, ${refusedToStart} did not start`)
for (const fault of wrong.slice(0, 20)) console.log(fault)
if (wrong.length > 0 || hits === 0) process.exitCode = 1
console.log(process.exitCode === 1 ? 'disk-errors: FAILED' : 'disk-errors: ok')

/** @returns whether the call was made at all */
async function fails(at: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-eio-'))
  try {
    const data = join(folder, 'data')
    const { mailbox } = await setUp(data)
    const trace = join(folder, 'trace')
    const inject = `inject=fsync,fdatasync:error=EIO:when=${at}`
    const strace = ['-f', '-qq', '-o', trace, '-e', 'trace=fsync,fdatasync', '-e', inject]
    const child = spawn('strace', [...strace, PROGRAM, ...serveArguments(data)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(child, 'exit') as Promise<[number | null]>
    const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
    const ready = await Promise.race([line.then(([text]) => JSON.parse(text) as Addresses), exited.then(() => null)])
    const log = new AckLog(join(folder, 'acknowledged'))
    if (ready) {
      let sent = 0
      const next = () => (sent < messages ? `${sent++}.0` : null)
      const clients = Array.from({ length: CONNECTIONS }, () =>
        sendAttempts(ready.smtp.port, mailbox.address, next, log, () => {}),
      )
      await Promise.all(clients)
      // strace passes signals on to the server.
      child.kill('SIGTERM')
    }
    const [code] = await exited
    // strace counts for each thread by itself, so one call in each of them may have failed.
    if (!readFileSync(trace, 'utf8').includes('(INJECTED)')) return false
    hits++
    if (!ready) refusedToStart++
    else if (code === EX_IOERR) ended++
    else wrong.push(`call ${at}: the server ended with code ${code}`)
    copyDatabase(data, folder)
    const integrity = integrityOf(folder)
    const { lost, doubled, damaged, faults } = await judge(data, log)
    const found = [...lost.map((id) => `lost ${id}`), ...doubled.map((id) => `doubled ${id}`), ...damaged, ...faults]
    if (integrity !== 'ok') found.push(integrity)
    wrong.push(...found.map((fault) => `call ${at}: ${fault}`))
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
