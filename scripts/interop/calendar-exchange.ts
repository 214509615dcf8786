/**
 * Invitations between a running server and a real Cyrus, by mail in both directions: Cyrus takes REQUEST, update, changes of one instance
 * and CANCEL, and its replies set the status; then Cyrus is the organizer. Each calendar that the server sends is read by Python's icalendar and
 * vobject. Prints a line for each step; exits 1 if one fails.
 *
 * Needs Debian's cyrus-imapd, cyrus-caldav, sasl2-bin, python3-icalendar and python3-vobject, and root. All traffic is on loopback.
 *
 *     server/node scripts/interop/calendar-exchange.ts [--verbose]
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { parseMessage } from '../../jmap/message/structure.ts'
import { decodeTransfer } from '../../jmap/message/transfer.ts'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { startPeer } from '../../spec/support/smtp-peer.ts'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { startCyrus, until } from './support/cyrus.ts'
import { Steps } from './support/steps.ts'

const { values } = parseArgs({ options: { verbose: { type: 'boolean', default: false } } })

// biome-ignore lint/suspicious/noExplicitAny: the answers of the API are compared with what is expected
type Answer = any

const endings: (() => unknown)[] = []
const atEnd = { teardown: (end: () => unknown) => void endings.push(end) } as never
/** What the server sends, and what Cyrus sends. */
const [relay, theirRelay] = [await startPeer(atEnd), await startPeer(atEnd)]
const posthouse = await startPosthouse(['--outbound', `smtp://127.0.0.1:${relay.port}`])
const cyrus = await startCyrus('ada', 'cyrus.test', theirRelay.port)
endings.push(
  () => posthouse.stop(),
  () => cyrus.stop(),
)
const { mailbox } = posthouse
const steps = new Steps()

