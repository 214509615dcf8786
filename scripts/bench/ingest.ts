/**
 * Messages accepted durably per second, 5 kB each: the whole server (stored, parsed, threaded, logged, indexed), with and without the
 * sender checks, compared with the bare smtp-server that discards (the upper bound of our stack), with Postfix delivering to a Maildir
 * if it is installed (Debian: postfix), and with Haraka writing to its queue on disk if HARAKA names the folder of its package. All run
 * alternately. One line per figure; CPU is that of the server's processes per message. `Not checked`: no DNS query is sent and no
 * signature is verified; recipients, spam score by content, rules and search work as always.
 *
 *     [HARAKA=…/node_modules/Haraka] node scripts/bench/ingest.ts [--messages 6000] [--rounds 3] [--connections 1,10,50] [--settled]
 *
 * `--settled` also prints the rate until all messages are in the search index, or in the Maildir.
 */
import { parseArgs } from 'node:util'
import { startBound, startHarakaTarget, startOurs, startPostfixTarget, type Target } from './support/ingest-targets.ts'
import { benchMessage } from './support/messages.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '6000' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '1,10,50' },
    settled: { type: 'boolean', default: false },
  },
})
const total = Number(values.messages)
const rounds = Number(values.rounds)

interface Figure {
  readonly rate: number
  /** Microseconds of CPU per message. */
  readonly cpu: number
  /** Messages per second, until all are also indexed or delivered. */
  readonly settled: number
}

let sent = 0

async function measure(target: Target, connections: number, messages: number): Promise<Figure> {
  const offset = sent
  sent += messages
  const before = target.cpuMs()
  const load = { ...target, host: '127.0.0.1', connections, messages }
  const seconds = await sendLoad({ ...load, message: (index: number) => benchMessage(offset + index) })
  const start = performance.now()
  await target.settled(messages)
  const rest = (performance.now() - start) / 1000
  const cpu = ((target.cpuMs() - before) / messages) * 1000
  return { rate: messages / seconds, cpu, settled: messages / (seconds + rest) }
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

const targets = [
  await startBound(),
  await startOurs('posthouse, senders checked', true),
  await startOurs('posthouse, senders not checked', false),
  ...(await startPostfixTarget()),
  ...(await startHarakaTarget()),
]
for (const target of targets) await measure(target, 10, 500)
for (const connections of values.connections.split(',').map(Number)) {
  const messages = connections === 1 ? Math.ceil(total / 4) : total
  const figures = new Map<Target, Figure[]>(targets.map((target) => [target, []]))
  for (let round = 0; round < rounds; round++)
    for (const target of targets) figures.get(target)!.push(await measure(target, connections, messages))
  const rates = new Map(targets.map((target) => [target, median(figures.get(target)!.map(target.final))]))
  console.log(`${connections} connections`)
  for (const target of targets) {
    const cpu = median(figures.get(target)!.map((figure) => figure.cpu))
    const beside = targets
      .filter((other) => other.isPeer && !target.isPeer)
      .map((other) => `${(rates.get(target)! / rates.get(other)!).toFixed(2)} times ${other.name}`)
    const settled = median(figures.get(target)!.map((figure) => figure.settled))
    if (values.settled) beside.push(`${settled.toFixed(0)}/s settled`)
    console.log(
      `  ${target.name}: ${rates.get(target)!.toFixed(0)}/s, ${cpu.toFixed(0)} us CPU each${beside.map((text) => `, ${text}`).join('')}`,
    )
  }
}
for (const target of targets) await target.stop()
