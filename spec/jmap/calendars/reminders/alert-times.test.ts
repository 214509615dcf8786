import t from 'tap'
import type { Event } from '../../../../jmap/calendars/jscalendar/event.ts'
import { prepare } from '../../../../jmap/calendars/recurrence/prepare.ts'
import { dueAlerts } from '../../../../jmap/calendars/reminders/alert-times.ts'
import type { JsonObject } from '../../../../server/base/json.ts'

const NO_DEFAULTS = { withTime: {}, withoutTime: {} }
const before = (offset: string, more: object = {}) => ({
  action: 'email',
  trigger: { '@type': 'OffsetTrigger', offset },
  ...more,
})
const at = (when: string, more: object = {}) => ({
  action: 'display',
  trigger: { '@type': 'AbsoluteTrigger', when },
  ...more,
})

interface Asked {
  readonly from: string
  readonly to: string
  readonly zone?: string
  readonly defaults?: typeof NO_DEFAULTS
}

/** What is triggered in a time: `alert@instance time`, and when the next is. */
function triggered(event: object, { from, to, zone = 'Europe/Berlin', defaults = NO_DEFAULTS }: Asked) {
  const whole = { '@type': 'Event', uid: 'u', duration: 'PT1H', ...event } as unknown as Event
  const recurs = whole.recurrenceRule !== undefined || whole.recurrenceOverrides !== undefined
  const prepared = recurs ? prepare(whole as never) : null
  const subject = { event: whole, prepared, floatingZone: zone, defaults }
  const { due, nextAt } = dueAlerts(subject, Date.parse(from), Date.parse(to))
  const text = (time: number) => new Date(time).toISOString().replace(':00.000Z', '')
  return {
    due: due.map(({ alert, at, recurrenceId }) => `${alert.id}@${recurrenceId ?? '-'} ${text(at)}`),
    next: nextAt === null ? null : text(nextAt),
  }
}

const LUNCH = { start: '2026-03-02T12:00:00', timeZone: 'Europe/Berlin' }
const DAILY = { ...LUNCH, recurrenceRule: { frequency: 'daily' } }

t.test('an alert is triggered before or after the start or the end, or at a time', async (t) => {
  const cases: [name: string, alert: object, at: string][] = [
    ['before the start', before('-PT15M'), '2026-03-02T10:45'],
    ['at the start', before('PT0S'), '2026-03-02T11:00'],
    ['after the start', before('PT5M'), '2026-03-02T11:05'],
    ['weeks before', before('-P2W'), '2026-02-16T11:00'],
    [
      'before the end',
      { action: 'email', trigger: { '@type': 'OffsetTrigger', offset: '-PT10M', relativeTo: 'end' } },
      '2026-03-02T11:50',
    ],
    ['at a time', at('2026-03-01T09:30:00Z'), '2026-03-01T09:30'],
  ]
  for (const [name, alert, time] of cases) {
    const event = { ...LUNCH, alerts: { a: alert } }
    t.equal(triggered(event, { from: '2026-01-01T00:00Z', to: '2026-01-02T00:00Z' }).next, time, name)
    const exact = { from: '2026-01-01T00:00Z', to: `${time}Z` }
    t.same(triggered(event, exact), { due: [`a@- ${time}`], next: null }, `${name}, due`)
    const settled = { from: `${time}Z`, to: '2026-03-02T11:55Z' }
    t.same(triggered(event, settled), { due: [], next: null }, `${name}, settled`)
  }
})

t.test('days are counted on the wall clock, hours by the clock in the hand (RFC 5545 3.3.6)', async (t) => {
  // Clocks change on March 29 in Berlin.
  const event = { start: '2026-03-29T12:00:00', timeZone: 'Europe/Berlin' }
  const next = (offset: string) =>
    triggered({ ...event, alerts: { a: before(offset) } }, { from: '2026-03-01T00:00Z', to: '2026-03-01T00:00Z' }).next
  t.equal(next('-P1D'), '2026-03-28T11:00', 'noon on the day before')
  t.equal(next('-PT24H'), '2026-03-28T10:00')
  const series = { ...DAILY, alerts: { a: before('-P1D') } }
  const asked = { from: '2026-03-28T10:30Z', to: '2026-03-28T10:30Z' }
  t.equal(triggered({ ...series, start: '2026-03-01T12:00:00' }, asked).next, '2026-03-28T11:00')
})

