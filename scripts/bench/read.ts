/**
 * Reads at 16 connections from accounts of several sizes: server CPU per request for each size, its bound, and the cost of a larger
 * account compared with the first. The figures of a peer (Cyrus 3.6.1 with 10,000 messages, on similar shared machines) are printed
 * beside.
 *
 *     node scripts/bench/read.ts [--messages 10000,1000000] [--requests 2000] [--only changes] [--keep folder]
 *
 * --keep leaves the filled data folders there and uses them again: sending a million messages takes several minutes.
 */

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuMs } from './support/cpu.ts'
import { runLoad } from './support/http-load.ts'
import { benchMessage } from './support/messages.ts'
import { startPosthouse } from './support/posthouse.ts'
import { type Figure, messageCount, readFigures } from './support/read-figures.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    requests: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
})
const CONNECTIONS = 16
const requests = Number(values.requests)

interface Measured {
  readonly cpu: number
  readonly rate: number
  readonly p99: number
}

async function measure({ request }: Figure, pid: number): Promise<Measured> {
  // The first few hundred run as cold code, on both threads.
  await runLoad(request, CONNECTIONS, 500)
  const before = cpuMs(pid)
  const { rate, p99 } = await runLoad(request, CONNECTIONS, requests)
  return { cpu: (cpuMs(pid) - before) / requests, rate, p99 }
}

const first = new Map<string, number>()
for (const messages of values.messages.split(',').map(Number)) {
  const server = await startPosthouse(['--rate-read', '0'], values.keep && join(values.keep, String(messages)))
  const missing = messages - (await messageCount(server))
  if (missing > 0)
    await sendLoad({
      ...server.smtp,
      connections: 20,
      messages: missing,
      recipient: server.mailbox.address,
      message: benchMessage,
    })
  console.log(`${messages} messages`)
  for (const figure of await readFigures(server)) {
    if (!figure.name.includes(values.only)) continue
    const { cpu, rate, p99 } = await measure(figure, server.pid)
    const base = first.get(figure.name)
    if (base === undefined) first.set(figure.name, cpu)
    const notes = [
      figure.bound && `bound ${figure.bound}`,
      base !== undefined && `${(cpu / base).toFixed(2)} times the first`,
      figure.peer && `Cyrus ${figure.peer}`,
    ].filter(Boolean)
    const beside = notes.length > 0 ? ` (${notes.join(', ')})` : ''
    console.log(`  ${figure.name}: ${cpu.toFixed(2)} ms CPU, ${rate.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms${beside}`)
  }
  await server.stop()
}
