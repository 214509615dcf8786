/**
 * Invitations over kill -9: events whose guests do not see each other are created without a pause, and the server is killed meanwhile. Each
 * guest of each event that exists gets one mail. A second one is allowed only if the first was handed over and its 250 not read. Exits 1 if
 * anything is wrong, or if there was no kill between an event and its last mail.
 *
 *     node scripts/crash/invitations.ts [--events 400] [--guests 4] [--kills 20] [--seed 1]
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { QUEUE_CONCURRENCY } from '../../server/base/outbound-limits.ts'
import { waitingIn } from '../bench/support/fill-queue.ts'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { cuttingSink } from './support/cutting-sink.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '400' },
    guests: { type: 'string', default: '4' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
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
const folder = mkdtempSync(join(tmpdir(), 'posthouse-invitations-'))
const options = ['--outbound', `smtp://127.0.0.1:${port}`, '--plan-limits', 'off']

const first = await startPosthouse(options, folder)
const { address, password } = first.mailbox
const headers = {
  authorization: `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`,
  'content-type': 'application/json',
}
await first.stop()

/** Milliseconds from a request to the kill. */
const KILL_WITHIN_MS = 150

const nameOf = (event: number, guest: number) => `guest${guest}-of-${event}@out.test`

/** Resolves whether the event exists for certain. */
async function invite(http: string, accountId: string, calendarId: string, event: number): Promise<boolean> {
  const participants = Object.fromEntries(
    Array.from({ length: guests }, (_, i) => [
      `g${i}`,
      { calendarAddress: `mailto:${nameOf(event, i)}`, roles: { attendee: true } },
    ]),
  )
  const create = {
    e: {
      calendarIds: { [calendarId]: true },
      uid: `crash-${event}`,
      title: `Event ${event}`,
      start: '2036-06-01T09:00:00',
      timeZone: 'Europe/Berlin',
      hideAttendees: true,
      participants,
    },
  }
  try {
    const { created, notCreated } = await call(http, 'CalendarEvent/set', {
      accountId,
      create,
      sendSchedulingMessages: true,
    })
    // After an answer that was lost.
    return created?.e !== undefined || notCreated?.e?.type === 'alreadyExists'
  } catch {
    return false
  }
}

interface Answer {
  readonly created?: { readonly e?: object } | null
  readonly notCreated?: { readonly e?: { readonly type: string } } | null
  readonly list?: readonly { readonly id: string }[]
}

async function call(http: string, name: string, args: object): Promise<Answer> {
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:calendars']
  const body = JSON.stringify({ using, methodCalls: [[name, args, '0']] })
  const response = await fetch(`${http}/jmap/api`, { method: 'POST', headers, body })
  const { methodResponses } = (await response.json()) as { methodResponses: [[string, Answer]] }
  return methodResponses[0][1]
}

const { waiting: unwritten, close } = await waitingIn(first.data, ['scheduling_message'])
const { waiting: unsent, close: closeUnsent } = await waitingIn(first.data)
let made = 0
let killed = 0
/** Kills while messages of a stored event were not all written. */
let between = 0
while (made < events || (await unwritten()) + (await unsent()) > 0) {
  const server = await startPosthouse(options, folder)
  const accountId = server.mailbox.id
  const calendarId = (await call(server.http, 'Calendar/get', { accountId, ids: null })).list![0]!.id
  const isKilled = killed < kills
  const target = isKilled ? Math.floor((events * (killed + 1)) / kills) - 1 : events
  while (made < target && (await invite(server.http, accountId, calendarId, made))) made++
  if (isKilled) {
    // In the middle of an event: before its commit, or before all of its mails are written.
    const exited = once(server.child, 'exit')
    const last = invite(server.http, accountId, calendarId, made)
    await pause(random() * KILL_WITHIN_MS)
    process.kill(server.pid, 'SIGKILL')
    await exited
    if (await last) made++
    killed++
    if ((await unwritten()) > 0) between++
  } else {
    while ((await unwritten()) + (await unsent()) > 0) await pause(100)
    await server.stop()
  }
}
await Promise.all([close(), closeUnsent()])
sink.server.close()
rmSync(folder, { recursive: true, force: true })

let [lost, written, handed] = [0, 0, 0]
const ids = new Map<string, string[]>()
for (const [key, count] of sink.taken) {
  const [id = '', recipient = ''] = key.split(' ')
  ids.set(recipient, [...(ids.get(recipient) ?? []), id])
  handed += count - 1
}
for (let event = 0; event < events; event++)
  for (let guest = 0; guest < guests; guest++) {
    const mails = ids.get(nameOf(event, guest))?.length ?? 0
    if (mails === 0) lost++
    written += Math.max(0, mails - 1)
  }
const allowed = killed * QUEUE_CONCURRENCY
console.log(
  `invitations: ${events} events of ${guests} guests, ${killed} kills, ${between} of them before all mails were written: ${lost} lost, ${written} written twice, ${handed} handed over twice (at most ${allowed} could be)`,
)
process.exitCode = lost > 0 || written > 0 || handed > allowed || between === 0 || killed < kills ? 1 : 0
