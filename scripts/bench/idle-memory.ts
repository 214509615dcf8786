/**
 * Memory of a server that has nothing to do: starts one, gives it some mail and requests of each kind, waits, and prints its resident memory by
 * what it is, and the heaps of its threads. MB are 1,048,576 octets.
 *
 *     server/node scripts/bench/idle-memory.ts [--messages 200] [--operations 200] [--seconds 60] [--bound 150] [--option=...]
 *
 * --messages 0 --operations 0: a server that has only started. Exits 1 when more than the bound is resident. Pages of the program of Node itself
 * and of libraries belong to all processes that use them; they are in the sum.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { randomFrom } from '../crash/support/random.ts'
import { wholeNumber } from '../whole-number.ts'
import { benchMessage } from './support/messages.ts'
import { MEMORY_REPORT, takeReading } from './support/mixed/memory.ts'
import { MixedClient } from './support/mixed/mixed-client.ts'
import { OPERATIONS } from './support/mixed/operations.ts'
import { type Running, startPosthouse } from './support/posthouse.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '200' },
    operations: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    bound: { type: 'string', default: '150' },
    option: { type: 'string', multiple: true, default: [] },
  },
})
const messages = wholeNumber(values, 'messages', 0)
const operations = wholeNumber(values, 'operations', 0)
const bound = wholeNumber(values, 'bound')

const server = await startPosthouse(values.option, undefined, undefined, ['--import', MEMORY_REPORT])
try {
  if (messages > 0)
    await sendLoad({
      ...server.smtp,
      connections: 4,
      messages,
      recipient: server.mailbox.address,
      message: benchMessage,
    })
  await work(operations)
  await pause(wholeNumber(values, 'seconds', 0) * 1_000)
  for (const [what, mb] of byMapping(server.pid)) console.log(`${what.padEnd(40)} ${mb.toFixed(1).padStart(7)} MB`)
  const { rss, heapUsed, heapTotal, external, workers, workerHeaps } = await takeReading(server, 0)
  console.log(
    `main thread: heap ${heapUsed.toFixed(1)} of ${heapTotal.toFixed(1)} MB, external ${external.toFixed(1)} MB`,
  )
  console.log(`${workers} other threads: heaps ${workerHeaps.toFixed(1)} MB`)
  console.log(`resident ${rss.toFixed(1)} MB, at most ${bound} wanted`)
  process.exitCode = rss > bound ? 1 : 0
} finally {
  await server.stop()
}

/** Operations of each kind in turn. */
async function work(count: number): Promise<void> {
  if (count === 0) return
  const client = await MixedClient.open(server as Running, 1, randomFrom(1))
  for (let done = 0; done < count; done++) await OPERATIONS[done % OPERATIONS.length]!.run(client)
  client.close()
}

/** Resident MB by what is mapped, largest first (proc(5): smaps). */
function byMapping(pid: number): [string, number][] {
  const sums = new Map<string, number>()
  let what = ''
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const mapping = /^[\da-f]+-[\da-f]+ (\S{4}) \S+ \S+ \d+ *(.*)$/.exec(line)
    if (mapping) what = mapping[2] === '' ? `anonymous ${mapping[1]}` : mapping[2]!
    const [, size] = /^Rss: +(\d+) kB/.exec(line) ?? []
    if (size !== undefined) sums.set(what, (sums.get(what) ?? 0) + Number(size) / 1_024)
  }
  const large = [...sums].filter(([, mb]) => mb >= 0.5).sort(([, a], [, b]) => b - a)
  const rest = [...sums].filter(([, mb]) => mb < 0.5).reduce((sum, [, mb]) => sum + mb, 0)
  return [...large, ['others', rest]]
}
