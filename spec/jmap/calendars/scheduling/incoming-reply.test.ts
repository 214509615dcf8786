import t from 'tap'
import { startCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { eventsIn } from '../../delivery/support.ts'
import { calendarOf } from '../support.ts'
import { eventsOf, type Lines, participant, send, vcalendar, vevent } from './support.ts'

const BOB = 'bob@example.org'
const EVE = 'eve@example.org'

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  let made = 0
  /** A mailbox with an event to which Bob is invited. */
  const organizer = async (more: object = {}) => {
    const mailbox = await core.mailbox(`hello${++made}`)
    const person = (address: string, role: { readonly [role: string]: true }) => ({
      '@type': 'Participant',
      calendarAddress: `mailto:${address}`,
      roles: role,
    })
    const event = {
      calendarIds: { [await calendarOf(mailbox)]: true },
      uid: 'own-1',
      title: 'Lunch',
      start: '2026-03-02T10:00:00',
      duration: 'PT1H',
      timeZone: 'Europe/Berlin',
      participants: {
        me: { ...person(mailbox.address, { owner: true, attendee: true }), participationStatus: 'accepted' },
        bob: { ...person(BOB, { attendee: true }), participationStatus: 'needs-action' },
      },
      ...more,
    }
    const { created } = await mailbox.call('CalendarEvent/set', { create: { e: event } })
    return { mailbox, id: created.e.id as string }
  }
  const reply = (mailbox: TestMailbox, status: string, lines: Lines = {}, from = BOB) =>
    vcalendar(
      'REPLY',
      vevent({
        UID: 'own-1',
        ORGANIZER: `mailto:${mailbox.address}`,
        'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': null,
        [`ATTENDEE;PARTSTAT=${status}`]: `mailto:${from}`,
        ...lines,
      }),
    )
  const bobIn = async (mailbox: TestMailbox) => participant((await eventsOf(mailbox))[0], BOB)

  t.test('a reply sets the status of its sender, and is reported', async (t) => {
    const { mailbox, id } = await organizer()
    const accepted = reply(mailbox, 'ACCEPTED', { COMMENT: 'With pleasure' })
    t.same(await send(core, mailbox, accepted, { from: `Bob <${BOB}>` }), [`${BOB} has answered: accepted.`])
    const [event] = await eventsOf(mailbox)
    t.match(participant(event, BOB), {
      participationStatus: 'accepted',
      scheduleSequence: 0,
      scheduleUpdated: '2026-01-01T08:00:00Z',
      participationComment: 'With pleasure',
    })
    t.match(participant(event, mailbox.address), { participationStatus: 'accepted' })
    t.notOk(event.sequence, 'a reply is no new version of the event')
    const { list } = await mailbox.call('CalendarEventNotification/get', { ids: null })
    t.match(list, [
      { type: 'updated', calendarEventId: id, comment: 'With pleasure', changedBy: { name: 'Bob', email: BOB } },
    ])
    const reported = (await eventsIn(core)).filter(({ type }) => type === 'calendar.invitation_replied')
    t.match(reported.at(-1)?.data, {
      calendar_event_id: id,
      mailbox: mailbox.address,
      uid: 'own-1',
      title: 'Lunch',
      start: '2026-03-02T09:00:00.000Z',
      end: '2026-03-02T10:00:00.000Z',
      recurrence_id: null,
      attendee: BOB,
      status: 'accepted',
    })
    const before = reported.length
    t.match(await send(core, mailbox, accepted, { from: BOB }), [/changes nothing/], 'the same again')
    const older = reply(mailbox, 'DECLINED', { DTSTAMP: '20251231T080000Z' })
    t.match(await send(core, mailbox, older, { from: BOB }), [/changes nothing/], 'an older one that comes late')
    t.equal((await eventsIn(core)).filter(({ type }) => type === 'calendar.invitation_replied').length, before)
    await send(core, mailbox, reply(mailbox, 'DECLINED', { DTSTAMP: '20260102T080000Z' }), { from: BOB })
    t.match(await bobIn(mailbox), { participationStatus: 'declined' }, 'the control: a newer one')
  })

  t.test('nobody answers for others, or without being invited', async (t) => {
    const { mailbox, id } = await organizer()
    const { state } = await mailbox.call('CalendarEvent/get', { ids: [] })
    t.match(await send(core, mailbox, reply(mailbox, 'DECLINED'), { from: EVE }), [
      /whom it does not name as an attendee/,
    ])
    const both = reply(mailbox, 'DECLINED', { 'ATTENDEE;PARTSTAT=ACCEPTED': `mailto:${EVE}` })
    t.match(await send(core, mailbox, both, { from: EVE }), [/answers without being invited: accepted/])
    t.equal((await mailbox.call('CalendarEvent/get', { ids: [] })).state, state)
    const { list } = await mailbox.call('CalendarEventNotification/get', { ids: null })
    t.match(list, [
      { calendarEventId: id, eventPatch: {}, changedBy: { email: EVE }, comment: /without being invited/ },
    ])
    await send(core, mailbox, reply(mailbox, 'ACCEPTED'), { from: BOB })
    t.match(await bobIn(mailbox), { participationStatus: 'accepted' }, 'the control')
  })

  t.test('an event that anybody may join takes who answers (JMAP Calendars 5.1.1)', async (t) => {
    const { mailbox } = await organizer({ mayInviteSelf: true })
    await send(core, mailbox, reply(mailbox, 'ACCEPTED', {}, EVE), { from: EVE })
    t.match(participant((await eventsOf(mailbox))[0], EVE), {
      participationStatus: 'accepted',
      roles: { attendee: true },
    })
  })

  t.test('a reply to an instance sets the status there; a delegate joins', async (t) => {
    const { mailbox } = await organizer({
      recurrenceRule: { '@type': 'RecurrenceRule', frequency: 'weekly', count: 4 },
    })
    const at = { 'RECURRENCE-ID;TZID=Europe/Berlin': '20260309T100000' }
    await send(core, mailbox, reply(mailbox, 'DECLINED', at), { from: BOB })
    const [event] = await eventsOf(mailbox)
    t.match(participant(event, BOB), { participationStatus: 'needs-action' })
    t.match(event.recurrenceOverrides, {
      '2026-03-09T10:00:00': { 'participants/bob/participationStatus': 'declined' },
    })
    const reported = (await eventsIn(core)).filter(({ type }) => type === 'calendar.invitation_replied')
    t.match(reported.at(-1)?.data, { recurrence_id: '2026-03-09T10:00:00', start: '2026-03-09T09:00:00.000Z' })
    const nowhere = { 'RECURRENCE-ID;TZID=Europe/Berlin': '20260310T100000' }
    t.match(await send(core, mailbox, reply(mailbox, 'DECLINED', nowhere), { from: BOB }), [/no such instance/])
    const delegated = reply(mailbox, 'DELEGATED', {
      'ATTENDEE;PARTSTAT=DELEGATED': null,
      [`ATTENDEE;PARTSTAT=DELEGATED;DELEGATED-TO="mailto:${EVE}"`]: `mailto:${BOB}`,
      [`ATTENDEE;CN=Eve;DELEGATED-FROM="mailto:${BOB}"`]: `mailto:${EVE}`,
    })
    await send(core, mailbox, delegated, { from: BOB })
    const [later] = await eventsOf(mailbox)
    t.match(participant(later, BOB), { participationStatus: 'delegated', delegatedTo: { [`mailto:${EVE}`]: true } })
    t.match(participant(later, EVE), {
      name: 'Eve',
      participationStatus: 'needs-action',
      delegatedFrom: { [`mailto:${BOB}`]: true },
    })
    await send(core, mailbox, reply(mailbox, 'ACCEPTED', {}, EVE), { from: EVE })
    t.match(participant((await eventsOf(mailbox))[0], EVE), { participationStatus: 'accepted' }, 'and answers')
  })

  t.test(
    'a reply to an earlier time of the event has no effect; one to an earlier version of the text has',
    async (t) => {
      const { mailbox, id } = await organizer()
      await mailbox.call('CalendarEvent/set', { update: { [id]: { title: 'Long lunch' } } })
      await mailbox.call('CalendarEvent/set', { update: { [id]: { start: '2026-03-02T12:00:00' } } })
      t.match(await send(core, mailbox, reply(mailbox, 'ACCEPTED'), { from: BOB }), [/older version/])
      t.match(await bobIn(mailbox), { participationStatus: 'needs-action' })
      const now = {
        SEQUENCE: 1,
        'DTSTART;TZID=Europe/Berlin': '20260302T120000',
        'DTEND;TZID=Europe/Berlin': '20260302T130000',
      }
      await send(core, mailbox, reply(mailbox, 'ACCEPTED', now), { from: BOB })
      t.match(await bobIn(mailbox), { participationStatus: 'accepted' })
    },
  )

  t.test('COUNTER and REFRESH are shown and change nothing', async (t) => {
    const { mailbox, id } = await organizer()
    const { state } = await mailbox.call('CalendarEvent/get', { ids: [] })
    const proposal = reply(mailbox, 'TENTATIVE', { 'DTSTART;TZID=Europe/Berlin': '20260302T150000', COMMENT: 'Later?' })
    const counter = proposal.replace('METHOD:REPLY', 'METHOD:COUNTER')
    await send(core, mailbox, counter, { from: `Bob <${BOB}>` })
    await send(core, mailbox, counter, { from: `Bob <${BOB}>` })
    await send(core, mailbox, proposal.replace('METHOD:REPLY', 'METHOD:REFRESH'), { from: BOB })
    t.equal((await mailbox.call('CalendarEvent/get', { ids: [] })).state, state)
    const { list } = await mailbox.call('CalendarEventNotification/get', { ids: null })
    t.match(list, [
      { calendarEventId: id, eventPatch: {}, comment: 'Bob proposes 2026-03-02 15:00:00 (Europe/Berlin). Later?' },
      { calendarEventId: id, eventPatch: {}, comment: /asks for the current version/ },
    ])
    t.equal(list.length, 2, 'the same proposal is shown once')
  })
})
