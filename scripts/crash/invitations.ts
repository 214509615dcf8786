/**
 * Invitations over kill -9: events whose guests do not see each other are created without a pause, and the server is killed meanwhile. Each
 * guest of each event that exists gets one mail. A second one is allowed only where a kill cut the connection after the sink's 250, and the
 * server had not recorded it: each such cut is counted for its guest. Exits 1 if anything is wrong, or if there was no kill between an
 * event and its last mail.
 *
 *     server/node scripts/crash/invitations.ts [--events 400] [--guests 4] [--kills 20] [--seed 1] [--engine postgres]
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { cuttingSink } from './support/cutting-sink.ts'
import { callJmap } from './support/jmap-call.ts'
import { DATABASE } from './support/judge.ts'
import { openLook } from './support/look.ts'
import { setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '400' },
    guests: { type: 'string', default: '4' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const [events, guests, kills] = [
  wholeNumber(values, 'events'),
  wholeNumber(values, 'guests'),
  wholeNumber(values, 'kills', 0),
]
const random = randomFrom(wholeNumber(values, 'seed', 0))
const sink = cuttingSink(() => null)
sink.server.listen(0, '127.0.0.1')
await once(sink.server, 'listening')
const { port } = sink.server.address() as AddressInfo

const data = mkdtempSync(join(tmpdir(), 'posthouse-invitations-'))
const [engine] = enginesIn(values.engine)
const database = engine === 'postgres' ? await freshDatabase() : null
const settings = database ? [`--database=${database.url}`] : []
const { mailbox } = await setUp(data, settings)
const look = await openLook(database?.url ?? join(data, DATABASE))
const serving = [...settings, `--outbound=smtp://127.0.0.1:${port}`, '--plan-limits=off']

/** Milliseconds from a request to the kill. */
const KILL_WITHIN_MS = 150
/** Milliseconds in which the sink reads what was on its way. */
const SINK_MS = 100

const nameOf = (event: number, guest: number) => `guest${guest}-of-${event}@out.test`

interface Place {
  readonly http: string
  readonly calendarId: string
}

/** Resolves whether the event exists for certain. */
async function invite({ http, calendarId }: Place, event: number): Promise<boolean> {
  const participants = Object.fromEntries(
    Array.from({ length: guests }, (_, i) => [
      `g${i}`,
      { calendarAddress: `mailto:${nameOf(event, i)}`, roles: { attendee: true } },
    ]),
  )
  const e = {
    calendarIds: { [calendarId]: true },
    uid: `crash-${event}`,
    title: `Event ${event}`,
    start: '2036-06-01T09:00:00',
    timeZone: 'Europe/Berlin',
    hideAttendees: true,
    participants,
  }
  try {
    const args = { create: { e }, sendSchedulingMessages: true }
    const { created, notCreated } = await callJmap(http, mailbox, 'CalendarEvent/set', args)
    // After an answer that was lost.
    return created?.['e'] !== undefined || notCreated?.['e']?.type === 'alreadyExists'
  } catch {
    return false
  }
}

const unwritten = () => look.count('select count(*) as count from scheduling_message')
const waiting = () =>
  look.count('select (select count(*) from scheduling_message) + (select count(*) from outgoing) as count')
/** Recipients whose mail the server holds as not sent. */
const unsent = () =>
  look.values(
    `select r.address as value from outgoing o join submission_recipient r on r.account = o.account
      and r.submission = o.submission where r.status = 'open'`,
  )

/** How often each recipient has a 250 of the sink that the server had not recorded when it was killed. */
const unread = new Map<string, number>()
const takenBy = () => new Set([...sink.taken.keys()].map((key) => key.split(' ')[1]!))

async function countUnread(): Promise<void> {
  await pause(SINK_MS)
  const taken = takenBy()
  for (const address of await unsent()) if (taken.has(address)) unread.set(address, (unread.get(address) ?? 0) + 1)
}

let made = 0
let killed = 0
/** Kills while messages of a stored event were not all written. */
let between = 0
while (made < events || (await waiting()) > 0) {
  const server = startServer(data, [], serving)
  const ready = await server.ready
  if (!ready) throw new Error('the server ended before it was ready')
  const { list } = await callJmap(ready.http, mailbox, 'Calendar/get', { ids: null })
  const place = { http: ready.http, calendarId: list![0]!.id }
  const isKilled = killed < kills
  const target = isKilled ? Math.floor((events * (killed + 1)) / kills) - 1 : events
  while (made < target && (await invite(place, made))) made++
  if (isKilled) {
    // In the middle of an event: before its commit, or before all of its mails are written.
    const last = invite(place, made)
    await pause(random() * KILL_WITHIN_MS)
    server.child.kill('SIGKILL')
    await server.exited
    if (await last) made++
    killed++
    await countUnread()
    if ((await unwritten()) > 0) between++
  } else {
    while ((await waiting()) > 0) await pause(100)
    server.child.kill('SIGTERM')
    await server.exited
  }
}
await look.close()
await database?.drop()
await stopOwnPostgres()
sink.server.close()
rmSync(data, { recursive: true, force: true })

let [lost, written, handed, unexplained] = [0, 0, 0, 0]
const ids = new Map<string, string[]>()
for (const [key, count] of sink.taken) {
  const [id = '', recipient = ''] = key.split(' ')
  ids.set(recipient, [...(ids.get(recipient) ?? []), id])
  handed += count - 1
  unexplained += Math.max(0, count - 1 - (unread.get(recipient) ?? 0))
}
for (let event = 0; event < events; event++)
  for (let guest = 0; guest < guests; guest++) {
    const mails = ids.get(nameOf(event, guest))?.length ?? 0
    if (mails === 0) lost++
    written += Math.max(0, mails - 1)
  }
const cuts = [...unread.values()].reduce((sum, count) => sum + count, 0)
console.log(
  `invitations: ${engine}, ${events} events of ${guests} guests, ${killed} kills, ${between} of them before all mails were written: ${lost} lost, ${written} written twice, ${handed} handed over twice at ${cuts} cuts after an unread 250, ${unexplained} without such a cut`,
)
process.exitCode = lost + written + unexplained > 0 || between === 0 || killed < kills ? 1 : 0
