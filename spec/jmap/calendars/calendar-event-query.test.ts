import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { calendarOf } from './support.ts'

const BERLIN = 'Europe/Berlin'
const MARCH = { after: '2026-03-01T00:00:00', before: '2026-04-01T00:00:00' }

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const calendarIds = { [await calendarOf(hello)]: true }
  const set = (args: object) => hello.call('CalendarEvent/set', { ...args })
  const create = async (events: { [name: string]: object }) => {
    const entries = Object.entries(events).map(([name, event]) => [name, { calendarIds, title: name, ...event }])
    const { created, notCreated } = await set({ create: Object.fromEntries(entries) })
    if (notCreated) throw new Error(JSON.stringify(notCreated))
    return Object.fromEntries(Object.keys(events).map((name) => [name, created[name].id])) as { [name: string]: string }
  }
  const query = (args: object) => hello.call('CalendarEvent/query', { timeZone: BERLIN, ...args })
  const titles = async (args: object) => {
    const answer = await query(args)
    if (!answer.ids) return answer
    const { list } = await hello.call('CalendarEvent/get', { ids: answer.ids, properties: ['title', 'start'] })
    const byId = new Map(list.map((event: { id: string }) => [event.id, event]))
    return answer.ids.map((id: string) => {
      const { title, start } = byId.get(id) as { title: string; start: string }
      return `${title} ${start.slice(5, 16)}`
    })
  }

  const ids = await create({
    once: { start: '2026-03-02T12:00:00', duration: 'PT1H', timeZone: BERLIN, description: 'Talk about apples' },
    late: {
      start: '2026-03-31T23:30:00',
      duration: 'PT1H',
      timeZone: BERLIN,
      participants: {
        g: { name: 'Grace', calendarAddress: 'mailto:grace@example.org', roles: { owner: true } },
        a: { name: 'Ada', calendarAddress: 'mailto:ada@example.org', roles: { attendee: true } },
      },
    },
    weekly: {
      start: '2026-02-23T09:00:00',
      duration: 'PT30M',
      timeZone: BERLIN,
      recurrenceRule: { frequency: 'weekly' },
      recurrenceOverrides: {
        '2026-03-09T09:00:00': { excluded: true },
        '2026-03-16T09:00:00': { start: '2026-03-17T15:00:00', title: 'moved' },
        '2026-03-20T09:00:00': { title: 'extra' },
      },
    },
    day: { start: '2026-03-05T00:00:00', duration: 'P1D', showWithoutTime: true },
    old: { start: '2020-01-01T10:00:00', timeZone: BERLIN, recurrenceRule: { frequency: 'daily', count: 3 } },
    future: { start: '2027-01-01T10:00:00', timeZone: BERLIN, locations: { l: { name: 'Castle Hall' } } },
  })
  const EXPANDED = [
    'weekly 03-02T09:00',
    'once 03-02T12:00',
    'day 03-05T00:00',
    'moved 03-17T15:00',
    'extra 03-20T09:00',
    'weekly 03-23T09:00',
    'weekly 03-30T09:00',
    'late 03-31T23:30',
  ]

  t.test(
    'expandRecurrences lists each instance in the window, by its start (draft-ietf-jmap-calendars 5.11)',
    async (t) => {
      t.same(await titles({ filter: MARCH, expandRecurrences: true, sort: [{ property: 'start' }] }), EXPANDED)
      const answer = await query({
        filter: MARCH,
        expandRecurrences: true,
        limit: 2,
        position: 1,
        calculateTotal: true,
      })
      t.match(answer, { total: 8, position: 1, canCalculateChanges: false })
      t.equal(answer.ids[0], ids['once'], 'an event that does not recur has its own id')
      const back = { filter: MARCH, expandRecurrences: true, sort: [{ property: 'start', isAscending: false }] }
      t.same(await titles(back), EXPANDED.toReversed())
      const byRecurrenceId = { filter: MARCH, expandRecurrences: true, sort: [{ property: 'recurrenceId' }] }
      t.same(
        (await titles(byRecurrenceId)).filter((title: string) => !/^(?:once|day|late)/.test(title)),
        EXPANDED.filter((title) => /^(?:weekly|moved|extra)/.test(title)),
      )
      const byUid = await query({ filter: MARCH, sort: [{ property: 'uid', isAscending: false }] })
      const { list } = await hello.call('CalendarEvent/get', { ids: byUid.ids, properties: ['uid'] })
      const uids = list.map(({ uid }: { uid: string }) => uid)
      t.same(uids, uids.toSorted().toReversed())
      t.same(await titles({ filter: { ...MARCH, before: MARCH.after }, expandRecurrences: true }), [])
    },
  )

  t.test('the window is of the zone that the query names', async (t) => {
    const filter = { after: '2026-03-31T00:00:00', before: '2026-04-01T00:00:00' }
    t.same(await titles({ filter, expandRecurrences: true }), ['late 03-31T23:30'])
    t.same(await titles({ filter, expandRecurrences: true, timeZone: 'Asia/Tokyo' }), [], 'there it is April')
    const dayBefore = { after: '2026-03-04T00:00:00', before: '2026-03-05T00:00:00' }
    t.same(
      await titles({ filter: dayBefore, expandRecurrences: true, timeZone: 'Asia/Tokyo' }),
      [],
      'a floating day is a day everywhere',
    )
  })

  t.test('without expansion an event is listed once, and each condition may match any instance', async (t) => {
    t.same(
      (await query({ filter: MARCH, sort: [{ property: 'uid' }] })).ids.toSorted(),
      [ids['once']!, ids['late']!, ids['weekly']!, ids['day']!].toSorted(),
    )
    t.same(
      (await query({ filter: { after: '2020-01-03T11:00:00', before: '2020-02-01T00:00:00' } })).ids,
      [],
      'after its last instance',
    )
    t.same((await query({ filter: { after: '2020-01-02T11:00:00', before: '2020-02-01T00:00:00' } })).ids, [ids['old']])
    t.same((await query({ filter: { before: '2020-01-01T10:00:01' } })).ids, [ids['old']])
    t.same((await query({ filter: { title: 'moved' } })).ids, [ids['weekly']])
    t.equal((await query({ filter: null })).ids.length, 6)
    const { canCalculateChanges } = await query({ filter: { title: 'once' } })
    t.equal(canCalculateChanges, true)
  })

  t.test('text conditions search words, phrases and instances (draft-ietf-jmap-calendars 5.11.1)', async (t) => {
    const find = async (filter: object) => (await query({ filter })).ids
    t.same(await find({ text: 'APPLES' }), [ids['once']])
    t.same(await find({ text: '"about apples"' }), [ids['once']])
    t.same(await find({ text: '"apples about"' }), [])
    t.same(await find({ description: 'castle' }), [])
    t.same(await find({ location: 'castle' }), [ids['future']])
    t.same(await find({ text: 'hall castle' }), [ids['future']])
    t.same(await find({ text: 'hall apples' }), [], 'all words are in one event')
    t.same(await find({ participant: 'grace' }), [ids['late']], 'an owner is a participant')
    t.same(await find({ participant: 'ada' }), [ids['late']])
    t.same(await find({ owner: 'ada' }), [])
    t.same(
      await find({ operator: 'NOT', conditions: [{ title: 'weekly' }, { title: 'old' }, { title: 'late' }] }).then(
        (found) => found.length,
      ),
      3,
    )
    const filter = { ...MARCH, title: 'weekly' }
    t.same(await titles({ filter, expandRecurrences: true }), [
      'weekly 03-02T09:00',
      'weekly 03-23T09:00',
      'weekly 03-30T09:00',
    ])
    t.same(await titles({ filter: { ...MARCH, title: 'moved' }, expandRecurrences: true }), ['moved 03-17T15:00'])
    t.same(await titles({ filter: { ...MARCH, inCalendar: 'cal_none' }, expandRecurrences: true }), [])
  })

  t.test('an expansion without a window, or over too long a one, is refused', async (t) => {
    t.match(await query({ filter: { after: MARCH.after }, expandRecurrences: true }), { type: 'invalidArguments' })
    const nested = { operator: 'AND', conditions: [MARCH] }
    t.match(await query({ filter: nested, expandRecurrences: true }), { type: 'invalidArguments' })
    const long = { after: '2026-01-01T00:00:00', before: '2027-01-03T00:00:00' }
    t.match(await query({ filter: long, expandRecurrences: true }), { type: 'expandDurationTooLarge' })
    t.match(await query({ filter: { after: 'yesterday' } }), { type: 'invalidArguments', arguments: ['filter'] })
    t.match(await query({ filter: null, timeZone: 'Mars/Olympus' }), {
      type: 'invalidArguments',
      arguments: ['timeZone'],
    })
  })

  t.test('an event that costs too much to expand does not keep the others from an answer', async (t) => {
    // Friday the 13th: once in the first year, three times in 2026.
    const { friday, plain } = await create({
      plain: { start: '2026-03-13T09:00:00', duration: 'PT1H', timeZone: BERLIN },
      friday: {
        start: '2025-01-01T00:00:00',
        duration: 'PT1S',
        timeZone: BERLIN,
        recurrenceRule: { frequency: 'secondly', byDay: [{ day: 'fr' }], byMonthDay: [13], byHour: [0, 1] },
      },
      never: {
        start: '2026-03-10T00:00:00',
        timeZone: BERLIN,
        recurrenceRule: { frequency: 'monthly', byDay: [{ day: 'mo' }], bySetPosition: [31] },
      },
    })
    const year = { after: '2026-01-01T00:00:00', before: '2027-01-01T00:00:00' }
    const all = await query({ filter: year, expandRecurrences: true, limit: 5_000, calculateTotal: true })
    t.ok(all.total > 10_000, 'the earliest instances of the event are listed')
    const others = await query({ filter: { ...year, title: 'plain' }, expandRecurrences: true })
    t.same(others.ids, [plain])
    const last = await query({
      filter: { ...year, after: '2026-03-13T03:00:00' },
      expandRecurrences: true,
      limit: 5_000,
    })
    t.equal(last.ids[0], plain)
    const { list } = await hello.call('CalendarEvent/get', { ids: [friday!], properties: ['uid'] })
    t.match(await query({ filter: { ...year, uid: list[0].uid }, expandRecurrences: true }), {
      type: 'cannotCalculateOccurrences',
    })
    const march = await query({ filter: { ...MARCH, uid: list[0].uid }, expandRecurrences: true, calculateTotal: true })
    t.equal(march.total, 7_200, 'control: a month can be expanded')
    t.match(await query({ filter: { after: '2026-03-11T00:00:00' } }), { ids: { length: Number } })
    const { list: principals } = await hello.call('Principal/get', { ids: null })
    const { list: busy } = await hello.call('Principal/getAvailability', {
      id: principals[0].id,
      utcStart: '2026-02-12T00:00:00Z',
      utcEnd: '2026-03-14T00:00:00Z',
      showDetails: false,
    })
    t.ok(busy.some(({ utcStart }: { utcStart: string }) => utcStart === '2026-03-13T08:00:00Z'))
    t.notOk(busy.some(({ utcStart }: { utcStart: string }) => utcStart.startsWith('2026-02-13')))
    await set({ destroy: [friday!, plain!] })
  })

  t.test('an instance is read, changed and removed by its id (draft-ietf-jmap-calendars 5.7, 5.9)', async (t) => {
    const { standup } = await create({
      standup: {
        start: '2026-05-04T09:00:00',
        timeZone: BERLIN,
        recurrenceRule: { frequency: 'daily' },
        alerts: { a: { trigger: { offset: '-PT5M' } } },
      },
    })
    const week = {
      filter: { after: '2026-05-04T00:00:00', before: '2026-05-08T00:00:00', title: 'standup' },
      expandRecurrences: true,
    }
    const [, tuesday, wednesday, thursday] = (await query(week)).ids
    const get = async (id: string, args: object = {}) =>
      (await hello.call('CalendarEvent/get', { ids: [id], ...args })).list[0]
    const whole = await get(tuesday)
    t.match(whole, {
      id: tuesday,
      baseEventId: standup,
      start: '2026-05-05T09:00:00',
      recurrenceId: '2026-05-05T09:00:00',
      recurrenceIdTimeZone: BERLIN,
    })
    t.notOk('recurrenceRule' in whole)
    t.match(await get(tuesday, { properties: ['recurrenceRule', 'recurrenceOverrides'] }), {
      recurrenceRule: null,
      recurrenceOverrides: null,
    })

    const { state } = await hello.call('CalendarEvent/get', { ids: [] })
    const { updated } = await set({ update: { [tuesday]: { title: 'Long standup', duration: 'PT1H' } } })
    t.same(updated[tuesday], { sequence: 1 })
    t.same((await get(standup!)).recurrenceOverrides, {
      '2026-05-05T09:00:00': { title: 'Long standup', duration: 'PT1H' },
    })
    t.match(await get(tuesday), { title: 'Long standup', duration: 'PT1H' })
    await set({ update: { [tuesday]: { title: 'standup', duration: null } } })
    t.same((await get(standup!)).recurrenceOverrides, { '2026-05-05T09:00:00': {} })
    const refused = async (patch: object) => (await set({ update: { [tuesday]: patch } })).notUpdated[tuesday]
    t.match(await refused({ recurrenceRule: { frequency: 'weekly' } }), {
      type: 'invalidProperties',
      properties: ['recurrenceRule'],
    })
    t.match(await refused({ calendarIds: {} }), { type: 'invalidProperties', properties: ['calendarIds'] })
    t.match(await refused({ start: 'noon' }), { type: 'invalidProperties' })

    t.same((await set({ destroy: [wednesday] })).destroyed, [wednesday])
    t.same((await get(standup!)).recurrenceOverrides['2026-05-06T09:00:00'], { excluded: true })
    t.match((await set({ destroy: [wednesday] })).notDestroyed[wednesday], { type: 'notFound' })
    t.equal((await query(week)).ids.length, 3)

    await set({ update: { [thursday]: { 'alerts/a/acknowledged': '2026-05-07T07:00:00Z' } } })
    const series = await get(standup!)
    t.equal(series.alerts.a.acknowledged, '2026-05-07T07:00:00Z', 'acknowledging makes no override')
    t.notOk(series.recurrenceOverrides['2026-05-07T09:00:00'])
    const changes = await hello.call('CalendarEvent/changes', { sinceState: state })
    t.same([changes.created, changes.updated, changes.destroyed], [[], [standup], []], 'instances are in no log')

    await set({ update: { [standup!]: { recurrenceRule: { frequency: 'weekly' } } } })
    const { notFound } = await hello.call('CalendarEvent/get', { ids: [thursday] })
    t.same(notFound, [thursday], 'an instance that the rule does not make any more')
  })

  t.test('/queryChanges tells what entered and left a list that is not expanded (RFC 8620 5.6)', async (t) => {
    const filter = { title: 'counted' }
    const { queryState } = await query({ filter })
    const { counted } = await create({ counted: { start: '2026-06-01T10:00:00' } })
    const changes = await hello.call('CalendarEvent/queryChanges', {
      filter,
      sinceQueryState: queryState,
      timeZone: BERLIN,
    })
    t.same(changes.added, [{ id: counted, index: 0 }])
    const expanded = { filter: MARCH, expandRecurrences: true, sinceQueryState: queryState }
    t.match(await hello.call('CalendarEvent/queryChanges', expanded), { type: 'cannotCalculateChanges' })
  })
})
