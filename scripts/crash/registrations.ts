/**
 * Domains are bought exactly once through kill -9 of the server (decision D33). Domains are ordered at a fake of Porkbun on loopback, which
 * answers slowly, loses answers and refuses some names; the server is killed while orders are under way, and started again. A request that the kill
 * cut off is sent again. Then: no name is registered twice, no order that was answered is lost, refused ones have failed, and records are
 * written. Exits 1 otherwise, or if too few kills came while an order was between two steps.
 *
 *     node scripts/crash/registrations.ts [--kills 50] [--orders 4] [--seed 1]
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { createFakePorkbun, PORKBUN_KEYS } from '../../spec/support/fake-porkbun.ts'
import { CONTACT } from '../../spec/support/registration-contact.ts'
import { wholeNumber } from '../whole-number.ts'
import { DATABASE } from './support/judge.ts'
import { PROGRAM } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    orders: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
})
const kills = wholeNumber(values, 'kills')
const perRound = wholeNumber(values, 'orders')
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Milliseconds of one answer of the registrar at most, within which a kill comes once an order is under way, and to wait for that. */
const SLOW_MS = 60
const KILL_MS = 900
const ROUND_MS = 10_000
/** Shares of orders that the registry refuses, and of answers that are lost. */
const BROKEN_SHARE = 0.2
const LOST_SHARE = 0.15
/** Share of the kills that must come while an order is between two steps. */
const MIDDLE_SHARE = 0.8
const PATIENCE_MS = 180_000
/** Records of a domain, beside the registrar's own. */
const RECORDS_LEAST = 8
const FINAL = ['hold', 'failed']
const folder = mkdtempSync(join(tmpdir(), 'posthouse-registrations-'))
const data = join(folder, 'data')
const porkbun = createFakePorkbun()
porkbun.delay = () => pause(random() * SLOW_MS)
porkbun.server.listen(0, '127.0.0.1')
await once(porkbun.server, 'listening')
const shop = `http://127.0.0.1:${(porkbun.server.address() as AddressInfo).port}`

interface Running {
  readonly child: ChildProcess
  readonly http: string
  readonly key: string
}

async function start(): Promise<Running> {
  const child = spawn(
    PROGRAM,
    [
      ...['serve', '--dev', '--json', `--data=${data}`, '--log-level=silent', '--rate-write=0', '--rate-read=0'],
      ...['--http-port=0', '--smtp-port=0', '--submission-port=0', '--submissions-port=0'],
      ...['--registrar=porkbun', `--registrar-url=${shop}`, `--registrar-account=${PORKBUN_KEYS.apiKey}`],
      `--registrar-key=${PORKBUN_KEYS.secretKey}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const { http, api_key: key } = JSON.parse(line) as { readonly http: string; readonly api_key: string }
  return { child, http, key }
}

/** Names by the last answer to their order; null: none arrived. */
const orders = new Map<string, number | null>()

async function order({ http, key }: Running, name: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name, contact: CONTACT })
  try {
    const { status } = await fetch(`${http}/api/v1/domains/register`, { method: 'POST', headers, body })
    orders.set(name, status)
  } catch {
    orders.set(name, null)
  }
}

function newName(round: number, number: number): string {
  return `${random() < BROKEN_SHARE ? 'broken' : 'good'}-${round}-${number}.com`
}

/** Reads the database beside the server. */
function rows<T>(sql: string): T[] {
  const database = new Database(join(data, DATABASE), { readonly: true, fileMustExist: true })
  try {
    return database.prepare(sql).all() as T[]
  } finally {
    database.close()
  }
}

const steps = () =>
  rows<{ name: string; step: string }>(`select name, step from domain_work where kind = 'registration'`)
const isUnderWay = () => steps().some(({ step }) => !FINAL.includes(step))

let middle = 0
const begun = performance.now()
for (let round = 0; round < kills; round++) {
  const server = await start()
  const again = [...orders].filter(([, status]) => status === null || status >= 500).map(([name]) => name)
  const fresh = Array.from({ length: perRound }, (_, number) => newName(round, number))
  for (const name of fresh) orders.set(name, null)
  if (random() < LOST_SHARE * perRound) porkbun.faults.push({ path: '/domain/create', fault: 'lost' })
  const asked = [...again, ...fresh].map((name) => order(server, name))
  for (const end = Date.now() + ROUND_MS; Date.now() < end && !isUnderWay(); ) await pause(5)
  await pause(random() * KILL_MS)
  if (isUnderWay()) middle++
  server.child.kill('SIGKILL')
  await Promise.all([once(server.child, 'exit'), ...asked])
}
porkbun.faults.length = 0
const last = await start()
for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(1_000)) {
  const again = [...orders].filter(([, status]) => status === null || status >= 500).map(([name]) => name)
  await Promise.all(again.map((name) => order(last, name)))
  if (again.length === 0 && !isUnderWay()) break
}
await judge(last)
last.child.kill('SIGTERM')
await once(last.child, 'exit')
porkbun.server.close()
porkbun.server.closeAllConnections()
rmSync(folder, { recursive: true, force: true })

async function judge({ http, key }: Running): Promise<void> {
  const bought = porkbun.bought.map(({ name }) => name)
  const twice = bought.length - new Set(bought).size
  const statuses = await domains(http, key)
  const wanted = (name: string) => (name.startsWith('broken') ? 'registration_failed' : 'pending')
  const taken = [...orders].filter(([, status]) => status === 200 || status === 201).map(([name]) => name)
  const wrong = taken.filter((name) => statuses.get(name) !== wanted(name)).length
  const unanswered = orders.size - taken.length
  const bare = bought.filter((name) => porkbun.domains.get(name)!.records.length < RECORDS_LEAST).length
  const unsettled = steps().filter(({ step }) => !FINAL.includes(step)).length
  console.log(
    `registrations: ${orders.size} orders, ${bought.length} registered; ${twice} registered twice, ${wrong} lost or wrong, ${unanswered} not taken, ${bare} without records, ${unsettled} unsettled`,
  )
  console.log(
    `registrations: ${kills} kills, ${middle} of them while an order was between two steps; ${((performance.now() - begun) / 1_000).toFixed(0)} s`,
  )
  const isGood = [twice, wrong, unanswered, bare, unsettled].every((count) => count === 0)
  process.exitCode = isGood && middle >= kills * MIDDLE_SHARE && bought.length > 0 ? 0 : 1
}

/** Status by name. */
async function domains(http: string, key: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const url = `${http}/api/v1/domains?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
    const page = (await response.json()) as {
      readonly data: { readonly name: string; readonly status: string }[]
      readonly pagination: { readonly next_cursor: string | null }
    }
    for (const { name, status } of page.data) found.set(name, status)
    if (page.pagination.next_cursor === null) return found
    cursor = page.pagination.next_cursor
  }
}
