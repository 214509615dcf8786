// Decisions D22, D32
import t from 'tap'
import { faults, startApi } from '../support/rest-api.ts'

t.test('availability', async (t) => {
  const { ask, key, mailbox, stranger, request, organization, domainId } = await startApi(t)
  const [ada, bob] = [await mailbox('ada'), await mailbox('bob')]
  const foreign = await stranger()
  const DAY = 'from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z'
  const of = (query: string, more: object = {}) => ask('GET', `/v1/calendar/availability?${query}`, more)
  const calendar = (await ada.call('Calendar/get', { ids: null })).list[0].id as string
  const event = {
    '@type': 'Event',
    uid: 'e1',
    calendarIds: { [calendar]: true },
    privacy: 'secret',
    start: '2026-01-05T10:00:00',
    timeZone: 'Etc/UTC',
    duration: 'PT1H',
  }
  await ada.call('CalendarEvent/set', { create: { e: event } })

  t.test('the answer has the defaults, and the slots beside busy times', async (t) => {
    const { status, body } = await of(`mailbox=${ada.address}&${DAY}`)
    t.equal(status, 200)
    const { slots, ...rest } = body
    t.same(rest, {
      object: 'calendar_availability',
      mailbox: ada.address,
      from: '2026-01-05T00:00:00.000Z',
      to: '2026-01-06T00:00:00.000Z',
      duration_minutes: 30,
      timezone: 'UTC',
    })
    t.equal(slots.length, 14)
    t.same(slots[0], { start: '2026-01-05T09:00:00.000Z', end: '2026-01-05T09:30:00.000Z' })
    t.notOk(slots.some(({ start }: { start: string }) => start.startsWith('2026-01-05T10')))
  })

  t.test('every rule of the query counts', async (t) => {
    const starts = async (query: string) =>
      (await of(`mailbox=${ada.address.toUpperCase()}&${DAY}&${query}`)).body.slots.map(
        ({ start }: { start: string }) => start.slice(11, 16),
      )
    t.same(await starts('duration=60&window_start=600&window_end=780'), ['11:00', '12:00'])
    t.same(await starts('duration=60&interval=30&window_start=630&window_end=780'), ['11:00', '11:30', '12:00'])
    t.same(await starts('duration=60&window_start=660&window_end=840&buffer=30'), ['12:00', '13:00'])
    t.same(await starts('days=0,6'), [])
    t.same((await starts('timezone=Asia/Kolkata'))[0], '03:30')
    t.same((await starts(`minimum_notice=${4 * 1440 + 990}`))[0], '16:30', 'the clock is at midnight of the first')
    t.same(await starts('window_start=1380&window_end=1440'), ['23:00', '23:30'])
  })

  t.test('wrong values are refused by field', async (t) => {
    const good = `mailbox=${ada.address}&${DAY}`
    const wrong = async (query: string) => faults(await of(`${good}&${query}`))
    t.same(faults(await of('')), [
      ['mailbox', 'required'],
      ['from', 'required'],
      ['to', 'required'],
    ])
    t.same(await wrong('duration=4'), [['duration', 'out_of_range']])
    t.same(await wrong('duration=1441'), [['duration', 'out_of_range']])
    t.same(await wrong('duration=x'), [['duration', 'invalid_type']])
    t.same(await wrong('interval=4'), [['interval', 'out_of_range']])
    t.same(await wrong('buffer=241'), [['buffer', 'out_of_range']])
    t.same(await wrong('minimum_notice=43201'), [['minimum_notice', 'out_of_range']])
    t.same(await wrong('window_start=1441'), [['window_start', 'out_of_range']])
    t.same(await wrong('window_start=600&window_end=600'), [['window_end', 'out_of_range']])
    t.same(await wrong('days=7'), [['days', 'invalid_format']])
    t.same(await wrong('days='), [['days', 'invalid_format']])
    t.same(await wrong('timezone=Mars/Base'), [['timezone', 'invalid_format']])
    const between = async (from: string, to: string) => faults(await of(`mailbox=${ada.address}&from=${from}&to=${to}`))
    t.same(await between('2026-01-05', '2026-01-06T00:00:00Z'), [['from', 'invalid_format']])
    t.same(await between('2026-01-06T00:00:00Z', '2026-01-06T00:00:00Z'), [['to', 'out_of_range']])
    t.same(await between('2026-01-01T00:00:00Z', '2026-03-05T00:00:01Z'), [['to', 'out_of_range']])
    t.equal(
      (await of(`mailbox=${ada.address}&from=2026-01-01T00:00:00Z&to=2026-03-04T00:00:00Z`)).status,
      200,
      '62 days',
    )
  })

  t.test('the mailbox must be one of the organization that the key may use', async (t) => {
    for (const address of ['nobody@example.test', 'stranger@other.test', 'x'])
      t.equal((await of(`mailbox=${address}&${DAY}`)).status, 404, address)
    const limited = await key(['calendar:read'], { mailboxIds: [bob.accountId] })
    t.match(await of(`mailbox=${ada.address}&${DAY}`, { key: limited }), {
      status: 403,
      body: { error: { code: 'mailbox_access_denied' } },
    })
    t.equal((await of(`mailbox=${bob.address}&${DAY}`, { key: limited })).status, 200, 'control')
    t.equal((await of(`mailbox=${ada.address}&${DAY}`, { key: foreign.key })).status, 404)
    const writer = await key(['calendar:write'])
    t.match(await of(`mailbox=${ada.address}&${DAY}`, { key: writer }), {
      status: 403,
      body: { error: { code: 'missing_scope' } },
    })
  })

  t.test('REST and Principal/getAvailability agree; secret events only block (decision D22)', async (t) => {
    const { accountId } = organization
    await request([
      ['MailAccount/set', { accountId, update: { [bob.accountId]: { timezone: 'Asia/Tokyo' } } }],
      ['Domain/set', { accountId, update: { [domainId]: { catchAllMailboxId: bob.accountId } } }],
    ])
    const [home] = (await bob.call('Calendar/get', { ids: null })).list
    const made = await bob.call('Calendar/set', { create: { n: { name: 'Sydney', timeZone: 'Australia/Sydney' } } })
    const asked = (address: string, participationStatus: string) => ({
      organizerCalendarAddress: 'mailto:boss@example.org',
      participants: {
        me: { calendarAddress: `mailto:${address}`, roles: { attendee: true }, participationStatus },
        ada: { calendarAddress: `mailto:${ada.address}`, roles: { attendee: true }, participationStatus: 'accepted' },
      },
    })
    const daily = (recurrenceOverrides: object) => ({
      start: '2026-01-06T12:00:00',
      recurrenceRule: { frequency: 'daily' },
      recurrenceOverrides,
    })
    const events: { readonly [title: string]: readonly [hour: number, event: object, expected: string] } = {
      plain: [0, {}, 'busy'],
      tentative: [1, { status: 'tentative' }, 'busy'],
      private: [2, { privacy: 'private' }, 'busy'],
      secret: [3, { privacy: 'secret' }, 'blocked'],
      free: [4, { freeBusyStatus: 'free' }, 'free'],
      cancelled: [5, { status: 'cancelled' }, 'free'],
      declined: [6, asked(bob.address, 'declined'), 'free'],
      'not answered': [7, asked(bob.address, 'needs-action'), 'busy'],
      tagged: [8, asked('bob+work@example.test', 'declined'), 'free'],
      'catch-all': [9, asked('anybody@example.test', 'declined'), 'free'],
      'of another mailbox': [10, asked('other@example.org', 'declined'), 'busy'],
      draft: [11, { isDraft: true }, 'free'],
      series: [12, daily({ '2026-01-08T12:00:00': { freeBusyStatus: 'free' } }), 'busy'],
      'freed instance': [
        13,
        { ...daily({ '2026-01-07T13:00:00': { freeBusyStatus: 'free' } }), start: '2026-01-06T13:00:00' },
        'free',
      ],
      // Wall times of 14:00 and 15:00 in UTC.
      floating: [14, { start: '2026-01-07T23:00:00', timeZone: null }, 'busy'],
      'floating in a calendar with a zone': [
        15,
        { start: '2026-01-08T02:00:00', timeZone: null, calendarIds: { [made.created.n.id]: true } },
        'busy',
      ],
    }
    const create = Object.fromEntries(
      Object.entries(events).map(([title, [hour, event]]) => {
        const start = `2026-01-07T${String(hour).padStart(2, '0')}:00:00`
        return [
          title,
          { title, calendarIds: { [home.id]: true }, start, duration: 'PT1H', timeZone: 'Etc/UTC', ...event },
        ]
      }),
    )
    for (const [title, event] of Object.entries(create)) {
      const { notCreated } = await bob.call('CalendarEvent/set', { create: { e: event } } as never)
      t.equal(notCreated, null, title)
    }
    const day = { from: '2026-01-07T00:00:00Z', to: '2026-01-08T00:00:00Z' }
    const query = `mailbox=${bob.address}&from=${day.from}&to=${day.to}&duration=60&window_start=0&window_end=1440`
    const slots = (await of(query)).body.slots.map(({ start }: { start: string }) => Number(start.slice(11, 13)))
    const [{ id }] = (await bob.call('Principal/get', { ids: null })).list
    const { list } = await bob.call('Principal/getAvailability', { id, utcStart: day.from, utcEnd: day.to })
    const isBusy = (hour: number) =>
      list.some(({ utcStart, utcEnd }: { utcStart: string; utcEnd: string }) => {
        const at = Date.parse(day.from) + hour * 3_600_000
        return Date.parse(utcStart) <= at && at < Date.parse(utcEnd)
      })
    for (const [title, [hour, , expected]] of Object.entries(events)) {
      t.equal(isBusy(hour) ? 'busy' : slots.includes(hour) ? 'free' : 'blocked', expected, title)
      t.equal(slots.includes(hour), expected === 'free', `REST: ${title}`)
    }
    t.ok(slots.includes(20) && !isBusy(20), 'control: an hour without events')
  })
})
