/**
 * Messages sent per second from a full queue: 5 kB each, one recipient, signed by DKIM, with a durable state for every recipient, to a
 * server that discards them, over at most 20 connections. Postfix sends the same messages unsigned to the same server if it is
 * installed (Debian: postfix); the two alternate. One line per figure.
 *
 *     node scripts/bench/outbound.ts [--messages 20000] [--rounds 3]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuMs } from './support/cpu.ts'
import { fillQueue, waitingIn } from './support/fill-queue.ts'
import { benchMessage } from './support/messages.ts'
import { freePort } from './support/ports.ts'
import { hasPostfix, startPostfix } from './support/postfix.ts'
import { startPosthouse } from './support/posthouse.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '3' } },
})
const messages = Number(values.messages)
const CONNECTIONS = 20
const POLL_MS = 50

interface Figure {
  readonly rate: number
  /** CPU of the whole sender per message, in microseconds. */
  readonly cpu: number
}

async function startSink(): Promise<{ port: number; stop(): void }> {
  const tool = '/usr/sbin/smtp-sink'
  if (existsSync(tool)) {
    const port = await freePort()
    const child = spawn(tool, ['-c', '-u', 'nobody', `127.0.0.1:${port}`, '1000'], { stdio: 'ignore' })
    await sleep(500)
    return { port, stop: () => child.kill() }
  }
  const script = join(import.meta.dirname, 'support/discard-server.ts')
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { port: Number(line), stop: () => child.kill() }
}

const sender = 'hello@example.test'

function outgoing(index: number): Buffer {
  const text = benchMessage(index)
    .toString('latin1')
    .replace(/^From: .*$/m, `From: <${sender}>`)
  return Buffer.from(text, 'latin1')
}

/** Time from the first sent messages to the last one. Counting costs time too, most with many files: at most a twentieth of the time. */
async function drained(waiting: () => number | Promise<number>, cpu: () => number): Promise<Figure> {
  const look = async () => {
    const before = performance.now()
    const count = await waiting()
    const at = performance.now()
    await sleep(Math.max(POLL_MS, 20 * (at - before)))
    return { count, at }
  }
  const before = cpu()
  let first = await look()
  while (first.count >= messages) first = await look()
  let last = first
  while (last.count > 0) last = await look()
  return { rate: first.count / ((last.at - first.at) / 1000), cpu: ((cpu() - before) / messages) * 1000 }
}

async function ours(sink: number): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-bench-'))
  const first = await startPosthouse([], folder)
  await first.stop()
  const { data, mailbox } = first
  await fillQueue({ data, mailbox, messages, message: outgoing, recipients: (i) => [`user${i}@out.example.org`] })
  const { waiting, close } = await waitingIn(data)
  const started = startPosthouse(['--outbound', `smtp://127.0.0.1:${sink}`], folder)
  const server = await started
  const figure = await drained(waiting, () => cpuMs(server.pid))
  await close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
  return figure
}

async function postfix(sink: number): Promise<Figure> {
  const instance = startPostfix(await freePort(), sink, CONNECTIONS)
  try {
    await sleep(500)
    const load = { host: '127.0.0.1', port: instance.port, connections: 10, messages, message: outgoing }
    await sendLoad({ ...load, recipient: 'user@out.example.org' })
    instance.drain()
    return await drained(instance.waiting, instance.cpuMs)
  } finally {
    instance.stop()
  }
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
const words = (figures: readonly Figure[]) =>
  `${median(figures.map(({ rate }) => rate)).toFixed(0)} messages/s, ${median(figures.map(({ cpu }) => cpu)).toFixed(0)} us CPU each`

const sink = await startSink()
const own: Figure[] = []
const other: Figure[] = []
for (let round = 0; round < Number(values.rounds); round++) {
  own.push(await ours(sink.port))
  if (hasPostfix()) other.push(await postfix(sink.port))
}
const share = other.length > 0 ? median(own.map(({ rate }) => rate)) / median(other.map(({ rate }) => rate)) : null
const beside =
  share === null ? 'Postfix is not installed' : `Postfix, unsigned: ${words(other)}; ${share.toFixed(2)} times its rate`
console.log(`outbound ${messages} messages, ${CONNECTIONS} connections: ${words(own)}; ${beside}`)
sink.stop()
