// Decisions D23 and D32: bookings over HTTP, on both engines
import t from 'tap'
import { CalendarEvent } from '../../../jmap/calendars/event/calendar-event.type.ts'
import { BOOKING_MAIL_GATHER_MS, BOOKING_MAIL_LEASE_MS } from '../../../server/base/booking-limits.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { bookingMailWorker } from '../../../server/workers/booking-mails.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sentInvitations } from '../../support/invitations.ts'
import { linkOf, MONDAY, startBooking } from './booking-world.ts'

const DAY = 86_400_000
const at = (time: string) => `${MONDAY}T${time}:00.000Z`

await forEachEngine(t, async (t, engine) => {
  const world = await startBooking(t, engine)
  const { visit, page, book, slots, events, told, letters, alice, clock, core } = world

  t.test('a booking makes an event, takes the slot, and tells invitee, guests and webhooks', async (t) => {
    const path = await page({ name: 'First', timezone: 'Europe/Berlin', bufferMinutes: 15 })
    const before = await slots(path)
    t.equal(before.length, 16)
    t.equal(before[0], `${MONDAY}T08:00`, 'from nine in Berlin')
    const made = await book(path, at('10:00'), { notes: 'About <b>us</b>', guests: ['guest@example.net'] })
    t.match(made, {
      status: 201,
      body: {
        object: 'booking',
        id: /^bkg_/,
        status: 'confirmed',
        start: at('10:00'),
        end: at('10:30'),
        timezone: 'UTC',
        manage_url: /^http:\/\/127\.0\.0\.1:\d+\/book\/manage\/[\w.-]{40,}$/,
      },
    })
    const after = await slots(path)
    t.same(
      before.filter((slot) => !after.includes(slot)),
      [`${MONDAY}T09:30`, `${MONDAY}T10:00`, `${MONDAY}T10:30`],
      'with the buffer on both sides',
    )
    const [event] = await events()
    t.match(event, {
      title: 'First: Jane Doe',
      description: 'About <b>us</b>',
      start: `${MONDAY}T11:00:00`,
      timeZone: 'Europe/Berlin',
      duration: 'PT30M',
      status: 'confirmed',
      organizerCalendarAddress: 'mailto:alice@example.test',
      participants: {
        invitee: { calendarAddress: 'mailto:jane@example.org', participationStatus: 'accepted' },
        guest1: { calendarAddress: 'mailto:guest@example.net', participationStatus: 'needs-action' },
      },
    })
    const [toGuest, toInvitee, ...more] = await letters()
    t.same(more, [])
    t.match(toInvitee, { to: ['jane@example.org'], mailFrom: alice.address, header: /From: .*alice@example\.test/ })
    t.match(toInvitee!.source, /text\/calendar;[\s\S]*method=REQUEST/)
    t.match(toInvitee!.source.replaceAll(/=\r\n/g, ''), linkOf(made))
    t.match(toGuest, { to: ['guest@example.net'] })
    t.equal(await core.scheduling.nextAt(), null, 'the event itself sends nothing')
    t.notMatch(toGuest!.source.replaceAll(/=\r\n/g, ''), '/book/manage/', 'a guest cannot manage the booking')
    for (const { source } of [toInvitee!, toGuest!]) t.notMatch(source, /About/, 'notes go to the owner only')
    const inbox = await alice.call('Email/query', { sort: [{ property: 'receivedAt', isAscending: false }], limit: 1 })
    const [notice] = (await alice.call('Email/get', { ids: inbox.ids, fetchTextBodyValues: true })).list
    t.match(notice, { subject: /^New booking: First, Jane Doe, Monday/, replyTo: [{ email: 'jane@example.org' }] })
    t.match(Object.values(notice.bodyValues), [{ value: /With: Jane Doe[\s\S]*About <b>us<\/b>/ }])
    t.match((await told()).at(-1), {
      event_type: 'booking.created',
      data: {
        booking_id: made.body.id,
        mailbox: alice.address,
        start: at('10:00'),
        email: 'jane@example.org',
        previous_start: null,
      },
    })
    const update = { [event.id]: { start: `${MONDAY}T11:15:00` } }
    await alice.call('CalendarEvent/set', { update, sendSchedulingMessages: true })
    const sent = await sentInvitations(core)
    t.same(
      sent.map(({ method, to }) => [method, to]),
      [
        ['REQUEST', ['guest@example.net']],
        ['REQUEST', ['jane@example.org']],
      ],
      'control: an owner who moves it tells them by the calendar',
    )
    await alice.call('CalendarEvent/set', { update: { [event.id]: { start: `${MONDAY}T11:00:00` } } })
    t.match(await book(path, at('10:00')), { status: 409, body: { error: { type: 'conflict', code: 'slot_taken' } } })
    await visit(linkOf(made), { json: { action: 'cancel' } })
    await letters()
  })

  t.test(
    'of 100 bookings of one slot at once one succeeds, and different slots do not hinder each other',
    async (t) => {
      const path = await page({ name: 'Race' })
      const count = (await events()).length
      const many = await Promise.all(
        Array.from({ length: 100 }, (_, i) => book(path, at('12:00'), { email: `c${i}@example.org` })),
      )
      const byStatus = (status: number) => many.filter((one) => one.status === status).length
      t.same([byStatus(201), byStatus(409)], [1, 99])
      const free = (await slots(path)).slice(0, 10)
      const several = await Promise.all(free.map((start) => book(path, `${start}:00Z`)))
      t.ok(
        several.every(({ status }) => status === 201),
        several.map(({ status }) => status).join(),
      )
      t.equal((await events()).length, count + 11)
      await letters()
    },
  )

  t.test('a time that an event has taken meanwhile is not booked', async (t) => {
    const path = await page({ name: 'Meanwhile' })
    const tuesday = '2026-01-06'
    t.ok((await slots(path, tuesday)).includes(`${tuesday}T09:00`), 'control')
    const calendarId = Object.keys((await events())[0].calendarIds)[0]!
    const event = {
      '@type': 'Event',
      uid: 'invited@example.org',
      calendarIds: { [calendarId]: true },
      title: 'Invited',
      start: `${tuesday}T09:15:00`,
      timeZone: 'Etc/UTC',
      duration: 'PT5M',
      organizerCalendarAddress: 'mailto:boss@example.org',
      participants: {
        a: { '@type': 'Participant', calendarAddress: `mailto:${alice.address}`, roles: { attendee: true } },
        b: { '@type': 'Participant', calendarAddress: 'mailto:boss@example.org', roles: { owner: true } },
      },
    }
    const { created, notCreated } = await alice.call('CalendarEvent/set', { create: { e: event } })
    t.ok(created?.e, JSON.stringify(notCreated))
    t.equal((await book(path, `${tuesday}T09:00:00Z`)).status, 409)
    const decline = { [created.e.id]: { 'participants/a/participationStatus': 'declined' } }
    await alice.call('CalendarEvent/set', { update: decline })
    t.equal((await book(path, `${tuesday}T09:00:00Z`)).status, 201, 'declined: it takes no time')
    await letters()
  })

  t.test(
    'of an invited event and a booking of one time at once, a booking that commits second is refused',
    async (t) => {
      const path = await page({ name: 'At once' })
      const calendarIds = { [Object.keys((await events())[0].calendarIds)[0]!]: true }
      const free = (await slots(path, '2026-02-17', '2026-02-18')).slice(0, 24)
      const invite = (start: string, i: number) => ({
        '@type': 'Event',
        uid: `at-once-${i}@example.org`,
        calendarIds,
        title: `Invited ${i}`,
        start: `${start}:00`,
        timeZone: 'Etc/UTC',
        duration: 'PT30M',
        organizerCalendarAddress: 'mailto:boss@example.org',
        participants: {
          a: { '@type': 'Participant', calendarAddress: `mailto:${alice.address}`, roles: { attendee: true } },
        },
      })
      const numberOf = (id: string) => core.ids.decode(CalendarEvent, id)!.object
      const seen = new Set<number>()
      for (const [i, start] of free.entries()) {
        const [made, booked] = await Promise.all([
          // Half of them begin a moment later, so that both orders happen.
          i % 2 === 0
            ? alice.call('CalendarEvent/set', { create: { e: invite(start, i) } })
            : new Promise(setImmediate).then(() =>
                alice.call('CalendarEvent/set', { create: { e: invite(start, i) } }),
              ),
          book(path, `${start}:00Z`, { email: `once${i}@example.org` }),
        ])
        seen.add(booked.status)
        const invited = made.created.e.id as string
        if (booked.status === 409) continue
        const own = (await events()).find(({ participants }) => participants?.invitee?.email === `once${i}@example.org`)
        t.equal(booked.status, 201)
        t.ok(numberOf(own.id) < numberOf(invited), 'the booking was first')
      }
      t.match([...seen].sort().at(-1), 409, 'the other order happened too')
      await letters()
    },
  )

  t.test(
    'an invitation that arrives after a booking is stored and overlaps, and takes no second booking',
    async (t) => {
      const path = await page({ name: 'Later' })
      const start = '2026-02-19T10:00'
      const made = await book(path, `${start}:00Z`)
      t.equal(made.status, 201)
      const calendarIds = { [Object.keys((await events())[0].calendarIds)[0]!]: true }
      const timed = { start: `${start}:00`, timeZone: 'Etc/UTC', duration: 'PT30M' }
      const event = { '@type': 'Event', uid: 'later@example.org', calendarIds, title: 'Later invitation', ...timed }
      const { created } = await alice.call('CalendarEvent/set', { create: { e: event } })
      t.ok(created.e)
      const between = { after: '2026-02-19T09:00:00', before: '2026-02-19T11:00:00' }
      const { ids } = await alice.call('CalendarEvent/query', { filter: between })
      t.equal(ids.length, 2, 'the owner sees both')
      await visit(linkOf(made), { json: { action: 'cancel' } })
      t.equal((await book(path, `${start}:00Z`)).status, 409, 'the other one still takes the time')
      await alice.call('CalendarEvent/set', { destroy: [created.e.id] })
      t.equal((await book(path, `${start}:00Z`)).status, 201, 'control')
      await letters()
    },
  )

  t.test('only slots that are offered can be booked', async (t) => {
    const path = await page({ name: 'Only', minimumNoticeMinutes: 60, maxAdvanceDays: 7 })
    const wednesday = '2026-01-07'
    for (const start of [
      `${wednesday}T09:10:00Z`,
      `${wednesday}T17:00:00Z`,
      '2026-01-10T09:00:00Z',
      '2025-12-31T09:00:00Z',
      '2026-01-09T09:00:00Z',
    ].slice(0, 4))
      t.equal((await book(path, start)).status, 409, start)
    t.equal((await book(path, '2026-02-02T09:00:00Z')).status, 409, 'beyond the horizon')
    t.equal((await book(path, `${wednesday}T09:00:00Z`)).status, 201, 'control')
    await letters()
  })

  t.test('a booking is moved and cancelled by its link, which ends with it', async (t) => {
    const path = await page({ name: 'Moving' })
    const day = '2026-01-08'
    const link = linkOf(await book(path, `${day}T09:00:00Z`, { guests: ['guest@example.net'] }))
    await letters()
    t.match(await visit(link, { headers: { Accept: 'application/json' } }), {
      status: 200,
      body: { status: 'confirmed' },
    })
    const { length } = await events()
    for (let i = 0; i < 2; i++) t.equal((await visit(`${link}?move=1`)).status, 200, 'GET changes nothing')
    const moved = await visit(link, { json: { action: 'reschedule', start: `${day}T14:00:00Z`, timezone: 'UTC' } })
    t.match(moved, { status: 200, body: { start: `${day}T14:00:00.000Z`, end: `${day}T14:30:00.000Z` } })
    t.equal((await events()).length, length)
    const open = await slots(path, day)
    t.ok(open.includes(`${day}T09:00`) && !open.includes(`${day}T14:00`), 'the old time is free, the new one taken')
    t.match(
      (await letters()).map(({ source }) => source),
      [/SEQUENCE:1/, /method=REQUEST/],
    )
    t.match((await told()).at(-1), {
      event_type: 'booking.rescheduled',
      data: { start: `${day}T14:00:00.000Z`, previous_start: `${day}T09:00:00.000Z` },
    })
    const other = linkOf(await book(path, `${day}T15:00:00Z`))
    t.match(await visit(link, { json: { action: 'reschedule', start: `${day}T15:00:00Z`, timezone: 'UTC' } }), {
      status: 409,
      body: { error: { code: 'slot_taken' } },
    })
    t.match(await visit(link, { headers: { Accept: 'application/json' } }), { body: { start: `${day}T14:00:00.000Z` } })
    const half = await visit(link, { json: { action: 'reschedule', start: `${day}T14:00:00Z`, timezone: 'UTC' } })
    t.equal(half.status, 200, 'its own time does not block it')
    await letters()
    t.match(await visit(link, { json: { action: 'cancel', reason: 'Ill' } }), {
      status: 200,
      body: { status: 'cancelled' },
    })
    t.match(
      (await letters()).map(({ source }) => source),
      [/method=CANCEL/, /method=CANCEL/],
    )
    t.match((await told()).at(-1), { event_type: 'booking.cancelled' })
    t.ok((await slots(path, day)).includes(`${day}T14:00`))
    for (const asked of [
      {},
      { json: { action: 'cancel' } },
      { json: { action: 'reschedule', start: `${day}T16:00:00Z`, timezone: 'UTC' } },
    ])
      t.equal((await visit(link, asked)).status, 410)
    t.equal((await visit(`${link}/booking.ics`)).status, 410)
    t.equal((await visit(other, { headers: { Accept: 'application/json' } })).status, 200, 'control: another link')
    const forged = link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A')
    t.equal((await visit(forged)).status, 410)
  })

  t.test('a link ends when the owner deletes the event, and when the mailbox goes', async (t) => {
    const path = await page({ name: 'Deleted' })
    const link = linkOf(await book(path, '2026-01-09T09:00:00Z'))
    t.equal((await visit(link)).status, 200)
    const mine = (await events()).find(({ title }) => title === 'Deleted: Jane Doe')
    await alice.call('CalendarEvent/set', { destroy: [mine.id] })
    t.equal((await visit(link)).status, 410)
    t.equal((await visit(link, { form: { action: 'cancel' } })).status, 410)
    await letters()
  })

  t.test('with confirmation by mail a time is booked when the link of the mail is used', async (t) => {
    const path = await page({ name: 'Confirmed', confirmByEmail: true })
    const start = '2026-01-09T11:00:00Z'
    const { length } = await events()
    t.match(await book(path, start, { guests: ['guest@example.net'] }), { status: 202, body: { status: 'pending' } })
    t.equal((await events()).length, length)
    const [letter, ...more] = await letters()
    t.same(more, [], 'guests hear nothing yet')
    const link = /\/book\/manage\/[\w.-]+/.exec(letter!.source.replaceAll(/=\r\n/g, ''))![0]
    t.match(await visit(link), { status: 200, text: /name="action" value="confirm"/ })
    t.equal((await events()).length, length, 'GET changes nothing')
    const confirm = { form: { action: 'confirm' } }
    const [one, two] = await Promise.all([visit(link, confirm), visit(link, confirm)])
    t.same([one?.status, two?.status], [303, 303], 'also when it is opened twice')
    t.equal((await events()).length, length + 1)
    t.equal((await letters()).length, 2)
    await book(path, '2026-01-09T13:00:00Z')
    const [late] = await letters()
    const lateLink = /\/book\/manage\/[\w.-]+/.exec(late!.source.replaceAll(/=\r\n/g, ''))![0]
    clock.advance(DAY)
    await world.workOff()
    t.equal((await visit(lateLink, confirm)).status, 410, 'after a day it has expired')
  })

  t.test('an invitee is reminded once, a day before', async (t) => {
    const path = await page({ name: 'Reminded' })
    const link = linkOf(await book(path, '2026-01-14T09:00:00Z'))
    const gone = linkOf(await book(path, '2026-01-14T10:00:00Z'))
    await visit(gone, { json: { action: 'cancel' } })
    await letters()
    clock.advance(Date.parse('2026-01-13T08:59:00Z') - clock.now())
    await world.workOff()
    t.same(await letters(), [], 'not before')
    clock.advance(60_000)
    await Promise.all([world.workOff(), world.workOff()])
    const reminders = await letters()
    t.match(reminders, [{ to: ['jane@example.org'], header: /Subject: Reminder: Reminded/ }])
    t.match(reminders[0]!.source.replaceAll(/=\r\n/g, ''), link)
    await world.workOff()
    t.same(await letters(), [])
  })

  t.test('a reminder that a dead worker had claimed is sent when its lease ends, and once', async (t) => {
    const path = await page({ name: 'Leased' })
    await book(path, '2026-01-21T09:00:00Z')
    await letters()
    clock.advance(Date.parse('2026-01-20T09:00:00Z') - clock.now())
    t.equal((await core.bookings.claimDue('a worker that dies', 8, BOOKING_MAIL_LEASE_MS)).length, 1)
    await world.workOff()
    t.same(await letters(), [], 'it is claimed')
    clock.advance(BOOKING_MAIL_LEASE_MS)
    await world.workOff()
    t.match(await letters(), [{ header: /Subject: Reminder: Leased/ }])
    await world.workOff()
    t.same(await letters(), [])
  })

  t.test('a worker that runs sends a reminder at its time', async (t) => {
    const path = await page({ name: 'Timely' })
    const worker = bookingMailWorker({ core, clock, logger: silentLogger })
    worker.start()
    t.teardown(() => worker.stop())
    await worker.settled()
    await book(path, '2026-01-28T09:00:00Z')
    await letters()
    clock.advance(BOOKING_MAIL_GATHER_MS)
    await worker.settled()
    t.same(await letters(), [], 'not before')
    clock.advance(Date.parse('2026-01-27T09:00:00Z') - clock.now())
    await worker.settled()
    t.match(await letters(), [{ header: /Subject: Reminder: Timely/ }])
  })
})
