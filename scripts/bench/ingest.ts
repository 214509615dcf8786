/**
 * Messages accepted durably per second, at 1, 10 and 50 connections, 5 kB each: the whole server (stored, parsed, threaded, logged,
 * indexed), with the bare smtp-server that discards as the bound, alternating in one run. One line per figure.
 *
 *     node scripts/bench/ingest.ts [--messages 6000] [--rounds 3]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { cpuMs } from './support/cpu.ts'
import { benchMessage } from './support/messages.ts'
import { startPosthouse } from './support/posthouse.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '6000' }, rounds: { type: 'string', default: '3' } },
})
const total = Number(values.messages)
const rounds = Number(values.rounds)

interface Figure {
  readonly rate: number
  /** CPU of the server per message, microseconds. */
  readonly cpu: number
}

const discard = spawn(process.execPath, [join(import.meta.dirname, 'support/discard-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = (await once(createInterface({ input: discard.stdout }), 'line')) as [string]
const bound = {
  host: '127.0.0.1',
  port: Number(line),
  pid: discard.pid!,
  recipient: 'hello@example.test',
  indexed: async () => {},
}
const posthouse = await startPosthouse()
const authorization = `Bearer ${posthouse.api_key}`
const server = {
  ...posthouse.smtp,
  pid: posthouse.pid,
  recipient: posthouse.mailbox.address,
  /** A search drains the index of its account, so that its work counts too. */
  async indexed() {
    const methodCalls = [
      ['Email/query', { accountId: posthouse.mailbox.id, filter: { text: 'harbour' }, limit: 1 }, '0'],
    ]
    const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${posthouse.http}/jmap/api`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ using, methodCalls }),
    })
    const text = await response.text()
    if (!text.includes('"ids":["msg_')) throw new Error(`the search found nothing: ${text.slice(0, 300)}`)
  },
}
let sent = 0

async function measure(
  target: typeof server | typeof bound,
  connections: number,
  messages: number,
): Promise<Figure & { indexed: number }> {
  const offset = sent
  sent += messages
  const before = cpuMs(target.pid)
  const load = { ...target, connections, messages, message: (index: number) => benchMessage(offset + index) }
  const seconds = await sendLoad(load)
  const start = performance.now()
  await target.indexed()
  const rest = (performance.now() - start) / 1000
  return {
    rate: messages / seconds,
    cpu: ((cpuMs(target.pid) - before) / messages) * 1000,
    indexed: messages / (seconds + rest),
  }
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

await measure(server, 10, 500)
await measure(bound, 10, 500)
for (const connections of [1, 10, 50]) {
  const messages = connections === 1 ? Math.ceil(total / 4) : total
  const ours: Awaited<ReturnType<typeof measure>>[] = []
  const bare: Figure[] = []
  for (let round = 0; round < rounds; round++) {
    bare.push(await measure(bound, connections, messages))
    ours.push(await measure(server, connections, messages))
  }
  const rate = median(ours.map((figure) => figure.rate))
  const withIndex = median(ours.map((figure) => figure.indexed))
  const limit = median(bare.map((figure) => figure.rate))
  const share = (value: number) => `${((value / limit) * 100).toFixed(0)} % of the bound`
  console.log(
    `ingest ${connections} connections: ${rate.toFixed(0)} messages/s accepted durably (${share(rate)}), ${withIndex.toFixed(0)}/s until all is indexed (${share(withIndex)}), ${median(ours.map((figure) => figure.cpu)).toFixed(0)} us CPU each; smtp-server discarding ${limit.toFixed(0)}/s, ${median(bare.map((figure) => figure.cpu)).toFixed(0)} us`,
  )
}
discard.kill()
await posthouse.stop()
