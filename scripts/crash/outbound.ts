/**
 * Promise Q2: messages with many recipients each, a receiver that cuts connections, and kill -9 of the sender. Every recipient gets the
 * message; twice only if the sender could not know of the first. Exits 1 if anything is wrong, or if the queue was empty before all
 * kills were done.
 *
 *     node scripts/crash/outbound.ts [--messages 1000] [--recipients 50] [--kills 20] [--seed 1]
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { QUEUE_CONCURRENCY } from '../../server/base/outbound-limits.ts'
import { fillQueue, waitingIn } from '../bench/support/fill-queue.ts'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { type Cut, cuttingSink } from './support/cutting-sink.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000' },
    recipients: { type: 'string', default: '50' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
const [messages, recipients] = [wholeNumber(values, 'messages'), wholeNumber(values, 'recipients')]
const kills = wholeNumber(values, 'kills', 0)
const random = randomFrom(wholeNumber(values, 'seed', 0))
const CUTS: readonly Cut[] = ['data', 'before', 'after']
/** Fraction of the messages whose connection is cut. */
const CUT_SHARE = 0.1

const sink = cuttingSink(() => (random() < CUT_SHARE ? CUTS[Math.floor(random() * CUTS.length)]! : null))
sink.server.listen(0, '127.0.0.1')
await once(sink.server, 'listening')
const { port } = sink.server.address() as AddressInfo

const folder = mkdtempSync(join(tmpdir(), 'posthouse-outbound-'))
const first = await startPosthouse([], folder)
await first.stop()
const names = Array.from({ length: recipients }, (_, i) => `user${i}@out.test`)
const message = (i: number) =>
  Buffer.from(
    `From: <${first.mailbox.address}>\r\nTo: all@out.test\r\nSubject: ${i}\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <${i}@example.test>\r\n\r\nbody\r\n`,
  )
await fillQueue({ data: first.data, mailbox: first.mailbox, messages, message, recipients: () => names })

const { waiting, close } = await waitingIn(first.data)
let killed = 0
let left = messages
while (left > 0) {
  const server = await startPosthouse(['--outbound', `smtp://127.0.0.1:${port}`], folder)
  const until = killed < kills ? Date.now() + random() * 1_500 : Number.POSITIVE_INFINITY
  while (Date.now() < until && left > 0) {
    await pause(100)
    left = await waiting()
    if (killed >= kills) await retryAll(server.http, first.api_key, first.organization.id)
  }
  if (left === 0 || killed >= kills) await server.stop()
  else {
    const exited = pause(200)
    process.kill(server.pid, 'SIGKILL')
    killed++
    await exited
  }
}
await close()
sink.server.close()
rmSync(folder, { recursive: true, force: true })

/** Deferred messages need not wait for their minute. */
async function retryAll(http: string, key: string, accountId: string): Promise<void> {
  const call = async (name: string, args: object) => {
    const response = await fetch(`${http}/jmap/api`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        using: ['urn:ietf:params:jmap:core', 'urn:posthouse:params:jmap:service'],
        methodCalls: [[name, { accountId, ...args }, '0']],
      }),
    })
    const { methodResponses } = (await response.json()) as { methodResponses: [[string, { list?: Entry[] }]] }
    return methodResponses[0][1]
  }
  const { list = [] } = await call('Queue/list', {})
  const submissionIds = list.filter(({ state }) => state === 'deferred').map(({ submissionId }) => submissionId)
  if (submissionIds.length > 0) await call('Queue/change', { submissionIds, action: 'retry' })
}

interface Entry {
  readonly state: string
  readonly submissionId: string
}

let lost = 0
const doubled = new Set<string>()
for (let i = 0; i < messages; i++) {
  for (const name of names) {
    const count = sink.taken.get(`${i}@example.test ${name}`) ?? 0
    if (count === 0) lost++
    if (count > 1) doubled.add(`${i}`)
  }
}
// Messages that a killed process had handed over and not reported: at most its limit of messages under way.
const allowed = sink.cuts.after + killed * QUEUE_CONCURRENCY
console.log(
  `outbound: ${messages} messages to ${recipients} recipients, ${killed} kills, cuts ${JSON.stringify(sink.cuts)}: ${lost} recipients lost, ${doubled.size} messages doubled (at most ${allowed} could be)`,
)
process.exitCode = lost > 0 || doubled.size > allowed || killed < kills ? 1 : 0