t.test('all-day and floating events happen in the zone of the owner (decision D32)', async (t) => {
  const day = { start: '2026-07-01T00:00:00', duration: 'P1D', showWithoutTime: true, alerts: { a: before('-PT30M') } }
  const asked = { from: '2026-06-01T00:00Z', to: '2026-06-01T00:00Z' }
  t.equal(triggered(day, { ...asked, zone: 'Europe/Berlin' }).next, '2026-06-30T21:30')
  t.equal(triggered(day, { ...asked, zone: 'America/New_York' }).next, '2026-07-01T03:30')
  const floating = { start: '2026-07-01T09:00:00', timeZone: null, alerts: { a: before('-PT30M') } }
  t.equal(triggered(floating, { ...asked, zone: 'Asia/Tokyo' }).next, '2026-06-30T23:30')
  t.equal(triggered({ ...floating, timeZone: 'Etc/UTC' }, { ...asked, zone: 'Asia/Tokyo' }).next, '2026-07-01T08:30')
})

t.test('each instance of a series has its alerts; an override may have others', async (t) => {
  const overrides: JsonObject = {
    '2026-03-03T12:00:00': { excluded: true },
    '2026-03-04T12:00:00': { start: '2026-03-04T15:00:00' },
    '2026-03-05T12:00:00': { alerts: { b: before('-PT1H') } },
    '2026-03-06T12:00:00': { 'alerts/a': null },
    '2026-03-07T20:00:00': { title: 'One more' },
  }
  const series = { ...DAILY, recurrenceOverrides: overrides, alerts: { a: before('-PT10M') } }
  const walk: string[] = []
  let from = '2026-03-01T00:00Z'
  for (let i = 0; i < 7; i++) {
    const { next } = triggered(series, { from, to: from })
    walk.push(...triggered(series, { from, to: `${next}Z` }).due)
    from = `${next}Z`
  }
  t.same(walk, [
    'a@2026-03-02T12:00:00 2026-03-02T10:50',
    'a@2026-03-04T12:00:00 2026-03-04T13:50',
    'b@2026-03-05T12:00:00 2026-03-05T10:00',
    'a@2026-03-07T12:00:00 2026-03-07T10:50',
    'a@2026-03-07T20:00:00 2026-03-07T18:50',
    'a@2026-03-08T12:00:00 2026-03-08T10:50',
    'a@2026-03-09T12:00:00 2026-03-09T10:50',
  ])
})

t.test('an absolute alert of a series is triggered once, for the instance that is nearest', async (t) => {
  const series = { ...DAILY, alerts: { a: at('2026-03-05T10:55:00Z'), c: before('-PT10M', { action: 'display' }) } }
  const asked = { from: '2026-03-05T10:51Z', to: '2026-03-05T10:56Z' }
  t.same(triggered(series, asked).due, ['a@2026-03-05T12:00:00 2026-03-05T10:55'])
  t.equal(triggered(series, { from: '2026-03-05T10:51Z', to: '2026-03-05T10:51Z' }).next, '2026-03-05T10:55')
  t.equal(triggered(series, { from: '2026-03-05T10:56Z', to: '2026-03-05T10:56Z' }).next, '2026-03-06T10:50')
})

t.test('a dismissed alert is not triggered again up to that time, but later', async (t) => {
  const series = { ...DAILY, alerts: { a: before('-PT10M', { acknowledged: '2026-03-03T10:50:00Z' }) } }
  t.same(triggered(series, { from: '2026-03-03T00:00Z', to: '2026-03-03T10:50Z' }), {
    due: [],
    next: '2026-03-04T10:50',
  })
  const early = { ...DAILY, alerts: { a: before('-PT10M', { acknowledged: '2026-03-05T09:00:00Z' }) } }
  t.equal(triggered(early, { from: '2026-03-03T00:00Z', to: '2026-03-03T00:00Z' }).next, '2026-03-05T10:50')
})

