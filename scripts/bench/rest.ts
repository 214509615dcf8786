/**
 * The REST API at 16 connections over a mailbox of 10,000 messages: server CPU per request, and how many messages a second
 * `POST /v1/messages` accepts durably at 50 connections; the bounds are those of the project's goals.
 *
 *     node scripts/bench/rest.ts [--messages 10000] [--requests 3000] [--only inbox] [--keep folder]
 *
 * --keep leaves the filled data folder there and uses it again.
 */
import { parseArgs } from 'node:util'
import { cpuMs } from './support/cpu.ts'
import { type HttpRequest, runLoad } from './support/http-load.ts'
import { benchMessage } from './support/messages.ts'
import { type Running, startPosthouse } from './support/posthouse.ts'
import { messageCount } from './support/read-figures.ts'
import { restFigures, sendFigures } from './support/rest-figures.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    requests: { type: 'string', default: '3000' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
})
const READING = 16
const SENDING = 50
/** The first few hundred run as cold code, on both threads. */
const WARM_UP = 800
const requests = Number(values.requests)
// Without these options the limits of requests and of sending would be measured.
const OPTIONS = ['--rate-read', '0', '--rate-send', '0', '--plan-limits', 'off', '--reputation', 'off']

async function measure(server: Running, request: HttpRequest, connections: number) {
  await runLoad(request, connections, WARM_UP)
  const before = cpuMs(server.pid)
  const { rate, p99 } = await runLoad(request, connections, requests)
  return { cpu: (cpuMs(server.pid) - before) / requests, rate, p99 }
}

const server = await startPosthouse(OPTIONS, values.keep)
const missing = Number(values.messages) - (await messageCount(server))
const recipient = server.mailbox.address
if (missing > 0)
  await sendLoad({ ...server.smtp, connections: 20, messages: missing, recipient, message: benchMessage })
for (const { name, request, bound } of await restFigures(server)) {
  if (!name.includes(values.only)) continue
  const { cpu, rate, p99 } = await measure(server, request, READING)
  const beside = bound === undefined ? '' : ` (bound ${bound})`
  console.log(`${name}: ${cpu.toFixed(3)} ms CPU, ${rate.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms${beside}`)
}
for (const { name, request } of sendFigures(server)) {
  if (!name.includes(values.only)) continue
  const { cpu, rate, p99 } = await measure(server, request, SENDING)
  console.log(`${name}: ${rate.toFixed(0)}/s (bound 1000), ${cpu.toFixed(3)} ms CPU, p99 ${p99.toFixed(0)} ms`)
}
await server.stop()
