/**
 * The life of a meeting over REST alone, against the program itself: invitations to people elsewhere, their answers by mail, changes and the
 * cancellation; and the same between two mailboxes of one server, through its own queue.
 */
import t from 'tap'
import type { ApiClient } from '../../rest/client/client.ts'
import { jmapCalls, restClient } from '../support/clients.ts'
import { readInvitation, type SentInvitation } from '../support/invitations.ts'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { startPeer } from '../support/smtp-peer.ts'
import { until } from '../support/until.ts'
import { startWebhookInbox } from '../support/webhook-inbox.ts'

const BOB = 'bob@example.org'
const CARL = 'carl@example.org'

const inbox = await startWebhookInbox(t)
const peer = await startPeer(t)
const { ready } = await startPosthouse(
  t,
  temporaryFolder(t, 'data'),
  [`--outbound=smtp://127.0.0.1:${peer.port}`, '--webhook-allow-private-cidrs=127.0.0.1'],
  { NODE_EXTRA_CA_CERTS: inbox.authority },
)
const api: ApiClient = restClient(ready)
const ada = ready.mailbox

let read = 0
/** The next mail that people elsewhere get, once it is there. */
async function nextMail(): Promise<SentInvitation> {
  const { data, rcpt } = await until(() => {
    const message = peer.messages[read]
    if (!message) throw new Error('no mail has come')
    return message
  })
  read++
  const to = rcpt.map((line) => /<([^>]*)>/.exec(line)![1]!)
  return readInvitation(data, to)
}

const attendeesIn = ({ events: [event] }: SentInvitation) =>
  (event!['attendee'] ?? []).map(({ value, partstat }) => [value.replace('mailto:', ''), partstat])

