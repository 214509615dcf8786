import { simpleParser } from 'mailparser'
import t from 'tap'
import type { QueuedSubmission } from '../../../../jmap/mail/submission/queue-description.ts'
import type { TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { type SentInvitation, sentInvitations, writeInvitations } from '../../../support/invitations.ts'
import { startApi } from '../../../support/rest-api.ts'

const BOB = 'bob@example.org'
const CARL = 'carl@example.org'

/** What a test looks at: to whom, which method, and the first value of some properties of each event. */
function seen(sent: readonly SentInvitation[], ...names: string[]) {
  return sent.map(({ to, method, events }) => ({
    to: to.join(),
    method,
    events: events.map((event) => Object.fromEntries(names.map((name) => [name, event[name]?.[0]?.value ?? null]))),
  }))
}

function attendees({ events: [event] }: SentInvitation) {
  return (event?.['attendee'] ?? []).map(({ value, partstat = 'NEEDS-ACTION' }) => `${value.slice(7)} ${partstat}`)
}

/** Attachments beside the calendar. */
async function partsOf({ source }: SentInvitation) {
  const { attachments } = await simpleParser(source)
  return attachments.filter(({ contentType }) => !/calendar|ics/.test(contentType))
}

await forEachEngine(t, async (t, engine) => {
  const api = await startApi(t, {}, engine)
  const { ask, mailbox, core, clock } = api
  const ada = await mailbox('ada')
  const calendar = (await ada.call('Calendar/get', { ids: null })).list[0].id
  const sent = () => sentInvitations(core)
  const create = async (event: object) => {
    const made = await ask('POST', '/v1/calendar/events', {
      body: { mailbox: ada.address, title: 'Plan', start: '2026-06-01T09:00', timezone: 'Europe/Berlin', ...event },
    })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    return made.body
  }
  const change = async (id: string, event: object) => {
    const answer = await ask('PATCH', `/v1/calendar/events/${id}`, { body: { mailbox: ada.address, ...event } })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }
  const remove = (id: string, more = '') =>
    ask('DELETE', `/v1/calendar/events/${id}?mailbox=${encodeURIComponent(ada.address)}${more}`)
  const people = (...emails: string[]) => ({ attendees: emails.map((email) => ({ email })) })
  const set = (args: object, box: TestMailbox = ada) =>
    box.call('CalendarEvent/set', { sendSchedulingMessages: true, ...args })
  const stored = async (id: string) => (await ada.call('CalendarEvent/get', { ids: [id] })).list[0]

  t.test('an event with attendees is an invitation by mail (RFC 5546 3.2.2, RFC 6047)', async (t) => {
    const { id } = await create({ ...people(BOB, CARL), description: 'Über alles', location: 'Raum 1' })
    const all = await sent()
    t.same(seen(all, 'summary', 'sequence', 'dtstart', 'status'), [
      {
        to: `${BOB},${CARL}`,
        method: 'REQUEST',
        events: [{ summary: 'Plan', sequence: '0', dtstart: '2026-06-01T09:00:00', status: null }],
      },
    ])
    const [mail] = all as [SentInvitation]
    t.same(mail.types, [
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'text/html',
      'text/calendar',
      'application/ics',
    ])
    t.match(mail.source, /Content-Type: text\/calendar;(?=[^\n]*(?:\n[ \t][^\n]*)*method=REQUEST)/)
    t.match(mail.source, /text\/calendar;[^:]*charset="?utf-8/i)
    t.match(mail.from, ada.address)
    t.match(mail.subject, /^Invitation: Plan, Monday, June 1, 2026/)
    t.match(mail.text, /Plan\n.*9:00.*\nRaum 1\n\nÜber alles/s)
    t.match(mail.html, /Raum 1<br\/?>|Raum 1/)
    t.match(mail.ics, /BEGIN:VTIMEZONE\r\nTZID:Europe\/Berlin/)
    t.match(mail.events[0]!['attendee'], [
      { value: `mailto:${ada.address}`, partstat: 'ACCEPTED' },
      { rsvp: 'TRUE' },
      {},
    ])
    t.equal(mail.events[0]!['organizer']![0]!.value, `mailto:${ada.address}`)
    t.equal((await stored(id)).sequence ?? 0, 0)
    const { data } = (await ask('GET', '/v1/messages?limit=1')).body
    t.match(data, [{ source: 'calendar', status: /./ }])
    t.match((await ask('GET', `/v1/messages/${data[0].id}`)).body, {
      source: 'calendar',
      from_address: ada.address,
    })
  })

  t.test('a change of time asks all again, with a higher sequence and without answers (decision D32)', async (t) => {
    const { id } = await create(people(BOB, CARL))
    await sent()
    const key = Object.entries((await stored(id)).participants).find(
      ([, one]) => (one as { email?: string }).email === BOB,
    )![0]
    await set({
      update: { [id]: { [`participants/${key}/participationStatus`]: 'accepted' } },
      sendSchedulingMessages: false,
    })
    await change(id, { title: 'New' })
    const [renamed] = await sent()
    t.same(attendees(renamed!).slice(1), [`${BOB} ACCEPTED`, `${CARL} NEEDS-ACTION`], 'control')
    const before = (await stored(id)).sequence
    const moved = await change(id, { start: '2026-06-01T11:00' })
    t.match(moved.attendees, [{ status: 'needs-action' }, { status: 'needs-action' }])
    const [mail, ...more] = await sent()
    t.same(more, [])
    t.same(seen([mail!], 'dtstart', 'sequence'), [
      {
        to: `${BOB},${CARL}`,
        method: 'REQUEST',
        events: [{ dtstart: '2026-06-01T11:00:00', sequence: String(before + 1) }],
      },
    ])
    t.match(mail!.subject, /^Updated: New/)
    t.same(attendees(mail!).slice(1), [`${BOB} NEEDS-ACTION`, `${CARL} NEEDS-ACTION`])
    t.match(attendees(mail!)[0], / ACCEPTED$/, 'the organizer has not changed their mind')
  })

  t.test('answers are void where the time changes, and nowhere else (decision D32)', async (t) => {
    const event = {
      calendarIds: { [calendar]: true },
      title: 'Plan',
      start: '2026-06-01T09:00:00',
      timeZone: 'Europe/Berlin',
      recurrenceRule: { frequency: 'daily', count: 5 },
      participants: {
        a: { calendarAddress: `mailto:${BOB}`, roles: { attendee: true }, participationStatus: 'accepted' },
        b: { calendarAddress: `mailto:${CARL}`, roles: { attendee: true }, participationStatus: 'delegated' },
        o: { calendarAddress: `mailto:${ada.address}`, roles: { owner: true }, participationStatus: 'tentative' },
      },
      recurrenceOverrides: {
        '2026-06-02T09:00:00': { 'participants/a/participationStatus': 'declined' },
        '2026-06-03T09:00:00': { title: 'Third' },
      },
    }
    const id = (await set({ create: { e: event }, sendSchedulingMessages: false })).created.e.id
    const update = async (patch: object) =>
      (await set({ update: { [id]: patch }, sendSchedulingMessages: false })).updated[id]
    const third = 'recurrenceOverrides/2026-06-03T09:00:00'
    await update({ title: 'Other', [`${third}/title`]: 'New third' })
    t.match(
      await stored(id),
      {
        participants: event.participants,
        recurrenceOverrides: { '2026-06-02T09:00:00': event.recurrenceOverrides['2026-06-02T09:00:00'] },
      },
      'control',
    )
    await update({ [`${third}/start`]: '2026-06-03T11:00:00' })
    const moved = await stored(id)
    t.same(moved.recurrenceOverrides['2026-06-03T09:00:00'], {
      title: 'New third',
      start: '2026-06-03T11:00:00',
      'participants/a/participationStatus': 'needs-action',
      'participants/a/expectReply': true,
    })
    t.same(moved.participants, event.participants, 'the others stand')
    const told = await update({ recurrenceRule: { frequency: 'daily', count: 6 } })
    const asked = await stored(id)
    t.match(asked.participants, {
      a: { participationStatus: 'needs-action', expectReply: true },
      b: { participationStatus: 'delegated' },
      o: { participationStatus: 'tentative' },
    })
    t.same(asked.recurrenceOverrides['2026-06-02T09:00:00'], {}, 'also of an instance')
    t.same(told.participants, asked.participants, 'the client hears of it (RFC 8620 5.3)')
    await update({ duration: 'PT2H', 'participants/a/participationStatus': 'accepted' })
    t.equal((await stored(id)).participants.a.participationStatus, 'accepted', 'an answer of the same change stays')
  })

  t.test('who is added is invited, who is removed gets a CANCEL, the others get nothing', async (t) => {
    const { id } = await create(people(BOB))
    await sent()
    await change(id, people(BOB, CARL))
    t.same(seen(await sent(), 'sequence'), [{ to: CARL, method: 'REQUEST', events: [{ sequence: '1' }] }])
    await change(id, people(CARL))
    const all = await sent()
    t.same(seen(all, 'sequence', 'status'), [{ to: BOB, method: 'CANCEL', events: [{ sequence: '2', status: null }] }])
    t.same(
      attendees(all[0]!).map((one) => one.split(' ')[0]),
      [ada.address, BOB],
      'only those that it concerns',
    )
    await change(id, { title: 'Other' })
    t.same(seen(await sent(), 'summary'), [{ to: CARL, method: 'REQUEST', events: [{ summary: 'Other' }] }], 'control')
  })

  t.test('to delete or to cancel an event cancels it for all', async (t) => {
    const first = await create(people(BOB, CARL))
    await sent()
    t.equal((await remove(first.id)).status, 204)
    t.same(seen(await sent(), 'uid', 'sequence', 'status'), [
      { to: `${BOB},${CARL}`, method: 'CANCEL', events: [{ uid: first.uid, sequence: '1', status: 'CANCELLED' }] },
    ])
    const second = await create(people(BOB))
    await sent()
    await change(second.id, { status: 'cancelled' })
    t.same(seen(await sent(), 'sequence', 'status'), [
      { to: BOB, method: 'CANCEL', events: [{ sequence: '1', status: 'CANCELLED' }] },
    ])
    await remove(second.id)
    t.same(await sent(), [], 'nobody is told twice')
  })

  t.test('nobody gets mail who must not', async (t) => {
    const silent = await create({ ...people(BOB), send_invitations: false })
    await change(silent.id, { title: 'Quiet', send_invitations: false })
    await remove(silent.id, '&send_invitations=false')
    const past = await create({ ...people(BOB), start: '2025-06-01T09:00' })
    await change(past.id, { title: 'Was' })
    await remove(past.id)
    const own = await create(people(ada.address))
    await change(own.id, { start: '2026-07-01T09:00' })
    t.same(await sent(), [], 'silent, past, own')
    const someone = { calendarAddress: `mailto:${BOB}`, roles: { attendee: true } }
    const base = {
      calendarIds: { [calendar]: true },
      title: 'Draft',
      start: '2026-06-01T09:00:00',
      timeZone: 'Europe/Berlin',
    }
    const elsewhere = { calendarAddress: `mailto:${CARL}`, roles: { attendee: true }, scheduleAgent: 'client' }
    const { created } = await set({
      create: {
        draft: { ...base, isDraft: true, participants: { a: someone } },
        other: { ...base, participants: { b: elsewhere } },
      },
    })
    await set({ update: { [created.draft.id]: { title: 'Still a draft' } } })
    t.same(await sent(), [], 'a draft, and a participant whose client sends')
    await set({ update: { [created.draft.id]: { isDraft: false } } })
    t.same(seen(await sent(), 'summary'), [{ to: BOB, method: 'REQUEST', events: [{ summary: 'Still a draft' }] }])
    await set({ update: { [created.draft.id]: { alerts: { x: { trigger: { offset: '-PT5M' } } }, color: 'red' } } })
    t.same(await sent(), [], "what is the owner's alone")
    const last = await create(people(BOB))
    await change(last.id, { color: 'red', reminders: [{ minutes_before: 5 }], free_busy_status: 'free' })
    t.same(seen(await sent()), [{ to: BOB, method: 'REQUEST', events: [{}] }], 'control')
  })

  t.test('an instance is changed, removed and joined by itself (JMAP Calendars 5.9.2)', async (t) => {
    const daily = { frequency: 'daily', count: 5 }
    const { id } = await create({ ...people(BOB, CARL), recurrence: daily })
    t.same(seen(await sent(), 'rrule', 'recurrence-id'), [
      { to: `${BOB},${CARL}`, method: 'REQUEST', events: [{ rrule: 'FREQ=DAILY;COUNT=5', 'recurrence-id': null }] },
    ])
    const [second, third, fourth] = ['20260602', '20260603', '20260604'].map((day) => `${id}_${day}T090000`)
    await change(second!, { start: '2026-06-02T15:00' })
    const moved = await sent()
    t.same(seen(moved, 'recurrence-id', 'dtstart', 'rrule', 'sequence'), [
      {
        to: `${BOB},${CARL}`,
        method: 'REQUEST',
        events: [
          { 'recurrence-id': '2026-06-02T09:00:00', dtstart: '2026-06-02T15:00:00', rrule: null, sequence: '1' },
        ],
      },
    ])
    t.equal(moved[0]!.events[0]!['recurrence-id']![0]!['tzid'], 'Europe/Berlin')
    await remove(third!)
    t.same(seen(await sent(), 'recurrence-id', 'status', 'sequence'), [
      {
        to: `${BOB},${CARL}`,
        method: 'CANCEL',
        events: [{ 'recurrence-id': '2026-06-03T09:00:00', status: 'CANCELLED', sequence: '2' }],
      },
    ])
    await change(fourth!, people(BOB, 'dora@example.org'))
    t.same(seen(await sent(), 'recurrence-id', 'status'), [
      { to: CARL, method: 'CANCEL', events: [{ 'recurrence-id': '2026-06-04T09:00:00', status: null }] },
      { to: 'dora@example.org', method: 'REQUEST', events: [{ 'recurrence-id': '2026-06-04T09:00:00', status: null }] },
    ])
    await change(id, { title: 'All' })
    const all = await sent()
    t.same(seen(all, 'summary', 'recurrence-id', 'exdate'), [
      {
        to: BOB,
        method: 'REQUEST',
        events: [
          { summary: 'All', 'recurrence-id': null, exdate: '2026-06-03T09:00:00' },
          { summary: 'All', 'recurrence-id': '2026-06-02T09:00:00', exdate: null },
          { summary: 'All', 'recurrence-id': '2026-06-04T09:00:00', exdate: null },
        ],
      },
      {
        to: CARL,
        method: 'REQUEST',
        events: [
          { summary: 'All', 'recurrence-id': null, exdate: '2026-06-03T09:00:00' },
          { summary: 'All', 'recurrence-id': '2026-06-02T09:00:00', exdate: null },
        ],
      },
      {
        to: 'dora@example.org',
        method: 'REQUEST',
        events: [{ summary: 'All', 'recurrence-id': '2026-06-04T09:00:00', exdate: null }],
      },
    ])
    t.same(
      all[1]!.events[0]!['exdate']!.map(({ value }) => value),
      ['2026-06-03T09:00:00', '2026-06-04T09:00:00'],
      'the instance without Carl is none of his',
    )
  })

  t.test('an answer goes to the organizer, of the series or of an instance (RFC 5546 3.2.3)', async (t) => {
    const me = {
      calendarAddress: `mailto:${ada.address}`,
      roles: { attendee: true },
      participationStatus: 'needs-action',
    }
    const invitation = {
      calendarIds: { [calendar]: true },
      uid: 'abc@example.org',
      title: 'Theirs',
      start: '2026-06-01T09:00:00',
      timeZone: 'Europe/Berlin',
      recurrenceRule: { frequency: 'daily', count: 5 },
      sequence: 3,
      organizerCalendarAddress: `mailto:${BOB}`,
      participants: { me, you: { calendarAddress: `mailto:${CARL}`, participationStatus: 'accepted' } },
    }
    const id = (await set({ create: { e: invitation } })).created.e.id
    await set({ update: { [id]: { title: 'My note', alerts: null } } })
    t.same(await sent(), [], 'nothing was answered')
    clock.advance(60_000)
    await set({
      update: {
        [id]: {
          'participants/me/participationStatus': 'tentative',
          'participants/me/participationComment': 'Perhaps\nlate',
        },
      },
    })
    const all = await sent()
    t.same(seen(all, 'uid', 'sequence', 'comment', 'recurrence-id'), [
      {
        to: BOB,
        method: 'REPLY',
        events: [{ uid: 'abc@example.org', sequence: '3', comment: 'Perhaps\nlate', 'recurrence-id': null }],
      },
    ])
    t.same(attendees(all[0]!), [`${ada.address} TENTATIVE`], 'only who answers')
    t.match(all[0]!.subject, /^Tentative: My note/)
    t.equal((await stored(id)).sequence, 3, 'the sequence is the organizer’s')
    await set({
      update: {
        [id]: { recurrenceOverrides: { '2026-06-02T09:00:00': { 'participants/me/participationStatus': 'declined' } } },
      },
    })
    const one = await sent()
    t.same(seen(one, 'recurrence-id'), [
      { to: BOB, method: 'REPLY', events: [{ 'recurrence-id': '2026-06-02T09:00:00' }] },
    ])
    t.same(attendees(one[0]!), [`${ada.address} DECLINED`])
    await set({ destroy: [id], sendSchedulingMessages: false })
    t.same(await sent(), [], 'control')
    const again = (
      await set({ create: { e: { ...invitation, participants: { me: { ...me, participationStatus: 'accepted' } } } } })
    ).created.e.id
    t.same(attendees((await sent())[0]!), [`${ada.address} ACCEPTED`])
    await set({ destroy: [again] })
    t.same(attendees((await sent())[0]!), [`${ada.address} DECLINED`])
  })

  t.test('hidden attendees see themselves alone', async (t) => {
    const someone = (address: string) => ({ calendarAddress: `mailto:${address}`, roles: { attendee: true } })
    const event = {
      calendarIds: { [calendar]: true },
      title: 'Secret guests',
      start: '2026-06-01T09:00:00',
      timeZone: 'Europe/Berlin',
      recurrenceRule: { frequency: 'daily', count: 3 },
      recurrenceOverrides: {
        '2026-06-02T09:00:00': { 'participants/b/participationStatus': 'accepted', title: 'Two' },
      },
      participants: { a: someone(BOB), b: someone(CARL) },
    }
    const id = (await set({ create: { e: { ...event, hideAttendees: true } } })).created.e.id
    const all = await sent()
    t.same(
      seen(all, 'method').map(({ to }) => to),
      [BOB, CARL],
    )
    t.notMatch(all[0]!.ics, CARL)
    t.notMatch(all[1]!.ics, BOB)
    t.notMatch(all[0]!.source, CARL)
    t.match(all[0]!.ics, 'SUMMARY:Two')
    t.match(all[0]!.ics, `mailto:${ada.address}`, 'the organizer is known')
    await set({ destroy: [id] })
    const cancels = await sent()
    t.same(
      cancels.map(({ method, to }) => `${method} ${to}`),
      [`CANCEL ${BOB}`, `CANCEL ${CARL}`],
    )
    t.notMatch(cancels[0]!.ics, CARL)
    await set({ create: { e: event } })
    t.same(
      (await sent()).map(({ to }) => to.join()),
      [`${BOB},${CARL}`],
      'control: one mail for both',
    )
  })

  t.test('what cannot be sent by mail is refused (JMAP Calendars 5.9.2)', async (t) => {
    const event = {
      calendarIds: { [calendar]: true },
      start: '2026-06-01T09:00:00',
      participants: { a: { roles: { attendee: true }, name: 'Eve' } },
    }
    t.match((await set({ create: { e: event } })).notCreated.e, {
      type: 'noSupportedScheduleMethods',
      description: /Eve/,
    })
    t.ok((await set({ create: { e: event }, sendSchedulingMessages: false })).created.e, 'control')
  })

  t.test('a link of a video meeting stands where programs look for it (decision D21)', async (t) => {
    await create({ ...people(BOB), video_url: 'https://meet.example.com/x', title: 'Line\nbreak' })
    const [alone] = await sent()
    t.same(seen([alone!], 'conference', 'location', 'x-google-conference')[0]!.events, [
      {
        conference: 'https://meet.example.com/x',
        location: 'https://meet.example.com/x',
        'x-google-conference': 'https://meet.example.com/x',
      },
    ])
    t.match(alone!.subject, /^Invitation: Line break/)
    await create({
      ...people(BOB),
      video_url: 'https://meet.example.com/x',
      location: 'Room 1',
      description: 'Bring cake',
    })
    t.match((await sent())[0]!.events[0], {
      location: [{ value: 'Room 1' }],
      description: [{ value: 'Bring cake\n\nhttps://meet.example.com/x' }],
    })
  })

  t.test('what may not be sent is noted, and the event stays', async (t) => {
    await ask('POST', '/v1/suppressions', { body: { email_address: BOB } })
    const { id } = await create(people(BOB, CARL))
    t.same(seen(await sent()), [{ to: CARL, method: 'REQUEST', events: [{}] }])
    const statusOf = async () =>
      Object.values(
        (await stored(id)).participants as { [id: string]: { email?: string; scheduleStatus?: string[] } },
      ).map(({ email = '', scheduleStatus = null }) => [email, scheduleStatus])
    t.same(await statusOf(), [
      ['', null],
      [BOB, ['5.1']],
      [CARL, null],
    ])
    const { list } = await ada.call('CalendarEventNotification/get', { ids: null })
    t.match(list.at(-1), { calendarEventId: id, changedBy: { name: 'Posthouse' }, comment: /suppressed/ })
    await ask('DELETE', `/v1/suppressions/${encodeURIComponent(BOB)}`)
    await change(id, { title: 'Again' })
    t.equal((await sent())[0]!.to.length, 2)
    t.same(await statusOf(), [
      ['', null],
      [BOB, null],
      [CARL, null],
    ])
  })

  t.test('an invitation that comes back is noted at its attendee, until another one is sent', async (t) => {
    const { id } = await create(people(BOB, CARL))
    await writeInvitations(core)
    const [{ account, submission, lease }] = (await core.claimSubmissions('test', 10, 60_000)) as [QueuedSubmission]
    const reply = (status: 'sent' | 'refused', smtpReply: string) => ({ status, smtpReply, host: 'mx.example.org' })
    const outcomes = [
      { address: BOB, ...reply('refused', '550 5.7.1 not here') },
      { address: CARL, ...reply('sent', '250 ok') },
    ]
    await core.reportAttempts([{ account, submission, lease, outcomes, retryAt: null }])
    t.same(await sent(), [])
    const shown = async () => (await ask('GET', `/v1/calendar/events/${id}?mailbox=${ada.address}`)).body.attendees
    t.match(await shown(), [
      { email: BOB, invitation_status: 'failed' },
      { email: CARL, invitation_status: null },
    ])
    const { list } = await ada.call('CalendarEventNotification/get', { ids: null })
    t.match(list.at(-1), { calendarEventId: id, comment: /5.7.1 not here/ })
    t.equal(await core.scheduling.nextAt(), null)
    await change(id, { title: 'Again' })
    await sent()
    t.match(await shown(), [{ invitation_status: null }, { invitation_status: null }])
  })

  t.test('files of the account go with the invitation, and the calendar names them (RFC 6047 4.3)', async (t) => {
    const upload = async (text: string) =>
      (await ada.call('Blob/upload', { create: { b: { data: [{ 'data:asText': text }] } } })).created.b.id
    const [agenda, map, large] = [await upload('Agenda\r\n'), await upload('map'), await upload('x'.repeat(5_300_000))]
    const file = (blobId: string, title: string, contentType = 'text/plain') => ({ blobId, title, contentType })
    const start = {
      start: '2026-06-01T09:00:00',
      timeZone: 'Etc/UTC',
      recurrenceRule: { frequency: 'daily', count: 3 },
    }
    const participants = { b: { calendarAddress: `mailto:${BOB}`, roles: { attendee: true } } }
    const links = { a: file(agenda, 'Agenda "1".txt'), l: file(large, 'large.txt') }
    const recurrenceOverrides = { '2026-06-02T09:00:00': { 'links/m': file(map, 'the way', 'no type') } }
    const e = { calendarIds: { [calendar]: true }, ...start, participants, links, recurrenceOverrides }
    const { created } = await set({ create: { e } })
    const [mail, ...others] = (await sent()) as [SentInvitation]
    t.same(others, [])
    const parts = await partsOf(mail)
    t.same(
      parts.map(({ filename, contentType, content }) => [filename, contentType, String(content)]).sort(),
      [
        ['Agenda "1".txt', 'text/plain', 'Agenda\r\n'],
        ['the way', 'application/octet-stream', 'map'],
      ],
      'the large file stays behind',
    )
    const [series, instance] = mail.events as [SentInvitation['events'][number], SentInvitation['events'][number]]
    const cid = (name: string) => `cid:${parts.find(({ filename }) => filename === name)?.cid}`
    t.match(series['attach'], [{ value: cid('Agenda "1".txt'), fmttype: 'text/plain', size: '8' }])
    t.same(instance['attach']!.map(({ value }) => value).sort(), [cid('Agenda "1".txt'), cid('the way')].sort())
    await set({ update: { [created.e.id]: { [`links/a/title`]: 'Agenda.txt' } } })
    t.match(await partsOf((await sent())[0]!), [{ filename: 'Agenda.txt' }, { filename: 'the way' }])
    await set({ update: { [created.e.id]: { links: null, recurrenceOverrides: null } } })
    t.same(await partsOf((await sent())[0]!), [], 'the control: an event without files')
  })

  t.test('messages of a worker that dies are written by another one, each once', async (t) => {
    await create({ ...people(BOB, CARL), recurrence: { frequency: 'daily', count: 3 } })
    const [task] = await core.scheduling.claim('one', 10, 1_000)
    t.same(await core.scheduling.claim('two', 10, 1_000), [], 'it is leased')
    clock.advance(2_000)
    const [again] = await core.scheduling.claim('two', 10, 60_000)
    t.equal(again!.id, task!.id)
    await core.scheduling.send(task!)
    t.same(await core.claimSubmissions('test', 10, 1_000), [], 'the first worker has lost its lease')
    await core.scheduling.send(again!)
    await core.scheduling.send(again!)
    t.equal((await sent()).length, 1)
    t.equal(await core.scheduling.nextAt(), null)
  })
})
