/**
 * Promise Q1: 100 POST /v1/messages at once with one Idempotency-Key, kill -9 at a random moment, and the same again after the start.
 * Every key makes one message, and all responses name it. Exits 1 if anything is wrong.
 *
 *     node scripts/crash/idempotency.ts [--kills 100] [--parallel 100] [--seed 1]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import { type Running, startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { DATABASE } from './support/judge.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    parallel: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
})
const [kills, parallel] = [wholeNumber(values, 'kills'), wholeNumber(values, 'parallel')]
const random = randomFrom(wholeNumber(values, 'seed', 0))
const OPTIONS = ['--rate-send=0', '--rate-read=0', '--plan-limits=off']
/** Runs without a kill, to measure how long one takes. */
const WARM_UPS = 5

interface Answer {
  /** 0: the connection broke. */
  readonly status: number
  readonly id: string | null
}

const folder = mkdtempSync(join(tmpdir(), 'posthouse-idempotency-'))
let server = await startPosthouse(OPTIONS, folder)
let agent = new Agent({ keepAlive: true, maxSockets: parallel })

function post({ http, api_key: key, mailbox }: Running, name: string): Promise<Answer> {
  const body = JSON.stringify({ from: mailbox.address, to: 'jane@example.org', subject: name, text: 'Once.' })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name }
  return new Promise((resolve) => {
    const asked = request(`${http}/api/v1/messages`, { method: 'POST', agent, headers }, async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString()
        resolve({ status: response.statusCode!, id: (JSON.parse(text) as { id?: string }).id ?? null })
      } catch {
        resolve({ status: 0, id: null })
      }
    })
    asked.on('error', () => resolve({ status: 0, id: null }))
    asked.end(body)
  })
}

const many = (name: string) => Array.from({ length: parallel }, () => post(server, name))

/** Ids in the responses. */
const ids = new Map<string, Set<string>>()
const wrong: string[] = []
function note(name: string, { status, id }: Answer): void {
  const known = ids.get(name) ?? new Set()
  ids.set(name, known)
  if (status === 201) known.add(id!)
  else if (status !== 0 && status !== 409) wrong.push(`${name}: ${status}`)
}

async function settle(name: string): Promise<void> {
  for (const answer of await Promise.all(many(name))) note(name, answer)
  let answer = await post(server, name)
  while (answer.status === 409) {
    await pause(50)
    answer = await post(server, name)
  }
  note(name, answer)
  if (answer.status !== 201) wrong.push(`${name}: in the end ${answer.status}`)
}

/** Progress of requests that a kill interrupted: steps by key. */
async function stepsOf(data: string): Promise<number> {
  const dialect = openSqlite({ file: join(data, DATABASE), readOnly: true })
  try {
    const [row] = await dialect.withReader((connection) => connection.raw('select count(*) as n from idempotency_step'))
    return Number((row as { n: number }).n)
  } finally {
    await dialect.close()
  }
}

let longest = 0
for (let i = 0; i < WARM_UPS; i++) {
  const begun = performance.now()
  const first = Promise.race(
    many(`warm ${i}`).map(async (answer) => (await answer).status === 201 || new Promise(() => {})),
  )
  await first
  longest = performance.now() - begun
  await settle(`warm ${i}`)
}

const cuts = new Map<string, number>()
for (let i = 0; i < kills; i++) {
  const name = `cut ${i}`
  const answers = many(name)
  await pause(random() * longest * 1.5)
  const exited = pause(50)
  process.kill(server.pid, 'SIGKILL')
  const told = await Promise.all(answers)
  for (const answer of told) note(name, answer)
  await exited
  const steps = await stepsOf(server.data)
  const where = told.some(({ status }) => status === 201) ? 'after an answer' : `after ${steps} steps`
  cuts.set(where, (cuts.get(where) ?? 0) + 1)
  agent.destroy()
  agent = new Agent({ keepAlive: true, maxSockets: parallel })
  server = await startPosthouse(OPTIONS, folder)
  await settle(name)
}

const response = await fetch(`${server.http}/jmap/api`, {
  method: 'POST',
  headers: { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail', 'urn:ietf:params:jmap:submission'],
    methodCalls: ['Email/query', 'EmailSubmission/query'].map((method) => [
      method,
      { accountId: server.mailbox.id, calculateTotal: true, limit: 1 },
      method,
    ]),
  }),
})
const { methodResponses } = (await response.json()) as { methodResponses: [string, { total: number }][] }
const [emails, submissions] = methodResponses.map(([, { total }]) => total)
await server.stop()
agent.destroy()
rmSync(folder, { recursive: true, force: true })

const several = [...ids].filter(([, known]) => known.size !== 1).map(([name]) => name)
const expected = kills + WARM_UPS
console.log(
  `idempotency: ${kills} kills among ${parallel} requests with one key, ${JSON.stringify(Object.fromEntries(cuts))}`,
)
console.log(
  `idempotency: ${expected} keys, ${emails} emails, ${submissions} submissions, ${several.length} keys with other than one id, ${wrong.length} wrong answers ${wrong.slice(0, 5).join(', ')}`,
)
const isWhole = emails === expected && submissions === expected && ids.size === expected
process.exitCode = isWhole && several.length + wrong.length === 0 ? 0 : 1
