/**
 * Promise Q4: a queue full of mail for hosts that accept connections and never greet, and a few messages of the same mailbox for a host
 * that does. Each number of dead destinations is a separate run. Exits 1 if the few messages wait too long.
 *
 *     node scripts/crash/dead-hosts.ts [--dead 1,3,100,10000] [--recipients 100000] [--healthy 100] [--ips 250]
 *
 * --ips is the number of addresses that the dead destinations share.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Test } from 'tap'
import { startDnsServer, type Zone } from '../../spec/support/dns-server.ts'
import { startPosthouse } from '../../spec/support/posthouse.ts'
import { fillQueue } from '../bench/support/fill-queue.ts'
import { freePort } from '../bench/support/ports.ts'
import { wholeNumber } from '../whole-number.ts'
import { sendOneByOne, waitsOf } from './support/healthy-mail.ts'
import { startSink } from './support/tarpit.ts'

const { values } = parseArgs({
  options: {
    dead: { type: 'string', default: '1,3,100,10000' },
    recipients: { type: 'string', default: '100000' },
    healthy: { type: 'string', default: '100' },
    ips: { type: 'string', default: '250' },
  },
})
const [recipients, healthy, ips] = [
  wholeNumber(values, 'recipients'),
  wholeNumber(values, 'healthy'),
  wholeNumber(values, 'ips'),
]
const P95_MS = 10_000
const HEALTHY = 'x@healthy.test'
const RECIPIENTS_PER_MESSAGE = 100
const UNBOUNDED = ['--plan-limits=off']

for (const dead of values.dead.split(',').map(Number)) await run(dead)

/** Accepts connections on all addresses of 127.0.0.0/8 and sends nothing. */
async function startSilent(port: number): Promise<{ readonly open: number; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.resume()
  })
  server.listen(port, '0.0.0.0')
  await once(server, 'listening')
  return {
    get open() {
      return sockets.size
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function text(from: string, id: string, to: string): string {
  return `From: <${from}>\r\nTo: <${to}>\r\nSubject: fair\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <${id}>\r\n\r\nbody\r\n`
}

async function run(dead: number): Promise<void> {
  const ends: (() => unknown)[] = []
  const scope = { teardown: (end: () => unknown) => void ends.push(end) } as unknown as Test
  try {
    await measure(dead, scope, ends)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function measure(dead: number, scope: Test, ends: (() => unknown)[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-dead-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  const first = await startPosthouse(scope, data, UNBOUNDED)
  await first.stop()
  const { mailbox } = first.ready
  const each = Math.min(dead, RECIPIENTS_PER_MESSAGE)
  await fillQueue({
    data,
    mailbox,
    messages: Math.ceil(recipients / each),
    message: (i) => Buffer.from(text(mailbox.address, `dead${i}@example.test`, 'x@dead0.test')),
    recipients: (i) => Array.from({ length: each }, (_, at) => `x@dead${(i * each + at) % dead}.test`),
  })
  const port = await freePort()
  const silent = await startSilent(port)
  const arrived = new Map<string, number>()
  const sink = await startSink('::1', port, (id) => void arrived.set(id, performance.now()))
  ends.push(silent.stop, sink.stop)
  const zones: { [name: string]: Zone } = {
    'healthy.test': { mx: [[10, 'mx.healthy.test']] },
    'mx.healthy.test': { aaaa: ['::1'] },
  }
  for (let i = 0; i < dead; i++) {
    zones[`dead${i}.test`] = { mx: [[10, `mx.dead${i}.test`]] }
    zones[`mx.dead${i}.test`] = { a: [`127.1.0.${1 + (i % ips)}`] }
  }
  const { server: dns } = await startDnsServer(scope, zones)
  const way = ['--outbound=mx', `--mx-port=${port}`, `--dns=${dns}`]
  const { ready, stop } = await startPosthouse(scope, data, [...UNBOUNDED, ...way])
  while (silent.open === 0) await pause(100)
  const message = (id: string) => text(ready.mailbox.address, id, HEALTHY)
  const sent = await sendOneByOne(ready, { count: healthy, recipient: HEALTHY, message })
  const { p95, words } = await waitsOf(sent, arrived)
  if (!(p95 <= P95_MS)) process.exitCode = 1
  console.log(
    `${p95 <= P95_MS ? 'right' : 'WRONG'}  ${healthy} messages behind ${recipients} recipients at ${dead} dead destinations: ${words}; ${silent.open} connections to dead hosts`,
  )
  await stop('SIGKILL')
}
