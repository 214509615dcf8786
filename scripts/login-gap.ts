/**
 * Promise A2: whether the time or the text of a refused login shows that the account exists, at SMTP AUTH, JMAP and REST (which accepts
 * no passwords, and says so always), against a running server. Each login comes from its own loopback address, so that the limits on
 * guesses do not stop it. Prints medians, their gap, the p of the Mann-Whitney test, and the different responses; exits 1 if accounts
 * can be distinguished.
 *
 *     node scripts/login-gap.ts [--logins 2000]
 */
import { request } from 'node:http'
import { connect, type TLSSocket } from 'node:tls'
import { parseArgs } from 'node:util'
import { startPosthouse } from '../spec/support/posthouse.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({ options: { logins: { type: 'string', default: '2000' } } })
const logins = wholeNumber(values, 'logins')
/** Wrong passwords of one account per hour that are checked (server/base/login-limits.ts), with a margin. */
const PER_ACCOUNT = 80
const GAP_MAX = 5
const P_MIN = 0.01

interface Answered {
  readonly us: number
  readonly text: string
}

type Door = (address: string, from: string) => Promise<Answered>

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.push(end) } as never
try {
  const limits = ['--plan-limits=off', '--rate-failed-auth=0', '--rate-write=0']
  const { ready } = await startPosthouse(scope, `/tmp/posthouse-login-gap-${process.pid}`, limits)
  const accounts = Math.ceil((logins * 2) / PER_ACCOUNT)
  const known = await makeMailboxes(ready.http, ready.api_key, ready.domain, accounts)
  const doors: readonly (readonly [string, Door])[] = [
    ['SMTP AUTH', (address, from) => smtpLogin(ready.submission.tls_port, address, from)],
    ['JMAP', (address, from) => httpLogin(`${ready.http}/.well-known/jmap`, address, from)],
    ['REST', (address, from) => httpLogin(`${ready.http}/api/v1/mailboxes`, address, from)],
  ]
  let place = 0
  for (const [name, door] of doors) {
    const taken: [Answered[], Answered[]] = [[], []]
    for (let i = 0; i < logins * 2; i++) {
      // The order alternates, so that drift affects both.
      const which = (i + (i >> 1)) % 2
      const at = known[place++ % known.length]!
      const address = which === 0 ? at : at.replace(/^user/, 'none')
      taken[which]!.push(await door(address, `127.${1 + (place >> 16)}.${(place >> 8) & 255}.${1 + (place & 127)}`))
    }
    judge(name, taken)
  }
} finally {
  for (const end of ends.reverse()) await end()
}

function judge(name: string, [there, absent]: readonly [Answered[], Answered[]]): void {
  const times = [there, absent].map((all) => all.map(({ us }) => us).sort((a, b) => a - b)) as [number[], number[]]
  const [yes, no] = times.map((all) => all[all.length >> 1]!) as [number, number]
  const gap = ((yes - no) / no) * 100
  const p = mannWhitney(...times)
  const words = [there, absent].map((all) => [...new Set(all.map(({ text }) => text))].sort().join(' | '))
  const told = words[0] === words[1] ? 'same answers' : `ANSWERS DIFFER: ${words.join(' <> ')}`
  console.log(
    `login-gap: ${name}: ${yes.toFixed(0)} us, absent ${no.toFixed(0)} us, ${gap.toFixed(2)} %, p ${p.toFixed(3)}, ${told} (${words[0]})`,
  )
  const isAlike = Math.abs(gap) < GAP_MAX && p > P_MIN && words[0] === words[1]
  if (!isAlike) process.exitCode = 1
}

/** Two-sided, by the normal approximation. */
function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))]
  all.sort((x, y) => x.value - y.value)
  const ranks = all.reduce((sum, { isA }, rank) => (isA ? sum + rank + 1 : sum), 0)
  const u = ranks - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  const z = Math.abs(u - mean) / deviation
  // Abramowitz and Stegun 7.1.26
  const x = z / Math.SQRT2
  const k = 1 / (1 + 0.3275911 * x)
  const series = k * (0.254829592 + k * (-0.284496736 + k * (1.421413741 + k * (-1.453152027 + k * 1.061405429))))
  return series * Math.exp(-x * x)
}

async function makeMailboxes(http: string, key: string, domain: { id: string; name: string }, count: number) {
  const addresses: string[] = []
  const post = async (path: string, method: string, body: object) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${http}/api${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as { id: string; address: string }
  }
  for (let i = 0; i < count; i++) {
    const { id, address } = await post('/v1/mailboxes', 'POST', { domain_id: domain.id, address: `user${i}` })
    await post(`/v1/mailboxes/${id}/password`, 'PATCH', { password: 'Correct-horse-7' })
    addresses.push(address)
  }
  return addresses
}

async function smtpLogin(port: number, address: string, localAddress: string): Promise<Answered> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, rejectUnauthorized: false } as never)
  await reply(socket)
  await say(socket, 'EHLO client.test')
  const start = process.hrtime.bigint()
  const text = await say(socket, `AUTH PLAIN ${Buffer.from(`\0${address}\0Wrong-password-1`).toString('base64')}`)
  const us = Number(process.hrtime.bigint() - start) / 1000
  socket.destroy()
  return { us, text }
}

function say(socket: TLSSocket, line: string): Promise<string> {
  socket.write(`${line}\r\n`)
  return reply(socket)
}

function reply(socket: TLSSocket): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      text += chunk
      if (!/^\d{3} .*\r\n$/m.test(text)) return
      socket.off('data', take)
      resolve(text.trim())
    }
    socket.on('data', take)
    socket.once('error', reject)
  })
}

function httpLogin(url: string, address: string, localAddress: string): Promise<Answered> {
  const authorization = `Basic ${Buffer.from(`${address}:Wrong-password-1`).toString('base64')}`
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint()
    const options = { localAddress, agent: false, headers: { authorization } }
    const asked = request(url, options, (answer) => {
      let text = `${answer.statusCode} `
      answer.on('data', (chunk) => {
        text += chunk
      })
      // Each response has its own id.
      answer.on('end', () =>
        resolve({
          us: Number(process.hrtime.bigint() - start) / 1000,
          text: text.replaceAll(/req_[A-Za-z0-9]+/g, 'req_'),
        }),
      )
    })
    asked.on('error', reject)
    asked.end()
  })
}
