/**
 * Promise Q4: a queue full of mail for a host that hardly responds, beside a few messages of the same mailbox for a fast host; and the
 * CPU of queueing with a million deferred rows, compared with none. Exits 1 if the few wait long, the slow host gets more connections
 * than allowed, or queueing slows down.
 *
 *     node scripts/crash/fairness.ts [--tarpit 100000] [--healthy 100] [--deferred 1000000] [--rounds 5]
 *
 * --tarpit 0 leaves out the first, --deferred 0 the second.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Test } from 'tap'
import { OUTBOUND_CONNECTIONS_PER_HOST, QUEUE_PER_NEW_DESTINATION } from '../../server/base/outbound-limits.ts'
import { startDnsServer } from '../../spec/support/dns-server.ts'
import { startPosthouse } from '../../spec/support/posthouse.ts'
import { deferAll, type EnqueueFigures, enqueueFigures, fillQueue } from '../bench/support/fill-queue.ts'
import { freePort } from '../bench/support/ports.ts'
import { wholeNumber } from '../whole-number.ts'
import { sendOneByOne, waitsOf } from './support/healthy-mail.ts'
import { startSink, startTarpit } from './support/tarpit.ts'

const { values } = parseArgs({
  options: {
    tarpit: { type: 'string', default: '100000' },
    healthy: { type: 'string', default: '100' },
    deferred: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
  },
})
const [tarpitted, healthy, deferred, rounds] = [
  wholeNumber(values, 'tarpit', 0),
  wholeNumber(values, 'healthy'),
  wholeNumber(values, 'deferred', 0),
  wholeNumber(values, 'rounds'),
]
if (tarpitted + deferred === 0) throw new Error('--tarpit and --deferred are 0: nothing is left to look at')
const P95_MS = 10_000
const TARPIT_MS = 20_000
const HEALTHY = 'x@healthy.test'
const RECIPIENTS = 100
const FALL_MAX = 0.2
/** Messages queued in one measurement. */
const MEASURED = 2_000
const UNBOUNDED = ['--plan-limits=off']

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Test
try {
  if (tarpitted > 0) await besideTarpit()
  if (deferred > 0) await underDeferred()
} finally {
  for (const end of ends.reverse()) await end()
}

function judge(what: string, isRight: boolean, told: string): void {
  if (!isRight) process.exitCode = 1
  console.log(`${isRight ? 'right' : 'WRONG'}  ${what}: ${told}`)
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-fairness-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'data')
}

/** A data folder and its mailbox; no server runs on it. */
async function setUp() {
  const data = newFolder()
  const { ready, stop } = await startPosthouse(scope, data, UNBOUNDED)
  await stop()
  return { data, mailbox: ready.mailbox }
}

function text(from: string, id: string, to: string): string {
  return `From: <${from}>\r\nTo: <${to}>\r\nSubject: fair\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <${id}>\r\n\r\nbody\r\n`
}

async function besideTarpit(): Promise<void> {
  const { data, mailbox } = await setUp()
  await fillQueue({
    data,
    mailbox,
    messages: tarpitted,
    message: (i) => Buffer.from(text(mailbox.address, `slow${i}@example.test`, 'x@tarpit.test')),
    recipients: () => ['x@tarpit.test'],
  })
  const port = await freePort()
  const tarpit = await startTarpit('127.0.0.2', port, TARPIT_MS)
  const arrived = new Map<string, number>()
  const sink = await startSink('127.0.0.3', port, (id) => void arrived.set(id, performance.now()))
  ends.push(tarpit.stop, sink.stop)
  const { server: dns } = await startDnsServer(scope, {
    'tarpit.test': { mx: [[10, 'mx.tarpit.test']] },
    'mx.tarpit.test': { a: ['127.0.0.2'] },
    'healthy.test': { mx: [[10, 'mx.healthy.test']] },
    'mx.healthy.test': { a: ['127.0.0.3'] },
  })
  const way = ['--outbound=mx', `--mx-port=${port}`, `--dns=${dns}`]
  const { ready, stop } = await startPosthouse(scope, data, [...UNBOUNDED, ...way])
  while (tarpit.open < QUEUE_PER_NEW_DESTINATION) await pause(100)
  const message = (id: string) => text(ready.mailbox.address, id, HEALTHY)
  const sent = await sendOneByOne(ready, { count: healthy, recipient: HEALTHY, message })
  const { p95, words } = await waitsOf(sent, arrived)
  judge(`${healthy} messages behind ${tarpitted} for a tarpit`, p95 <= P95_MS, words)
  judge(
    'the tarpit',
    tarpit.most > 0 && tarpit.most <= OUTBOUND_CONNECTIONS_PER_HOST,
    `${tarpit.most} connections at most (${OUTBOUND_CONNECTIONS_PER_HOST} are allowed), ${tarpit.messages} messages`,
  )
  await stop('SIGKILL')
}

async function underDeferred(): Promise<void> {
  const [empty, full] = [await setUp(), await setUp()]
  await fillQueue({
    ...full,
    messages: Math.ceil(deferred / RECIPIENTS),
    message: (i) => Buffer.from(text(full.mailbox.address, `later${i}@example.test`, 'x@later.test')),
    recipients: (i) => Array.from({ length: RECIPIENTS }, (_, at) => `x@d${i * RECIPIENTS + at}.test`),
  })
  const rows = await deferAll(full.data)
  const measured: [EnqueueFigures[], EnqueueFigures[]] = [[], []]
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    // The order alternates, so that drift affects both.
    for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const filling = which === 0 ? empty : full
      const message = (i: number) =>
        Buffer.from(text(filling.mailbox.address, `m${round}.${i}@example.test`, 'x@out.test'))
      const figures = await enqueueFigures({
        ...filling,
        messages: MEASURED,
        message,
        recipients: () => ['x@out.test'],
      })
      if (round > 0) measured[which]!.push(figures)
    }
  }
  const median = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1]!
  const [without, beside] = measured.map((all) => ({
    cpu: median(all.map(({ cpu }) => cpu)),
    rate: median(all.map(({ rate }) => rate)),
  })) as [EnqueueFigures, EnqueueFigures]
  // At the same CPU the rate falls by this part.
  const fall = 1 - without.cpu / beside.cpu
  judge(
    `queueing with ${rows} rows deferred`,
    fall < FALL_MAX,
    `${beside.cpu.toFixed(0)} us of CPU a message, ${without.cpu.toFixed(0)} without: ${(fall * 100).toFixed(1)} % fewer messages; ${beside.rate.toFixed(0)} messages/s, ${without.rate.toFixed(0)} without`,
  )
}