t.test('an organizer invites, sees an answer, moves and cancels', async (t) => {
  const events = ['calendar.event_created', 'calendar.invitation_replied', 'calendar.event_deleted'] as const
  await api.post('/v1/webhooks', { body: { url: inbox.url, events: [...events] } })
  const made = await api.post('/v1/calendar/events', {
    body: {
      mailbox: ada.address,
      title: 'Budget',
      start: '2036-06-02T09:00',
      timezone: 'Europe/Berlin',
      duration: 'PT1H',
      attendees: [{ email: BOB, name: 'Bob' }, { email: CARL }],
    },
  })
  const path = { event_id: made.id }
  const query = { mailbox: ada.address }
  t.match((await inbox.take('calendar.event_created')).data, { calendar_event_id: made.id })

  const invitation = await nextMail()
  t.match(invitation, { to: [BOB, CARL], method: 'REQUEST', subject: /^Invitation: Budget/ })
  const [asked] = invitation.events as [SentInvitation['events'][number]]
  t.match(asked, {
    uid: [{ value: made.uid }],
    summary: [{ value: 'Budget' }],
    dtstart: [{ value: '2036-06-02T09:00:00', tzid: 'Europe/Berlin' }],
    organizer: [{ value: `mailto:${ada.address}` }],
    sequence: [{ value: '0' }],
  })
  t.same(attendeesIn(invitation).slice(1), [
    [BOB, 'NEEDS-ACTION'],
    [CARL, 'NEEDS-ACTION'],
  ])

  const sent = await api.get('/v1/messages', { query: { recipient: BOB } })
  t.match(sent.data, [{ source: 'calendar', mailbox_id: ada.id, recipients: [{ address: BOB }, { address: CARL }] }])

  const client = await SmtpClient.connect(ready.smtp.port)
  await client.command('EHLO example.org')
  const reply = [
    `From: Bob <${BOB}>`,
    `To: ${ada.address}`,
    'Subject: Accepted: Budget',
    'MIME-Version: 1.0',
    'Content-Type: text/calendar; charset=UTF-8; method=REPLY',
    '',
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Elsewhere//EN',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    `UID:${made.uid}`,
    'DTSTAMP:20360101T000000Z',
    'SEQUENCE:0',
    'DTSTART;TZID=Europe/Berlin:20360602T090000',
    `ORGANIZER:mailto:${ada.address}`,
    `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${BOB}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')
  t.match(await client.send(BOB, [ada.address], reply), /^250/)
  client.end()
  t.match((await inbox.take('calendar.invitation_replied')).data, {
    calendar_event_id: made.id,
    attendee: BOB,
    status: 'accepted',
  })
  const answered = await api.get('/v1/calendar/events/{event_id}', { path, query })
  t.match(answered.attendees, [
    { email: BOB, status: 'accepted', invitation_status: null },
    { email: CARL, status: 'needs-action', invitation_status: null },
  ])
  const [found] = await jmapCalls(ready, [['CalendarEvent/get', { accountId: ada.id, ids: [made.id] }]])
  const [event] = found.list
  t.ok(
    Object.values(event.participants).some(
      (one) => JSON.stringify(one).includes(BOB) && JSON.stringify(one).includes('"accepted"'),
    ),
    'a JMAP client sees the same',
  )

  await api.patch('/v1/calendar/events/{event_id}', {
    path,
    body: { mailbox: ada.address, start: '2036-06-02T11:00' },
  })
  const update = await nextMail()
  t.match(update, { to: [BOB, CARL], method: 'REQUEST', subject: /^Updated/ })
  t.match(update.events, [{ dtstart: [{ value: '2036-06-02T11:00:00' }], sequence: [{ value: '1' }] }])
  t.match(attendeesIn(update)[1], [BOB, 'NEEDS-ACTION'], 'the answer was to another time')

  await api.delete('/v1/calendar/events/{event_id}', { path, query })
  const cancellation = await nextMail()
  t.match(cancellation, { to: [BOB, CARL], method: 'CANCEL', subject: /^Cancel/ })
  t.match(cancellation.events, [
    { uid: [{ value: made.uid }], status: [{ value: 'CANCELLED' }], sequence: [{ value: '2' }] },
  ])
  t.match((await inbox.take('calendar.event_deleted')).data, { calendar_event_id: made.id })
})

t.test('two mailboxes of one server invite, move, answer and cancel', async (t) => {
  const eve = await api.post('/v1/mailboxes', { body: { domain_id: ready.domain.id, address: 'eve' } })
  const made = await api.post('/v1/calendar/events', {
    body: {
      mailbox: ada.address,
      title: 'Lunch',
      start: '2036-07-01T12:00',
      timezone: 'Europe/Berlin',
      attendees: [{ email: eve.address }],
    },
  })
  /** The event of this meeting in a mailbox, once it is as expected. */
  const shown = (mailbox: string, expected: object) =>
    until(async () => {
      const query = { mailbox, from: '2036-07-01T00:00:00Z', to: '2036-07-03T00:00:00Z' }
      const { data } = await api.get('/v1/calendar/events', { query })
      const event = data.find(({ uid }) => uid === made.uid)
      const differs = Object.entries(expected).filter(
        ([name, value]) => event?.[name as keyof typeof event] !== value && name !== 'answer',
      )
      const answer = (expected as { answer?: string }).answer
      const isAnswered =
        answer === undefined || event?.attendees.find(({ email }) => email === eve.address)?.status === answer
      if (!event || differs.length > 0 || !isAnswered) throw new Error(`${mailbox} has ${JSON.stringify(event)}`)
      return event
    })
  const invited = await shown(eve.address, { title: 'Lunch', answer: 'needs-action' })
  t.equal(invited.organizer?.email, ada.address)
  const path = { event_id: made.id }
  await api.patch('/v1/calendar/events/{event_id}', {
    path,
    body: { mailbox: ada.address, start: '2036-07-02T12:00' },
  })
  const moved = await shown(eve.address, { start: '2036-07-02T10:00:00.000Z' })
  t.equal(moved.id, invited.id)
  await api.post('/v1/calendar/events/{event_id}/respond', {
    path: { event_id: invited.id },
    body: { mailbox: eve.address, status: 'tentative', comment: 'Perhaps' },
  })
  t.equal((await shown(ada.address, { answer: 'tentative' })).id, made.id)
  await api.delete('/v1/calendar/events/{event_id}', { path, query: { mailbox: ada.address } })
  t.equal((await shown(eve.address, { status: 'cancelled' })).id, invited.id)
  t.equal(peer.messages.length, read, 'none of it has left the server')
})
