import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { sentInvitations } from '../../../support/invitations.ts'
import { eventsOf, type Lines, ORGANIZER, participant, send, vcalendar, vevent } from './support.ts'

const request = (...events: string[]) => vcalendar('REQUEST', ...events)

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  let made = 0
  /** A mailbox that has accepted a meeting of five Mondays at 10. */
  const box = async (lines: Lines = {}) => {
    const mailbox = await core.mailbox(`hello${++made}`)
    const mine = { 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': `mailto:${mailbox.address}` }
    const series = { ...mine, RRULE: 'FREQ=WEEKLY;COUNT=5', ...lines }
    await send(core, mailbox, request(vevent(series)))
    const [{ id, participants }] = await eventsOf(mailbox)
    const [own] = Object.keys(participants).filter(
      (key) => participants[key].calendarAddress === `mailto:${mailbox.address}`,
    )
    const answer = (event: string, status: string, recurrenceId: string | null = null) => {
      const patch = { [`participants/${own}/participationStatus`]: status }
      const update = { [event]: recurrenceId === null ? patch : { recurrenceOverrides: { [recurrenceId]: patch } } }
      return mailbox.call('CalendarEvent/set', { update, sendSchedulingMessages: true })
    }
    await answer(id, 'accepted')
    await sentInvitations(core.core)
    /** A message about the instance of a day, at the hour of the series if nothing else is said. */
    const at = (day: string, sequence: number, lines: Lines = {}, range = ';RANGE=THISANDFUTURE') =>
      vevent({
        ...mine,
        SEQUENCE: sequence,
        DTSTAMP: `2026010${sequence + 1}T080000Z`,
        [`RECURRENCE-ID${range};TZID=Europe/Berlin`]: `${day}T100000`,
        'DTSTART;TZID=Europe/Berlin': `${day}T100000`,
        'DTEND;TZID=Europe/Berlin': `${day}T110000`,
        ...lines,
      })
    const events = async () => (await eventsOf(mailbox)).toSorted((a, b) => (a.start < b.start ? -1 : 1))
    const starts = async (after = '2026-01-01T00:00:00', before = '2027-01-01T00:00:00') => {
      const { ids } = await mailbox.call('CalendarEvent/query', { filter: { after, before }, expandRecurrences: true })
      const { list } = await mailbox.call('CalendarEvent/get', { ids, properties: ['start', 'title', 'status'] })
      return list
        .map(({ start, title, status }: { start: string; title: string; status?: string }) =>
          [start.slice(5, 13), title, ...(status === 'cancelled' ? [status] : [])].join(' '),
        )
        .sort()
    }
    return { mailbox, mine, at, answer, events, starts, id, address: mailbox.address }
  }
  const hour = (day: string, from: string, to: string) => ({
    'DTSTART;TZID=Europe/Berlin': `${day}T${from}0000`,
    'DTEND;TZID=Europe/Berlin': `${day}T${to}0000`,
  })

  t.test('a change of an instance and all that follow reaches all of them, and no earlier one', async (t) => {
    const { mailbox, at, starts, events, address } = await box()
    const trace = await send(
      core,
      mailbox,
      request(at('20260316', 1, { ...hour('20260316', '14', '15'), SUMMARY: 'New' })),
    )
    t.same(trace, [`The event of ${ORGANIZER} is updated from the instance 2026-03-16T10:00:00 on.`])
    t.same(await starts(), ['03-02T10 Planning', '03-09T10 Planning', '03-16T14 New', '03-23T14 New', '03-30T14 New'])
    const [first, rest] = await events()
    t.match(participant(first, address), { participationStatus: 'accepted' })
    t.match(participant(rest, address), { participationStatus: 'needs-action' }, 'decision D32: another time')
    t.same(rest.calendarIds, first.calendarIds)
  })

  t.test('without another time the answer stays, and an older message changes nothing', async (t) => {
    const { mailbox, at, starts, events, address, id } = await box()
    await mailbox.call('CalendarEvent/set', { update: { [id]: { privacy: 'secret' } } })
    await send(core, mailbox, request(at('20260316', 2, { SUMMARY: 'New', CLASS: 'PUBLIC' })))
    const [, rest] = await events()
    t.match(participant(rest, address), { participationStatus: 'accepted' })
    t.equal(rest.privacy, 'secret', 'JMAP Calendars 5.9: nor does the privacy that the owner has given')
    const older = await send(core, mailbox, request(at('20260316', 1, { SUMMARY: 'Old' })))
    t.match(older, [/as new, or newer/])
    t.same((await starts()).slice(2), ['03-16T10 New', '03-23T10 New', '03-30T10 New'])
  })

  t.test('later messages name instances by the recurrence ids that they had first', async (t) => {
    const { mailbox, at, starts } = await box()
    await send(core, mailbox, request(at('20260316', 1, { ...hour('20260316', '14', '15'), SUMMARY: 'New' })))
    await send(core, mailbox, request(at('20260323', 2, { ...hour('20260324', '16', '17'), SUMMARY: 'Once' }, '')))
    t.same((await starts()).slice(2), ['03-16T14 New', '03-24T16 Once', '03-30T14 New'])
    const none = { 'DTSTART;TZID=Europe/Berlin': null, 'DTEND;TZID=Europe/Berlin': null, STATUS: 'CANCELLED' }
    await send(core, mailbox, vcalendar('CANCEL', at('20260330', 3, none, '')))
    t.same((await starts()).slice(2), ['03-16T14 New', '03-24T16 Once', '03-30T14 New cancelled'])
  })

  t.test('a change from an earlier instance on also changes what a later one has split off', async (t) => {
    const { mailbox, at, starts } = await box()
    await send(core, mailbox, request(at('20260323', 1, { ...hour('20260323', '14', '15'), SUMMARY: 'Late' })))
    await send(core, mailbox, request(at('20260309', 2, { ...hour('20260310', '08', '09'), SUMMARY: 'Tuesdays' })))
    t.same(await starts(), ['03-02T10 Planning', ...['10', '17', '24', '31'].map((day) => `03-${day}T08 Tuesdays`)])
    await send(core, mailbox, request(at('20260302', 3, { SUMMARY: 'All' })))
    t.same(
      await starts(),
      ['02', '09', '16', '23', '30'].map((day) => `03-${day}T10 All`),
      'from the first on',
    )
  })

  t.test(
    'a newer invitation to the whole series takes the place of all of it; a cancellation ends all of it',
    async (t) => {
      const { mailbox, mine, at, starts, events } = await box()
      await send(core, mailbox, request(at('20260316', 2, hour('20260316', '14', '15'))))
      const series = { ...mine, RRULE: 'FREQ=WEEKLY;COUNT=5' }
      const whole = (sequence: number) => request(vevent({ ...series, SEQUENCE: sequence, SUMMARY: 'Whole' }))
      t.match(await send(core, mailbox, whole(1)), [/as new, or newer/], 'it is older than the change')
      await send(core, mailbox, whole(3))
      t.same(
        await starts(),
        ['02', '09', '16', '23', '30'].map((day) => `03-${day}T10 Whole`),
      )
      t.equal((await events()).length, 1)
      const split = at('20260316', 4, { ...hour('20260316', '14', '15'), SUMMARY: 'Split' })
      await send(core, mailbox, request(vevent({ ...series, SEQUENCE: 4 }), split))
      t.same((await starts()).slice(1, 3), ['03-09T10 Planning', '03-16T14 Split'], 'both in one message')
      t.equal((await events()).length, 2)
      await send(core, mailbox, vcalendar('CANCEL', vevent({ ...mine, SEQUENCE: 5, STATUS: 'CANCELLED' })))
      t.match(await events(), [{ status: 'cancelled' }, { status: 'cancelled' }])
    },
  )

  t.test('a cancellation from an instance on reaches what follows a change', async (t) => {
    const { mailbox, at, starts } = await box()
    await send(core, mailbox, request(at('20260316', 1, hour('20260316', '14', '15'))))
    const none = { 'DTSTART;TZID=Europe/Berlin': null, 'DTEND;TZID=Europe/Berlin': null, STATUS: 'CANCELLED' }
    await send(core, mailbox, vcalendar('CANCEL', at('20260309', 2, none)))
    t.same(await starts(), ['03-02T10 Planning', ...['16', '23', '30'].map((day) => `03-${day}T14 Planning cancelled`)])
  })

  t.test('answers name the series, which is all that the organizer knows (RFC 5546 3.2.3)', async (t) => {
    const { mailbox, at, events, answer } = await box()
    await send(core, mailbox, request(at('20260316', 1, hour('20260316', '14', '15'))))
    const [, { id, uid }] = await events()
    t.not(uid, 'meeting-1@example.org')
    await answer(id, 'declined')
    const [reply] = await sentInvitations(core.core)
    const [{ 'recurrence-id': named, ...event }] = reply!.events as [SentEvent]
    t.match(event, { uid: [{ value: 'meeting-1@example.org' }], attendee: [{ partstat: 'DECLINED' }] })
    t.match(named, [{ value: '2026-03-16T10:00:00', range: 'THISANDFUTURE', tzid: 'Europe/Berlin' }])
    await answer(id, 'accepted', '2026-03-23T14:00:00')
    const [instance] = await sentInvitations(core.core)
    t.match(instance!.events, [
      {
        uid: [{ value: 'meeting-1@example.org' }],
        'recurrence-id': [{ value: '2026-03-23T10:00:00', range: undefined }],
      },
    ])
  })

  t.test('a rule of several days moves to other days with all of them (RFC 5545 3.8.4.4)', async (t) => {
    const { mailbox, at, starts } = await box({ RRULE: 'FREQ=WEEKLY;BYDAY=MO,TH;COUNT=6' })
    const trace = await send(core, mailbox, request(at('20260309', 1, hour('20260310', '12', '13'))))
    t.match(trace, [/is updated from the instance 2026-03-09T10:00:00 on/])
    t.same(
      await starts(),
      ['02T10', '05T10', '10T12', '13T12', '17T12', '20T12'].map((one) => `03-${one} Planning`),
    )
    const none = { 'DTSTART;TZID=Europe/Berlin': null, 'DTEND;TZID=Europe/Berlin': null, STATUS: 'CANCELLED' }
    await send(core, mailbox, vcalendar('CANCEL', at('20260316', 2, none, '')))
    t.equal((await starts())[4], '03-17T12 Planning cancelled', 'messages name it as it was at first')
  })

  t.test('what the rule cannot say changes the named instance alone, and the trace says so', async (t) => {
    const { mailbox, at, starts } = await box({ RRULE: 'FREQ=WEEKLY;BYDAY=MO,TH;BYMONTH=3,4;COUNT=4' })
    const trace = await send(core, mailbox, request(at('20260309', 1, hour('20260310', '10', '11'))))
    t.match(trace, [/instance 2026-03-09T10:00:00 .* is updated/, /Later instances stay as they are/])
    t.same(
      await starts(),
      ['03-02T10', '03-05T10', '03-10T10', '03-12T10'].map((one) => `${one} Planning`),
    )
  })

  t.test('a forged piece of a series is no part of it', async (t) => {
    const { mailbox, mine, at, starts, events } = await box()
    await send(core, mailbox, request(at('20260316', 1, { SUMMARY: 'New' })))
    const [, { id, uid }] = await events()
    await mailbox.call('CalendarEvent/set', { destroy: [id] })
    const forged = vevent({
      ...mine,
      UID: uid,
      ORGANIZER: 'mailto:mallory@example.net',
      'X-POSTHOUSE-THIS-AND-FUTURE': '2026-03-16T10:00:00',
      'RELATED-TO;RELTYPE=FIRST': 'meeting-1@example.org',
      SUMMARY: 'Forged',
    })
    await send(core, mailbox, request(forged), { from: 'mallory@example.net' })
    const none = { 'DTSTART;TZID=Europe/Berlin': null, 'DTEND;TZID=Europe/Berlin': null, STATUS: 'CANCELLED' }
    t.match(await send(core, mailbox, vcalendar('CANCEL', at('20260309', 2, none))), [/are cancelled/])
    t.same(await starts(), ['03-02T10 Forged', '03-02T10 Planning'])
  })
})

type SentEvent = Awaited<ReturnType<typeof sentInvitations>>[number]['events'][number]
