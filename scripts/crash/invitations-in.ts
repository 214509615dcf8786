/**
 * Invitations that arrive, over kill -9: an invitation and an update of each of many events are sent to port 25 without a pause, several at a
 * time, and the server is killed while mails are under way. A mail without a 250 is sent again, as senders do. Each event must have been made
 * once and changed once. Exits 1 if an effect was lost or came twice, or if too few kills came in the middle of a delivery.
 *
 *     server/node scripts/crash/invitations-in.ts [--events 400] [--kills 20] [--seed 1] [--engine postgres]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freshDatabase, stopOwnPostgres } from '../../spec/support/postgres.ts'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { enginesIn } from '../engine-names.ts'
import { wholeNumber } from '../whole-number.ts'
import { callJmap } from './support/jmap-call.ts'
import { DATABASE } from './support/judge.ts'
import { openLook } from './support/look.ts'
import { setUp, startServer } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '400' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
  },
})
const [events, kills] = [wholeNumber(values, 'events'), wholeNumber(values, 'kills', 0)]
const random = randomFrom(wholeNumber(values, 'seed', 0))
/** Mails under way at a time. */
const SENDERS = 6
/** Milliseconds from the first mail after a share of them to the kill, and to wait for that mail. */
const KILL_WITHIN_MS = 60
const PATIENCE_MS = 2_000
/** Share of the kills that must come while a mail is under way. */
const MIDDLE_SHARE = 0.75
/** Of JMAP: objects in one answer. */
const GET_MAX = 500

const data = mkdtempSync(join(tmpdir(), 'posthouse-invitations-in-'))
const [engine] = enginesIn(values.engine)
const database = engine === 'postgres' ? await freshDatabase() : null
const settings = database ? [`--database=${database.url}`] : []
const { mailbox } = await setUp(data, settings)
const look = await openLook(database?.url ?? join(data, DATABASE))

const ORGANIZER = 'olga@out.test'

function mailOf(event: number, sequence: number): string {
  return [
    `From: ${ORGANIZER}`,
    `To: ${mailbox.address}`,
    `Subject: Event ${event}`,
    `Message-ID: <${event}.${sequence}@out.test>`,
    'Date: Mon, 1 Jan 2035 00:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/calendar; charset=UTF-8; method=REQUEST',
    '',
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Test//Test//EN',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    `UID:crash-${event}`,
    'DTSTAMP:20350101T000000Z',
    `SEQUENCE:${sequence}`,
    `ORGANIZER:mailto:${ORGANIZER}`,
    `ATTENDEE:mailto:${mailbox.address}`,
    `DTSTART:2036060${sequence + 1}T090000Z`,
    'DURATION:PT1H',
    `SUMMARY:Version ${sequence}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')
}

let next = 0
let underWay = 0
/** Events whose sender was cut off, with the version that it was sending: the next server gets them again. */
const unfinished: Mail[] = []
let acknowledged = 0

interface Mail {
  readonly event: number
  readonly sequence: number
}

/** null: events below `limit` are all begun. */
function nextMail(limit: number): Mail | null {
  return unfinished.pop() ?? (next < limit ? { event: next++, sequence: 0 } : null)
}

/** Sends mails until the server is gone, or until all events below `limit` are sent. */
async function sendMails(port: number, limit: number): Promise<void> {
  let mail: Mail | null = null
  try {
    const client = await SmtpClient.connect(port)
    await client.command('EHLO out.test')
    for (
      mail = nextMail(limit);
      mail !== null;
      mail = mail.sequence === 0 ? { ...mail, sequence: 1 } : nextMail(limit)
    ) {
      underWay++
      const text = mailOf(mail.event, mail.sequence)
      const reply = await client.send(ORGANIZER, [mailbox.address], text).finally(() => underWay--)
      if (!reply.startsWith('250')) throw new Error(reply || 'the connection was cut')
      acknowledged++
    }
    client.end()
  } catch {
    if (mail) unfinished.push(mail)
  }
}

let killed = 0
/** Kills while a mail was under way. */
let middle = 0
const begun = performance.now()
for (let isDone = false; !isDone; ) {
  const server = startServer(data, [], settings)
  const ready = await server.ready
  if (!ready) throw new Error('the server ended before it was ready')
  const { port } = ready.smtp
  const isKilled = killed < kills
  const share = isKilled ? Math.floor((events * killed) / kills) : events
  await Promise.all(Array.from({ length: SENDERS }, () => sendMails(port, share)))
  if (isKilled) {
    const senders = Promise.all(Array.from({ length: SENDERS }, () => sendMails(port, events)))
    for (const end = Date.now() + PATIENCE_MS; underWay === 0 && Date.now() < end; ) await pause(0)
    await pause(random() * KILL_WITHIN_MS)
    if (underWay > 0) middle++
    server.child.kill('SIGKILL')
    await Promise.all([server.exited, senders])
    killed++
    continue
  }
  await judge(ready.http)
  isDone = true
  server.child.kill('SIGTERM')
  await server.exited
}

async function judge(http: string): Promise<void> {
  const found = new Map<string, { readonly title: string; readonly sequence: number }>()
  let total = 0
  // Ids follow from the events of UIDs, of which there may be more than one answer has.
  const { ids = [] } = (await callJmap(http, mailbox, 'CalendarEvent/query', { limit: events * 2 })) as {
    ids?: readonly string[]
  }
  for (let from = 0; from < ids.length; from += GET_MAX) {
    const args = { ids: ids.slice(from, from + GET_MAX), properties: ['uid', 'title', 'sequence'] }
    for (const { uid, title, sequence } of (await callJmap(http, mailbox, 'CalendarEvent/get', args)).list ?? []) {
      found.set(uid, { title, sequence })
      total++
    }
  }
  const counts = (type: string) =>
    look.count(`select count(*) as count from event where type = 'calendar.event_${type}'`)
  const [made, changed] = [await counts('created'), await counts('updated')]
  const lost = Array.from({ length: events }, (_, event) => found.get(`crash-${event}`)).filter(
    (event) => event?.title !== 'Version 1' || event.sequence !== 1,
  ).length
  const doubled = total - found.size + Math.abs(made - events) + Math.abs(changed - events)
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(
    `invitations in: ${engine}, ${acknowledged} mails acknowledged for ${events} events, ${killed} kills, ${middle} of them with mails under way: ${lost} effects lost, ${doubled} twice (${made} made, ${changed} changed); ${seconds} s`,
  )
  if (lost + doubled > 0 || acknowledged < 2 * events || middle < kills * MIDDLE_SHARE) process.exitCode = 1
}

await look.close()
await database?.drop()
await stopOwnPostgres()
rmSync(data, { recursive: true, force: true })
