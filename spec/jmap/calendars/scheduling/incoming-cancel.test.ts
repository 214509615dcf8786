import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { eventsOf, ORGANIZER, send, vcalendar, vevent } from './support.ts'

const request = (...events: string[]) => vcalendar('REQUEST', ...events)
const cancel = (...events: string[]) => vcalendar('CANCEL', ...events)
const WEEKLY = { RRULE: 'FREQ=WEEKLY;COUNT=5' }
const LATER = { SEQUENCE: 1, DTSTAMP: '20260102T080000Z' }

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  let made = 0
  const box = async () => {
    const mailbox = await core.mailbox(`hello${++made}`)
    return { mailbox, mine: { 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': `mailto:${mailbox.address}` } }
  }

  t.test('a cancelled event stays with that status; an older cancellation has no effect', async (t) => {
    const { mailbox, mine } = await box()
    await send(core, mailbox, request(vevent({ ...mine, SEQUENCE: 1, DTSTAMP: '20260102T070000Z' })))
    const older = cancel(vevent({ ...mine, STATUS: 'CANCELLED', SEQUENCE: 0, DTSTAMP: '20260103T080000Z' }))
    t.same(await send(core, mailbox, older), ['The cancellation changes nothing: the event in the calendar is newer.'])
    t.notMatch(await eventsOf(mailbox), [{ status: 'cancelled' }])
    const now = cancel(
      vevent({
        ...mine,
        ...LATER,
        STATUS: 'CANCELLED',
        SEQUENCE: 2,
        'DTSTART;TZID=Europe/Berlin': null,
        'DTEND;TZID=Europe/Berlin': null,
      }),
    )
    t.same(await send(core, mailbox, now), [`The event of ${ORGANIZER} is cancelled in the calendar.`])
    t.match(await eventsOf(mailbox), [
      { status: 'cancelled', sequence: 2, start: '2026-03-02T10:00:00', title: 'Planning' },
    ])
    const { list } = await mailbox.call('CalendarEventNotification/get', { ids: null })
    t.match(list.at(-1), { type: 'updated', eventPatch: { status: 'cancelled' } })
    t.match(await send(core, mailbox, now), [/nothing of it that is not cancelled/], 'a second time')
    await send(core, mailbox, request(vevent({ ...mine, SEQUENCE: 3, DTSTAMP: '20260104T080000Z' })))
    t.notMatch(await eventsOf(mailbox), [{ status: 'cancelled' }], 'a newer invitation holds again')
  })

  t.test('of a cancellation without SEQUENCE, as Cyrus sends it, DTSTAMP counts', async (t) => {
    const { mailbox, mine } = await box()
    await send(core, mailbox, request(vevent({ ...mine, SEQUENCE: 2, DTSTAMP: '20260102T080000Z' })))
    const bare = (stamp: string) => cancel(vevent({ ...mine, SEQUENCE: null, STATUS: 'CANCELLED', DTSTAMP: stamp }))
    await send(core, mailbox, bare('20260102T070000Z'))
    t.notMatch(await eventsOf(mailbox), [{ status: 'cancelled' }], 'an earlier one')
    await send(core, mailbox, bare('20260102T090000Z'))
    t.match(await eventsOf(mailbox), [{ status: 'cancelled', sequence: 2 }])
  })

  t.test('instances are cancelled one by one, or from one on', async (t) => {
    const { mailbox, mine } = await box()
    await send(core, mailbox, request(vevent({ ...mine, ...WEEKLY })))
    const none = { 'DTSTART;TZID=Europe/Berlin': null, 'DTEND;TZID=Europe/Berlin': null, STATUS: 'CANCELLED' }
    const instance = vevent({ ...mine, ...LATER, ...none, 'RECURRENCE-ID;TZID=Europe/Berlin': '20260309T100000' })
    t.same(await send(core, mailbox, cancel(instance)), [
      `Instances of the event of ${ORGANIZER} are cancelled in the calendar.`,
    ])
    const [event] = await eventsOf(mailbox)
    t.notMatch(event, { status: 'cancelled' })
    t.match(event.recurrenceOverrides, { '2026-03-09T10:00:00': { status: 'cancelled' } })
    const unknown = vevent({ ...mine, ...LATER, ...none, 'RECURRENCE-ID;TZID=Europe/Berlin': '20260310T100000' })
    await send(core, mailbox, cancel(unknown))
    t.same(
      Object.keys((await eventsOf(mailbox))[0].recurrenceOverrides),
      ['2026-03-09T10:00:00'],
      'no instance is made',
    )
    const rest = vevent({
      ...mine,
      ...LATER,
      ...none,
      SEQUENCE: 2,
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin': '20260323T100000',
    })
    await send(core, mailbox, cancel(rest))
    t.match((await eventsOf(mailbox))[0], { recurrenceRule: { until: '2026-03-23T09:59:59' } })
    t.notOk((await eventsOf(mailbox))[0].recurrenceRule.count)
  })

  t.test('a message that uninvites others changes nothing (RFC 5546 3.2.5)', async (t) => {
    const { mailbox, mine } = await box()
    await send(core, mailbox, request(vevent({ ...mine, ATTENDEE: 'mailto:other@example.org' })))
    const others = { ...LATER, 'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE': 'mailto:other@example.org' }
    t.same(await send(core, mailbox, cancel(vevent(others))), [
      'The cancellation changes nothing: it is for other attendees.',
    ])
    t.notMatch(await eventsOf(mailbox), [{ status: 'cancelled' }])
    await send(core, mailbox, cancel(vevent({ ...mine, ...LATER })))
    t.match(await eventsOf(mailbox), [{ status: 'cancelled' }], 'the control: the owner')
  })
})