t.test('default alerts replace those of the event, but for dismissals and snoozes (JMAP Calendars 6.1)', async (t) => {
  const defaults = { withTime: { d: before('-PT20M') }, withoutTime: { e: before('-PT8H') } }
  const asked = { from: '2026-03-01T00:00Z', to: '2026-03-02T10:59Z', defaults }
  const own = { a: before('-PT10M') }
  t.same(triggered({ ...LUNCH, alerts: own }, asked).due, ['a@- 2026-03-02T10:50'], 'not asked for')
  const event = { ...LUNCH, useDefaultAlerts: true }
  t.same(triggered({ ...event, alerts: own }, asked).due, ['d@- 2026-03-02T10:40'])
  t.same(triggered({ ...event, showWithoutTime: true }, asked).due, ['e@- 2026-03-02T03:00'])
  const dismissed = { d: before('-PT20M', { acknowledged: '2026-03-02T10:41:00Z' }) }
  t.same(triggered({ ...event, alerts: dismissed }, asked).due, [])
  const snooze = at('2026-03-02T10:55:00Z', { relatedTo: { d: { relation: { snooze: true } } } })
  t.same(triggered({ ...event, alerts: { ...dismissed, s: snooze } }, asked).due, ['s@- 2026-03-02T10:55'])
  t.same(triggered({ ...event, alerts: { ...dismissed, s: at('2026-03-02T10:55:00Z') } }, asked).due, [])
})

t.test('alerts with unknown actions or triggers are not triggered', async (t) => {
  const asked = { from: '2026-03-01T00:00Z', to: '2026-03-02T10:59Z' }
  const alerts = { a: before('-PT10M', { action: 'audio' }), b: { action: 'email', trigger: { '@type': 'Nearby' } } }
  t.same(triggered({ ...LUNCH, alerts }, asked), { due: [], next: null })
  t.same(triggered({ ...LUNCH, alerts: { ...alerts, c: before('-PT10M') } }, asked).due.length, 1)
})

t.test('what is overdue matters only while its instance is not over', async (t) => {
  const event = { ...LUNCH, alerts: { a: before('-PT10M') } }
  const due = (to: string, more: object = {}) => triggered({ ...event, ...more }, { from: '2026-03-01T00:00Z', to }).due
  t.equal(due('2026-03-02T11:59Z').length, 1, 'an hour late, but it goes on')
  t.equal(due('2026-03-02T12:00Z').length, 0, 'it is over')
  t.equal(due('2026-03-02T11:03Z', { duration: 'PT1M' }).length, 0, 'hardly late, but over')
  t.equal(due('2026-03-02T11:03Z', { duration: 'PT0S', alerts: { a: before('PT0S') } }).length, 1, 'at its end')
  t.equal(due('2026-03-02T12:20Z', { alerts: { a: before('PT75M') } }).length, 1, 'after its end, as it is set')
  t.equal(due('2026-03-02T12:40Z', { alerts: { a: before('PT75M') } }).length, 0, 'after its end and late')
  t.same(
    triggered({ ...DAILY, alerts: { a: before('-PT10M') } }, { from: '2026-01-01T00:00Z', to: '2026-05-04T10:30Z' }),
    { due: ['a@2026-05-04T12:00:00 2026-05-04T09:50'], next: '2026-05-05T09:50' },
    'of a long time only what goes on',
  )
})

t.test('a rule that repeats every second costs a bounded number of steps', async (t) => {
  const alerts = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, before(`-P${i}DT${i}S`)]))
  const event = { ...LUNCH, recurrenceRule: { frequency: 'secondly' }, alerts }
  const begun = process.cpuUsage().user
  try {
    const { due, next } = triggered(event, { from: '2026-03-01T00:00Z', to: '2027-03-02T11:00Z' })
    t.ok(due.length <= 100 && next !== null)
  } catch (error) {
    t.match(error, { name: 'RecurrenceError' })
  }
  t.ok(process.cpuUsage().user - begun < 2_000_000)
})
