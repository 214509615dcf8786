/**
 * Promise C5: reminders are sent exactly once through kill -9 of the server. Most kills come between the claim of an account and the commit
 * that sends: the server is stopped when an account is leased, and killed if it still is with reminders that are due. Exits 1 if a
 * reminder was lost or doubled, or if too few kills came there.
 *
 *     server/node scripts/crash/reminders.ts [--kills 20] [--mailboxes 20] [--seed 1] [--engine postgres]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { DATABASE } from './support/judge.ts'
import { openLook } from './support/look.ts'
import { type Addresses, freeze, type ServerProcess, setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    mailboxes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const kills = wholeNumber(values, 'kills')
const count = wholeNumber(values, 'mailboxes')
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Share of the kills that must come between claim and commit. */
const MIDDLE_SHARE = 0.75
/** Share of the kills that come at any time. */
const ANYWHERE_SHARE = 0.15
/** Milliseconds from a request to its event, and over which the events of a round are spread. */
const AHEAD_MS = 5_000
const SPREAD_MS = 4_000
/** Events of each mailbox in a round: below the limit of alerts in an hour for 30 kills. */
const EVENTS = 3
/** Looks for a lease before other work of this process. A claim is followed by its commit within milliseconds. */
const LOOKS = 500
/** Milliseconds to wait for a lease in a round, and for the last reminders. */
const ROUND_MS = 20_000
const PATIENCE_MS = 120_000

const data = mkdtempSync(join(tmpdir(), 'posthouse-reminders-'))
const [engine] = enginesIn(values.engine)
const database = engine === 'postgres' ? await freshDatabase() : null
const settings = database ? [`--database=${database.url}`] : []
const { mailbox, api_key } = await setUp(data, settings)
const look = await openLook(database?.url ?? join(data, DATABASE))
console.log(`reminders: ${kills} kills, ${count} mailboxes, seed ${values.seed}, ${engine}`)

async function call({ http }: Addresses, path: string, body: object) {
  const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${http}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the server under test
  const answer = (await response.json()) as any
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

interface Owner {
  readonly id: string
  readonly address: string
}

const owners: Owner[] = [mailbox]
/** Titles of events that were stored before their reminder was due. */
const expected = new Set<string>()
/** Those of which that is not known, because a slow machine answered late, or not. */
const uncertain = new Set<string>()

async function makeOwners(ready: Addresses): Promise<void> {
  const domainId = await domainOf(ready)
  while (owners.length < count) {
    const address = `owner${owners.length}`
    const made = await call(ready, '/api/v1/mailboxes', { domain_id: domainId, address })
    owners.push({ id: made.id, address: made.address })
  }
}

async function domainOf({ http }: Addresses): Promise<string> {
  const response = await fetch(`${http}/api/v1/domains`, { headers: { Authorization: `Bearer ${api_key}` } })
  return ((await response.json()) as { data: { id: string }[] }).data[0]!.id
}

/** Events of each mailbox, with a reminder at their start. */
async function makeEvents(ready: Addresses, round: number): Promise<void> {
  await Promise.all(
    owners
      .flatMap((owner) => Array<Owner>(EVENTS).fill(owner))
      .map(async ({ address }, number) => {
        const title = `Event ${round}.${number}.`
        const at = Math.floor((Date.now() + AHEAD_MS + random() * SPREAD_MS) / 1_000) * 1_000
        const start = new Date(at).toISOString().slice(0, 19)
        const event = { mailbox: address, title, start, timezone: 'UTC', reminders: [{ minutes_before: 0 }] }
        // A slow machine may also refuse with 503, or store what it has not answered.
        const isStored = await call(ready, '/api/v1/calendar/events', event).then(
          () => true,
          () => false,
        )
        if (isStored && Date.now() < at) expected.add(title)
        else uncertain.add(title)
      }),
  )
}

/** Accounts that a worker of the stopped server has claimed, with reminders that are due. */
function claimed(): Promise<number> {
  const now = Date.now()
  return look.count(
    `select count(*) as count from reminder_queue q where q.lease is not null and q.lease_until > ${now} and exists
      (select 1 from calendar_event_reminder r where r.account = q.account and r.due_at <= ${now} and r.settled_at < r.due_at)`,
  )
}

async function isClaimedSoon(): Promise<boolean> {
  for (let looks = 0; looks < LOOKS; looks++) if ((await claimed()) > 0) return true
  return false
}

let middle = 0
let anywhere = 0
/** Kills after a round in which no lease was seen. */
let missed = 0

async function killOnce(server: ServerProcess): Promise<void> {
  const { child } = server
  if (random() < ANYWHERE_SHARE) {
    await pause(AHEAD_MS + random() * SPREAD_MS)
    child.kill('SIGKILL')
    anywhere++
    return
  }
  for (const end = Date.now() + ROUND_MS; Date.now() < end; ) {
    if (!(await isClaimedSoon())) {
      await pause(0)
      continue
    }
    await freeze(child)
    if ((await claimed()) > 0) {
      child.kill('SIGKILL')
      middle++
      return
    }
    child.kill('SIGCONT')
  }
  child.kill('SIGKILL')
  missed++
}

/** How often each reminder came. */
async function received(ready: Addresses): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const { id } of owners) {
    const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
    const query = ['Email/query', { accountId: id, limit: 500 }, 'q']
    const ids = { resultOf: 'q', name: 'Email/query', path: '/ids' }
    const read = ['Email/get', { accountId: id, '#ids': ids, properties: ['subject'] }, 'g']
    const { methodResponses } = await call(ready, '/jmap/api', { using, methodCalls: [query, read] })
    for (const { subject } of methodResponses[1][1].list) {
      const [title = subject] = /Event \d+\.\d+\./.exec(subject) ?? []
      times.set(title, (times.get(title) ?? 0) + 1)
    }
  }
  return times
}

const begun = performance.now()
for (let round = 0; round <= kills; round++) {
  const server = startServer(data, [], settings)
  const ready = await server.ready
  if (!ready) throw new Error(`round ${round}: the server ended before it was ready`)
  if (round === 0) await makeOwners(ready)
  await makeEvents(ready, round)
  if (round < kills) {
    await killOnce(server)
    await server.exited
    continue
  }
  const end = Date.now() + PATIENCE_MS
  let times = await received(ready)
  for (; Date.now() < end && [...expected].some((title) => !times.has(title)); times = await received(ready))
    await pause(1_000)
  // A second one would come when the leases of the killed servers have ended.
  await pause(25_000)
  times = await received(ready)
  judge(times)
  server.child.kill('SIGTERM')
  await server.exited
}

function judge(times: ReadonlyMap<string, number>): void {
  const lost = [...expected].filter((title) => !times.has(title)).length
  const doubled = [...times.values()].filter((many) => many > 1).length
  const unknown = [...times.keys()].filter((title) => !expected.has(title) && !uncertain.has(title)).length
  console.log(
    `reminders: ${expected.size} due, ${lost} lost, ${doubled} doubled, ${unknown} that nobody asked for; ${uncertain.size} answered late, or not`,
  )
  console.log(
    `reminders: ${kills} kills, ${middle} of them between claim and commit, ${anywhere} at any time, ${missed} after all was sent; ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  )
  if (expected.size === 0 || lost + doubled + unknown > 0 || middle < kills * MIDDLE_SHARE) process.exitCode = 1
}

await look.close()
await database?.drop()
await stopOwnPostgres()
rmSync(data, { recursive: true, force: true })
console.log(process.exitCode === 1 ? 'reminders: FAILED' : 'reminders: ok')
