/**
 * Calendars of a running server at a real Radicale, which stores and checks calendar objects but sends no invitations: it takes the exported
 * file and each event by itself (CalDAV PUT, RFC 4791 5.3.2), and another mailbox that imports what it serves has the same events. Prints
 * a line for each step; exits 1 if one fails.
 *
 * Needs Debian's radicale. All traffic is on loopback.
 *
 *     server/node scripts/interop/caldav-files.ts
 */
import { isDeepStrictEqual } from 'node:util'
import { startPosthouse } from '../bench/support/posthouse.ts'
import { startRadicale } from './support/radicale.ts'
import { Steps } from './support/steps.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers of the API are compared with what is expected
type Answer = any

const posthouse = await startPosthouse(['--rate-write', '0'])
const radicale = await startRadicale()
const { http, mailbox, domain } = posthouse
const authorization = { Authorization: `Bearer ${posthouse.api_key}` }
const steps = new Steps()

async function ask(method: string, path: string, body?: string | object): Promise<string> {
  const isText = typeof body === 'string'
  const headers = { ...authorization, 'Content-Type': isText ? 'text/calendar' : 'application/json' }
  const answer = await fetch(`${http}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text
}

async function call(accountId: string, name: string, args: object): Promise<Answer> {
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:calendars']
  const answer = JSON.parse(
    await ask('POST', '/jmap/api', { using, methodCalls: [[name, { accountId, ...args }, '0']] }),
  )
  return answer.methodResponses[0][1]
}

const person = (address: string, more: object = {}) => ({
  '@type': 'Participant',
  calendarAddress: `mailto:${address}`,
  ...more,
})
const rule = (more: object) => ({ '@type': 'RecurrenceRule', ...more })
const berlin = { timeZone: 'Europe/Berlin', duration: 'PT45M' }
const EVENTS: { readonly [name: string]: object } = {
  plain: {
    title: 'Grüße; mit, Zeichen \\ und\nZeilen',
    description: 'ü'.repeat(200),
    start: '2027-03-01T10:00:00',
    ...berlin,
  },
  weekly: {
    title: 'Weekly',
    start: '2027-03-22T09:00:00',
    ...berlin,
    recurrenceRule: rule({
      frequency: 'weekly',
      byDay: [
        { '@type': 'NDay', day: 'mo' },
        { '@type': 'NDay', day: 'we' },
      ],
    }),
    recurrenceOverrides: {
      '2027-03-29T09:00:00': { start: '2027-03-30T11:00:00', title: 'Moved over the change of the clock' },
      '2027-03-31T09:00:00': { excluded: true },
      '2027-04-03T09:00:00': { title: 'One more' },
    },
  },
  counted: {
    title: 'Last Friday',
    start: '2027-01-29T09:00:00',
    timeZone: 'America/New_York',
    duration: 'P1DT2H',
    recurrenceRule: rule({ frequency: 'monthly', byDay: [{ '@type': 'NDay', day: 'fr', nthOfPeriod: -1 }], count: 5 }),
  },
  days: { title: 'Days', start: '2027-05-01T00:00:00', duration: 'P3D', showWithoutTime: true, privacy: 'private' },
  floating: { title: 'Floating', start: '2027-06-01T07:00:00', duration: 'PT1H', freeBusyStatus: 'free' },
  meeting: {
    title: 'Meeting',
    start: '2027-07-01T15:00:00',
    timeZone: 'Etc/UTC',
    duration: 'PT1H',
    status: 'tentative',
    locations: { l: { '@type': 'Location', name: 'Room 12' } },
    virtualLocations: { v: { '@type': 'VirtualLocation', uri: 'https://meet.example.com/x', name: 'Video' } },
    keywords: { work: true },
    participants: {
      me: person(mailbox.address, { roles: { owner: true }, participationStatus: 'accepted' }),
      bob: person('bob@example.org', {
        name: 'Bob; "B"',
        roles: { optional: true },
        participationStatus: 'declined',
        expectReply: true,
      }),
    },
    alerts: {
      a: { '@type': 'Alert', trigger: { '@type': 'OffsetTrigger', offset: '-PT15M' }, action: 'display' },
      e: { '@type': 'Alert', trigger: { '@type': 'AbsoluteTrigger', when: '2027-07-01T08:00:00Z' }, action: 'email' },
    },
  },
}

/** Without what belongs to the account. */
async function eventsOf(account: string): Promise<Answer[]> {
  const { list } = await call(account, 'CalendarEvent/get', { ids: null })
  return list
    .map(({ id: _id, calendarIds: _in, isOrigin: _origin, ...event }: Answer) => event)
    .sort((a: Answer, b: Answer) => (a.uid < b.uid ? -1 : 1))
}

async function otherMailbox(name: string): Promise<{ readonly id: string; readonly address: string }> {
  return JSON.parse(await ask('POST', '/api/v1/mailboxes', { domain_id: domain.id, address: name }))
}

/** The account has the same events after an import of what Radicale serves. */
async function compare(name: string, texts: readonly string[]): Promise<void> {
  const other = await otherMailbox(name)
  for (const text of texts) {
    const done = JSON.parse(await ask('POST', `/v1/calendar/ics?mailbox=${encodeURIComponent(other.address)}`, text))
    if (done.failed_count > 0 || done.created === 0) throw new Error(JSON.stringify(done))
  }
  const [wanted, found] = [await eventsOf(mailbox.id), await eventsOf(other.id)]
  for (const [at, event] of wanted.entries())
    if (!isDeepStrictEqual(found[at], event))
      throw new Error(`${JSON.stringify(event)}\nbecame ${JSON.stringify(found[at])}`)
  if (found.length !== wanted.length) throw new Error(`${found.length} of ${wanted.length} events came back`)
}

const [{ id: calendar }] = (await call(mailbox.id, 'Calendar/get', { ids: null })).list
const create = Object.fromEntries(
  Object.entries(EVENTS).map(([name, event]) => [
    name,
    { '@type': 'Event', uid: `${name}@example.test`, calendarIds: { [calendar]: true }, ...event },
  ]),
)
const { notCreated } = await call(mailbox.id, 'CalendarEvent/set', { create })
if (notCreated) throw new Error(JSON.stringify(notCreated))
const file = await ask('GET', `/v1/calendar/ics?mailbox=${encodeURIComponent(mailbox.address)}`)

await steps.run('Radicale takes an exported calendar as a whole', async () => {
  await radicale.request('PUT', '/ada/whole/', file)
  const items = await radicale.objects('/ada/whole/')
  if (items.length !== Object.keys(EVENTS).length) throw new Error(`it has ${items.length} objects`)
})
await steps.run('a mailbox that imports what it serves as one file has the same events', async () => {
  await compare('whole', [await radicale.request('GET', '/ada/whole/')])
})
await steps.run('a mailbox that imports its objects one by one has the same events', async () => {
  await compare('single', await radicale.objects('/ada/whole/'))
})
await steps.run('Radicale takes each object by itself, and an update of one', async () => {
  await radicale.request('MKCALENDAR', '/ada/single/')
  const objects = await radicale.objects('/ada/whole/')
  for (const [at, object] of objects.entries()) await radicale.request('PUT', `/ada/single/${at}.ics`, object)
  const [first = ''] = objects
  await radicale.request('PUT', '/ada/single/0.ics', first.replace(/^SUMMARY.*$/m, 'SUMMARY:Updated'))
  const served = await radicale.request('GET', '/ada/single/0.ics')
  if (!served.includes('SUMMARY:Updated')) throw new Error(served)
})
await steps.run('Radicale finds a series by a time range over a change of the clock', async () => {
  const found = await radicale.between('/ada/whole/', '20270405T065959Z', '20270405T070001Z')
  if (!found.includes('UID:weekly@example.test')) throw new Error(`it finds ${found}`)
  const none = await radicale.between('/ada/whole/', '20270331T060000Z', '20270331T080000Z')
  if (none.includes('UID:weekly@example.test')) throw new Error('it finds an instance that is excluded')
})

await radicale.stop()
await posthouse.stop()
console.log(steps.failures === 0 ? 'caldav-files: ok' : `caldav-files: ${steps.failures} FAILED`)
process.exit(steps.failures > 0 ? 1 : 0)