async function api(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${posthouse.http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${posthouse.api_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

const own = `mailbox=${encodeURIComponent(mailbox.address)}`
const read = (id: string) => api('GET', `/calendar/events/${id}?${own}`)
const list = async (): Promise<Answer[]> =>
  (await api('GET', `/calendar/events?${own}&from=2027-01-01T00:00:00Z&to=2027-12-31T00:00:00Z`)).data

let passed = 0
/** Cyrus writes bare LF into its requests, which its log shows we refuse (promise S1). A mail server before it, as here, writes CRLF. */
async function passBack(): Promise<void> {
  const fresh = theirRelay.messages.slice(passed)
  passed += fresh.length
  for (const { mail, rcpt, data } of fresh) {
    const message = data.toString('latin1').replaceAll(/\r?\n/g, '\r\n')
    if (values.verbose) console.log(message)
    const client = await SmtpClient.connect(posthouse.smtp.port)
    const envelope = [mail.replace(/>.*/, '>'), ...rcpt.map((line) => line.replace(/>.*/, '>'))]
    await client.commands(['EHLO cyrus.test', '250'], ...envelope.map((line): [string, string] => [line, '250']), [
      'DATA',
      '354',
    ])
    client.write(Buffer.from(`${message}${message.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1'))
    const reply = await client.reply()
    if (!reply.startsWith('250')) console.log(`        the server answers Cyrus's mail with ${reply}`)
    await client.command('QUIT')
  }
}

/** What the server has sent is delivered to Cyrus, and the calendars are read by others. */
let taken = 0
async function pass(): Promise<number> {
  await passBack()
  const fresh = relay.messages.slice(taken)
  taken += fresh.length
  for (const { data, mail } of fresh) {
    const message = Buffer.from(data.toString('latin1').replaceAll(/^\.\./gm, '.'), 'latin1')
    validate(message)
    const reply = await cyrus.deliver(/<([^>]*)>/.exec(mail)?.[1] ?? '', message)
    if (values.verbose) console.log(message.toString(), reply)
  }
  return fresh.length
}

const READERS = `import sys, icalendar, vobject
text = sys.stdin.buffer.read()
calendar = icalendar.Calendar.from_ical(text)
errors = [e for c in calendar.walk() for e in c.errors]
assert not errors, errors
vobject.readOne(text.decode()).validate(raiseException=True) if b'METHOD:REPLY' not in text else vobject.readOne(text.decode())
`
let validated = 0
function validate(message: Buffer): void {
  for (const { type, bodyStart, bodyEnd, encoding } of parseMessage(message).structure.parts) {
    if (type !== 'text/calendar') continue
    const calendar = decodeTransfer(message.subarray(bodyStart, bodyEnd), encoding)
    execFileSync('/usr/bin/python3', ['-c', READERS], { input: calendar, stdio: ['pipe', 'ignore', 'inherit'] })
    validated++
  }
}

/** The object of a UID at Cyrus, unfolded, once it is as wanted. */
async function atCyrus(uid: string, isWanted: (text: string) => boolean): Promise<string> {
  let found = ''
  try {
    await until(async () => {
      await pass()
      const texts = (await cyrus.objects()).map((text) => text.replaceAll(/\r?\n[ \t]/g, ''))
      found = texts.find((text) => text.includes(`UID:${uid}`)) ?? ''
      return isWanted(found)
    })
  } catch {
    throw new Error(`Cyrus has ${found === '' ? 'nothing' : found}`)
  }
  return found
}

async function here<T>(readIt: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  let found: T | undefined
  try {
    await until(async () => {
      await pass()
      found = await readIt()
      return isWanted(found)
    })
  } catch {
    throw new Error(`the server has ${JSON.stringify(found)}`)
  }
  return found as T
}

const answerOf = (text: string, status: string) =>
  text.replace(/(ATTENDEE[^\r\n]*):mailto:ada@cyrus.test/i, (_all, head: string) => {
    const bare = head.replaceAll(/;PARTSTAT=[A-Z-]+/g, '')
    return `${bare};PARTSTAT=${status}:mailto:ada@cyrus.test`
  })
const statusOf = (event: Answer) => event.attendees.find(({ email }: Answer) => email === cyrus.address)?.status

const made = await api('POST', '/calendar/events', {
  mailbox: mailbox.address,
  title: 'Planung, wöchentlich',
  start: '2027-03-01T10:00',
  timezone: 'Europe/Berlin',
  duration: 'PT1H',
  recurrence: { frequency: 'weekly', count: 4 },
  attendees: [{ email: cyrus.address, name: 'Ada' }],
})
let object = ''
await steps.run('Cyrus takes a REQUEST', async () => {
  object = await atCyrus(made.uid, (text) => text.includes('SUMMARY:Planung') && text.includes('20270301T100000'))
})
await steps.run("Cyrus's acceptance sets the status", async () => {
  const status = await cyrus.put(made.uid, answerOf(object, 'ACCEPTED'))
  if (status >= 300) throw new Error(`Cyrus answers the PUT with ${status}`)
  await here(
    () => read(made.id),
    (event) => statusOf(event) === 'accepted',
  )
})
await steps.run('Cyrus takes an update, which asks again', async () => {
  await api('PATCH', `/calendar/events/${made.id}`, { mailbox: mailbox.address, start: '2027-03-01T12:00' })
  object = await atCyrus(made.uid, (text) => text.includes('20270301T120000'))
  if (statusOf(await read(made.id)) !== 'needs-action') throw new Error('the answer to the old time stays')
})
await steps.run('Cyrus takes the change of one instance', async () => {
  const instance = `${made.id}_20270308T120000`
  await api('PATCH', `/calendar/events/${instance}`, { mailbox: mailbox.address, start: '2027-03-08T15:00' })
  object = await atCyrus(made.uid, (text) => text.includes('20270308T150000') && text.includes('RECURRENCE-ID'))
})
await steps.run("Cyrus's refusal of one instance sets the status there", async () => {
  const [, instance = ''] =
    /(BEGIN:VEVENT\r\n(?:(?!END:VEVENT)[\s\S])*RECURRENCE-ID[\s\S]*?END:VEVENT\r\n)/.exec(
      object.slice(object.lastIndexOf('BEGIN:VEVENT')),
    ) ?? []
  if (instance === '') throw new Error(`there is no instance in ${object}`)
  const status = await cyrus.put(made.uid, object.replace(instance, answerOf(instance, 'DECLINED')))
  if (status >= 300) throw new Error(`Cyrus answers the PUT with ${status}`)
  await here(
    () => read(`${made.id}_20270308T120000`),
    (event) => statusOf(event) === 'declined',
  )
  if (statusOf(await read(made.id)) === 'declined') throw new Error('the whole series is declined')
})
await steps.run('Cyrus takes a CANCEL', async () => {
  if (object === '') throw new Error('Cyrus never had the event')
  await api('DELETE', `/calendar/events/${made.id}?${own}`)
  await atCyrus(made.uid, (text) => text === '' || text.includes('STATUS:CANCELLED'))
})

const vevent = (lines: readonly string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Test//Test//EN',
    'BEGIN:VEVENT',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const theirs = (more: readonly string[]) =>
  vevent([
    'UID:theirs-1',
    'DTSTAMP:20261101T100000Z',
    `ORGANIZER:mailto:${cyrus.address}`,
    `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${cyrus.address}`,
    `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${mailbox.address}`,
    ...more,
  ])
const theirEvent = async () => (await list()).find(({ uid }) => uid === 'theirs-1') ?? null
const mine = (event: Answer) => event?.attendees.find(({ email }: Answer) => email === mailbox.address)?.status

await steps.run("Cyrus's REQUEST makes an event that waits for an answer", async () => {
  await cyrus.put('theirs-1', theirs(['DTSTART:20270401T100000Z', 'DTEND:20270401T110000Z', 'SUMMARY:Theirs']))
  const event = await here(theirEvent, (found) => found !== null)
  if (event.title !== 'Theirs' || event.start !== '2027-04-01T10:00:00.000Z' || mine(event) !== 'needs-action')
    throw new Error(JSON.stringify(event))
})
await steps.run('our answer sets the status at Cyrus', async () => {
  const { id } = await theirEvent()
  await api('POST', `/calendar/events/${id}/respond`, {
    mailbox: mailbox.address,
    status: 'tentative',
    comment: 'Perhaps',
  })
  await atCyrus('theirs-1', (text) =>
    new RegExp(`ATTENDEE[^\r\n]*PARTSTAT=TENTATIVE[^\r\n]*${mailbox.address}`, 'i').test(text),
  )
})
await steps.run("Cyrus's update changes the event and asks again", async () => {
  const text = await atCyrus('theirs-1', (found) => found !== '')
  const moved = text
    .replace(/DTSTART[^\r\n]*/, 'DTSTART:20270402T100000Z')
    .replace(/DTEND[^\r\n]*/, 'DTEND:20270402T110000Z')
  await cyrus.put('theirs-1', moved)
  const event = await here(theirEvent, (found) => found?.start === '2027-04-02T10:00:00.000Z')
  if (mine(event) !== 'needs-action') throw new Error(`the status is ${mine(event)}`)
})
await steps.run("Cyrus's CANCEL cancels the event", async () => {
  await cyrus.remove('theirs-1')
  await here(theirEvent, (event) => event?.status === 'cancelled')
})

console.log(`\n${validated} calendars of ours were read by icalendar and vobject; ${steps.failures} steps failed`)
for (const end of endings.toReversed()) await end()
process.exit(steps.failures > 0 ? 1 : 0)
