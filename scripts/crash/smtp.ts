/**
 * Promise S7: the server survives any client on port 25. Random sessions for the given time, lines without end, a thousand recipients,
 * and thousands of connections that send one octet in ten seconds, with a good client beside them. The memory of the server is read
 * every second: its maximum is compared with that after the good client alone. Exits 1 if anything is wrong.
 *
 *     node scripts/crash/smtp.ts [--minutes 60] [--idle 10000] [--seed 1]
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { randomFrom } from './support/random.ts'
import { randomSession } from './support/smtp-words.ts'

const MEMORY_MB = 256
/** Enough that some collections of garbage and writes to the disk are among the slowest hundredth of each figure. */
const GOOD_MESSAGES = 1_500
const LONG_LINE_BYTES = 10_000_000
const SLOW_MS = 10_000
/** The slow clients send in this many groups, one after the other. */
const SLOW_GROUPS = 200

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    idle: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
})
const idle = wholeNumber(values, 'idle')
const minutes = wholeNumber(values, 'minutes')
const random = randomFrom(wholeNumber(values, 'seed', 0))
const many = String(idle + 1_000)
const server = await startPosthouse([
  '--smtp-max-connections',
  many,
  '--smtp-max-connections-per-address',
  many,
  '--smtp-max-connections-per-network',
  many,
])
const { port } = server.smtp
const to = server.mailbox.address
let faults = 0

function judge(what: string, isRight: boolean, told: string): void {
  if (!isRight) faults++
  console.log(`${isRight ? 'right' : 'WRONG'}  ${what}: ${told}; ${memory().toFixed(0)} MB`)
}

/** Resident megabytes. */
function memory(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024
}

/** Milliseconds within which 99 of 100 messages of a good client were accepted. */
async function goodClient(): Promise<number> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO good.test')
  const times: number[] = []
  for (let i = 0; i < GOOD_MESSAGES; i++) {
    const start = performance.now()
    const answer = await client.send('good@out.test', [to], `Subject: ${i}\r\n\r\nbody`)
    if (!answer.startsWith('250')) throw new Error(`a good client was told ${answer}`)
    times.push(performance.now() - start)
  }
  client.end()
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

async function longLines(): Promise<void> {
  const clients = await Promise.all(Array.from({ length: 20 }, () => SmtpClient.connect(port)))
  for (const client of clients) client.write(Buffer.alloc(LONG_LINE_BYTES, 'x'))
  await Promise.all(clients.map((client) => client.closed()))
  judge(
    'lines of 10 MB',
    clients.every(({ log }) => /^500 /m.test(log)),
    clients[0]!.log.trim().split('\n').at(-1)!,
  )
}

async function manyRecipients(): Promise<void> {
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO many.test', '250'], ['MAIL FROM:<>', '250'])
  let taken = 0
  for (let i = 0; i < 1_000; i++)
    if ((await client.command(`RCPT TO:<${to.replace('@', `+${i}@`)}>`)).startsWith('250')) taken++
  const next = await client.command(`RCPT TO:<${to.replace('@', '+x@')}>`)
  const answer = await client.commands(['DATA', '354']).then(() => client.command('Subject: x\r\n\r\nbody\r\n.'))
  judge(
    '1,000 recipients',
    taken === 1_000 && next.startsWith('452') && answer.startsWith('250'),
    `${taken}, ${next}, ${answer}`,
  )
  client.end()
}

async function slowConnections(unloaded: number): Promise<void> {
  const sockets: Socket[] = []
  for (let i = 0; i < idle; i++) {
    const socket = connect(port, server.smtp.host)
    socket.on('error', () => {})
    socket.on('data', () => {})
    sockets.push(socket)
    if (i % 200 === 0) await pause(20)
  }
  let turn = 0
  const timer = setInterval(() => {
    for (let i = turn++ % SLOW_GROUPS; i < sockets.length; i += SLOW_GROUPS) sockets[i]!.write('N')
  }, SLOW_MS / SLOW_GROUPS)
  await pause(12_000)
  const loaded = await goodClient()
  const open = sockets.filter((socket) => !socket.destroyed).length
  judge(
    `beside ${open} slow connections`,
    open === idle && loaded <= 2 * Math.max(unloaded, 5),
    `p99 ${loaded.toFixed(1)} ms, alone ${unloaded.toFixed(1)} ms`,
  )
  clearInterval(timer)
  for (const socket of sockets) socket.destroy()
}

async function randomSessions(): Promise<void> {
  const end = Date.now() + minutes * 60_000
  let sessions = 0
  while (Date.now() < end) {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = random() < 0.3 ? await SmtpClient.open(port) : await SmtpClient.connect(port)
        for (const word of randomSession(random, to)) client.write(word)
        if (random() < 0.3) client.reset()
        else {
          client.write('\r\n.\r\nRSET\r\nQUIT\r\nQUIT\r\n')
          await Promise.race([client.closed(), pause(50)])
          client.end()
        }
        sessions++
      }),
    )
  }
  judge('random sessions', sessions > 0 && server.isAlive(), `${sessions}`)
}

// The first ones run cold code.
await goodClient()
const unloaded = await goodClient()
// Memory of a working server before any bad client.
const base = memory()
let most = base
const looking = setInterval(() => {
  most = Math.max(most, memory())
}, 1_000)
await longLines()
await manyRecipients()
await slowConnections(unloaded)
await randomSessions()
const after = await goodClient()
judge('a good client afterwards', after <= 2 * Math.max(unloaded, 5), `p99 ${after.toFixed(1)} ms`)
clearInterval(looking)
judge(
  'memory',
  most <= base + MEMORY_MB,
  `${base.toFixed(0)} MB before, ${most.toFixed(0)} MB at most, ${memory().toFixed(0)} MB after`,
)
judge('the process', server.isAlive(), server.isAlive() ? 'is the one that was started' : 'has ended')
await server.stop()
process.exit(faults > 0 ? 1 : 0)
