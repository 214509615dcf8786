import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { deliver, placeOf } from '../../delivery/support.ts'
import { calendarOf } from '../support.ts'
import { checked, eventsOf, invitation, ORGANIZER, send, vcalendar, vevent } from './support.ts'

const core = await startCore(t)
let made = 0
async function box() {
  const mailbox = await core.mailbox(`hello${++made}`)
  return { mailbox, mine: { 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': `mailto:${mailbox.address}` } }
}
const LATER = { SEQUENCE: 1, DTSTAMP: '20260102T080000Z' }

t.test('with checks on, only DMARC or an aligned signature shows who the organizer is', async (t) => {
  const { mailbox, mine } = await box()
  const request = vcalendar('REQUEST', vevent(mine))
  for (const verdict of [checked({}), checked({ dmarc: 'fail' }), checked({ dkim: 'other' })])
    t.match(await send(core, mailbox, request, { verdict }), [/nothing shows that it is from olga@example.org/])
  t.same(await eventsOf(mailbox), [])
  t.equal((await send(core, mailbox, request, { verdict: checked({ dkim: 'aligned' }) })).length, 1)
  t.equal((await eventsOf(mailbox)).length, 1, 'the control: an aligned signature')
  const { mailbox: other, mine: others } = await box()
  await send(core, other, vcalendar('REQUEST', vevent(others)), { verdict: checked({ dmarc: 'pass' }) })
  t.equal((await eventsOf(other)).length, 1, 'the control: DMARC')
})

t.test('with checks off, the same address in From is enough', async (t) => {
  const { mailbox, mine } = await box()
  const verdict = { client: { address: '192.0.2.1', helo: 'x' } }
  await send(core, mailbox, vcalendar('REQUEST', vevent(mine)), { verdict })
  t.equal((await eventsOf(mailbox)).length, 1)
})

t.test('nobody but the organizer invites, changes or cancels (RFC 6047 2.2.1)', async (t) => {
  const { mailbox, mine } = await box()
  const eve = 'eve@example.org'
  const verdict = checked({ dmarc: 'pass' })
  const request = vcalendar('REQUEST', vevent(mine))
  t.match(await send(core, mailbox, request, { from: eve, verdict }), [/but the organizer is olga@example.org/])
  const sentBy = { ORGANIZER: null, [`ORGANIZER;SENT-BY="mailto:${eve}"`]: `mailto:${ORGANIZER}` }
  t.match(await send(core, mailbox, vcalendar('REQUEST', vevent({ ...mine, ...sentBy })), { from: eve, verdict }), [
    /organizer is/,
  ])
  t.match(
    await send(core, mailbox, request, { from: `${ORGANIZER}, ${eve}`, verdict }),
    [/does not name one author/],
    'two authors',
  )
  t.match(
    await send(core, mailbox, request, { headers: [`From: ${eve}`], verdict }),
    [/does not name one author/],
    'two fields',
  )
  t.same(await eventsOf(mailbox), [])
  await send(core, mailbox, request, { verdict })
  const takeover = vevent({ ...mine, ...LATER, ORGANIZER: `mailto:${eve}`, SUMMARY: 'Mine' })
  for (const method of ['REQUEST', 'CANCEL', 'ADD'])
    t.match(await send(core, mailbox, vcalendar(method, takeover), { from: eve, verdict }), [
      /eve@example.org does not organize the event of this UID/,
    ])
  t.match(await eventsOf(mailbox), [{ title: 'Planning', organizerCalendarAddress: `mailto:${ORGANIZER}` }])
  await send(core, mailbox, vcalendar('CANCEL', vevent({ ...mine, ...LATER, STATUS: 'CANCELLED' })), { verdict })
  t.match(await eventsOf(mailbox), [{ status: 'cancelled' }], 'the control')
})

t.test('an invitation does not take over an event of the owner, nor one of the owner as the organizer', async (t) => {
  const { mailbox, mine } = await box()
  const event = {
    calendarIds: { [await calendarOf(mailbox)]: true },
    uid: 'meeting-1@example.org',
    title: 'Private',
    start: '2026-01-01T10:00:00',
  }
  t.ok((await mailbox.call('CalendarEvent/set', { create: { e: event } })).created.e)
  t.match(await send(core, mailbox, vcalendar('REQUEST', vevent(mine))), [/does not organize the event of this UID/])
  const own = vevent({ ...mine, UID: 'other', ORGANIZER: `mailto:${mailbox.address}` })
  t.match(await send(core, mailbox, vcalendar('REQUEST', own), { from: mailbox.address }), [
    /this mailbox is the organizer/,
  ])
  t.match(await eventsOf(mailbox), [{ title: 'Private' }])
  await send(core, mailbox, vcalendar('REQUEST', vevent({ ...mine, UID: 'free' })))
  t.equal((await eventsOf(mailbox)).length, 2, 'the control: a UID that nobody has')
})

t.test('junk, published events, files without a method and invitations of others have no effect', async (t) => {
  const { mailbox, mine } = await box()
  const request = vcalendar('REQUEST', vevent(mine))
  const quarantine = 'it is spam'
  t.match(await send(core, mailbox, request, { verdict: { quarantine } }), [/the mail is junk/])
  t.match(await send(core, mailbox, vcalendar('PUBLISH', vevent(mine))), [/imported by the owner only/])
  t.same(await send(core, mailbox, vcalendar(null, vevent(mine)), { type: 'text/calendar' }), [])
  t.match(await send(core, mailbox, vcalendar('REQUEST', vevent())), [/does not invite an address of this mailbox/])
  t.match(await send(core, mailbox, vcalendar('FROBNICATE', vevent(mine))), [/the method is unknown/])
  t.same(await eventsOf(mailbox), [])
  await send(core, mailbox, request)
  t.equal((await eventsOf(mailbox)).length, 1, 'the control')
})

t.test('what is refused stays readable, and the owner can accept it', async (t) => {
  const { mailbox, mine } = await box()
  const [{ emailId }] = await deliver(
    core,
    [mailbox],
    invitation(vcalendar('REQUEST', vevent(mine)), { from: 'eve@example.org' }),
  )
  const [{ attachments }] = (await mailbox.call('Email/get', { ids: [emailId], properties: ['attachments'] })).list
  const { blobId } = attachments.find(({ type }: { type: string }) => type === 'text/calendar')
  const { parsed } = await mailbox.call('CalendarEvent/parse', { blobIds: [blobId] })
  const [event] = parsed[blobId]
  const create = { e: { ...event, calendarIds: { [await calendarOf(mailbox)]: true } } }
  t.ok((await mailbox.call('CalendarEvent/set', { create })).created.e)
  const update = vcalendar('REQUEST', vevent({ ...mine, ...LATER, SUMMARY: 'By Olga' }))
  await send(core, mailbox, update)
  t.match(await eventsOf(mailbox), [{ title: 'By Olga' }], 'the organizer updates it from then on')
})

t.test('what is no usable calendar is a line of the trace, and the mail is delivered', async (t) => {
  const { mailbox, mine } = await box()
  const many = Array.from({ length: 10_000 }, (_, n) => vevent({ ...mine, UID: `u${n}` }))
  const series = vevent({ ...mine, RRULE: 'FREQ=SECONDLY' })
  const instances = Array.from({ length: 60 }, (_, n) =>
    vevent({
      ...mine,
      'RECURRENCE-ID': `202603${String((n % 28) + 1).padStart(2, '0')}T${String(n % 24).padStart(2, '0')}0000Z`,
    }),
  )
  const deep = `${'BEGIN:VEVENT\r\n'.repeat(5_000)}${'END:VEVENT\r\n'.repeat(5_000)}`
  const cases: [string, RegExp][] = [
    [vcalendar('REQUEST', ...many), /has more than 1048576 octets/],
    [vcalendar('REQUEST', ...many.slice(0, 200)), /more than 50 instances|several events/],
    [vcalendar('REQUEST', ...instances), /more than 50 instances/],
    [vcalendar('REQUEST', deep), /cannot be read/],
    [vcalendar('REQUEST', series), /cannot be stored: recurrenceRule/],
    [vcalendar('REQUEST', vevent({ ...mine, DESCRIPTION: 'x'.repeat(300_000) })), /cannot be stored/],
    [vcalendar('REQUEST'), /has no event/],
    ['METHOD:REQUEST\r\nnothing', /cannot be read/],
    [vcalendar('REQUEST', vevent(mine), vevent({ ...mine, UID: 'two' })), /about several events/],
  ]
  for (const [calendar, expected] of cases) t.match(await send(core, mailbox, calendar), [expected], String(expected))
  t.same(await eventsOf(mailbox), [])
  t.equal((await mailbox.call('Email/query', {})).ids.length, cases.length)
})

t.test('a blob or a meeting that a message names is not one of the mailbox', async (t) => {
  const { mailbox, mine } = await box()
  const { principal, accountId } = mailbox
  const uploaded = await core.core.upload(principal, accountId, 'text/plain', Buffer.from('secret'))
  const { blobId } = uploaded as { blobId: string }
  const link = { '@type': 'Link', href: 'https://example.org/x', blobId }
  const meeting = JSON.stringify({ provider: 'jitsi', status: 'pending' }).replaceAll(/([,;])/g, '\\$1')
  const json = JSON.stringify(link).replaceAll(/([,;])/g, '\\$1')
  await send(
    core,
    mailbox,
    vcalendar('REQUEST', vevent({ ...mine, 'JSPROP;JSPTR="links/a"': json, 'JSPROP;JSPTR="conferencing"': meeting })),
  )
  const [event] = await eventsOf(mailbox)
  t.ok(event)
  t.notMatch(JSON.stringify(event), new RegExp(blobId))
  t.notOk(event.conferencing)
})

t.test('the parts of a mail are found in any form, and the same one acts once', async (t) => {
  const calendar = (mailbox: { address: string }) =>
    vcalendar(
      'REQUEST',
      vevent({ 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': `mailto:${mailbox.address}`, SUMMARY: 'Käse' }),
    )
  const part = (type: string, body: string, encoding = '8bit') =>
    `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`
  const base64 = (text: string) => Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  const latin = (text: string) => Buffer.from(text, 'latin1').toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  const forms: [string, (text: string) => string][] = [
    ['base64', (text) => part('text/calendar; method=REQUEST', base64(text), 'base64')],
    [
      'a file beside it',
      (text) =>
        part('text/calendar; method=REQUEST', text) +
        part('application/ics; name="invite.ics"', base64(text), 'base64'),
    ],
    ['a file alone', (text) => part('application/octet-stream; name="invite.ics"', base64(text), 'base64')],
    ['another charset', (text) => part('text/calendar; charset=ISO-8859-15', latin(text), 'base64')],
  ]
  for (const [name, form] of forms) {
    const { mailbox } = await box()
    const head = `From: ${ORGANIZER}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n`
    const [{ emailId }] = await deliver(core, [mailbox], `${head}${form(calendar(mailbox))}--b--\r\n`)
    const { words } = await placeOf(mailbox, emailId)
    t.same(words, [`calendar: The invitation of ${ORGANIZER} is in the calendar.`], name)
    t.match(await eventsOf(mailbox), [{ title: 'Käse' }], name)
  }
})
