import fc from 'fast-check'
import t from 'tap'
import type { RecurrenceRule } from '../../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { tryOut } from '../../../../jmap/calendars/recurrence/cost.ts'
import {
  expand,
  extent,
  type Instance,
  nextInstance,
  recurrenceId,
} from '../../../../jmap/calendars/recurrence/expand.ts'
import { type Prepared, prepare, type RuleSet } from '../../../../jmap/calendars/recurrence/prepare.ts'
import { PreparedEvents } from '../../../../jmap/calendars/recurrence/prepared-events.ts'
import { SharedExpansion } from '../../../../jmap/calendars/recurrence/shared-expansion.ts'
import { type RecurrenceError, Work } from '../../../../jmap/calendars/recurrence/work.ts'
import { randomCase } from './random-rules.ts'

const DAY_MS = 86_400_000
const daily: RecurrenceRule = { frequency: 'daily' }
const berlin: RuleSet = {
  start: '2026-03-27T02:30:00',
  duration: 'PT1H',
  timeZone: 'Europe/Berlin',
  recurrenceRule: daily,
}

function range(start: string, end: string): { start: number; end: number } {
  return { start: Date.parse(start), end: Date.parse(end) }
}

function shown(instances: readonly Instance[]): string[] {
  return instances.map((instance) => {
    const [start, end] = [instance.start, instance.end].map((time) => new Date(time).toISOString().slice(5, 16))
    return `${recurrenceId(instance).slice(5, 16)} ${start} ${end}`
  })
}

function instancesOf(set: RuleSet, from: string, to: string): string[] {
  return shown(expand(prepare(set), range(from, to)))
}

t.test('instances have their local time and UTC, also where clocks change', async (t) => {
  t.same(instancesOf(berlin, '2026-03-27T12:00:00Z', '2026-03-31T00:00:00Z'), [
    '03-28T02:30 03-28T01:30 03-28T02:30',
    '03-29T02:30 03-29T01:30 03-29T02:30',
    '03-30T02:30 03-30T00:30 03-30T01:30',
  ])
  const days: RuleSet = { ...berlin, start: '2026-03-28T00:00:00', duration: 'P1D' }
  t.same(instancesOf(days, '2026-03-28T23:00:00Z', '2026-03-29T23:00:00Z'), [
    '03-29T00:00 03-28T23:00 03-29T22:00',
    '03-30T00:00 03-29T22:00 03-30T22:00',
  ])
  t.same(instancesOf({ ...days, duration: 'PT24H' }, '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'), [
    '03-29T00:00 03-28T23:00 03-29T23:00',
  ])
})

t.test('floating events are seen in the zone of the reader', async (t) => {
  const floating = prepare({ start: '2026-07-01T09:00:00', duration: 'PT1H', timeZone: null, recurrenceRule: daily })
  const found = expand(floating, range('2026-07-02T00:00:00Z', '2026-07-03T00:00:00Z'), { floatingZone: 'Asia/Tokyo' })
  t.same(shown(found), ['07-02T09:00 07-02T00:00 07-02T01:00'])
})

t.test('an instance overlaps a range whose end it reaches over; one without duration has to begin in it', async (t) => {
  const set: RuleSet = { start: '2026-01-01T09:00:00', duration: 'PT2H', timeZone: 'Etc/UTC', recurrenceRule: daily }
  t.equal(instancesOf(set, '2026-01-02T11:00:00Z', '2026-01-03T09:00:00Z').length, 0)
  t.equal(instancesOf(set, '2026-01-02T10:59:59Z', '2026-01-03T09:00:01Z').length, 2)
  const moment: RuleSet = { ...set, duration: 'PT0S' }
  t.equal(instancesOf(moment, '2026-01-02T09:00:00Z', '2026-01-03T09:00:00Z').length, 1)
})

t.test('overrides add, exclude and move instances (RFC 8984 4.3.5)', async (t) => {
  const set: RuleSet = {
    ...berlin,
    start: '2026-05-04T09:00:00',
    recurrenceRule: { frequency: 'weekly', count: 3 },
    recurrenceOverrides: {
      '2026-05-04T09:00:00': { title: 'the first one' },
      '2026-05-11T09:00:00': { excluded: true },
      '2026-05-18T09:00:00': { start: '2026-05-19T10:00:00', duration: 'PT2H' },
      '2026-05-06T12:00:00': {},
      '2026-05-01T09:00:00': { timeZone: 'Etc/UTC' },
    },
  }
  const all = [
    '05-01T09:00 05-01T09:00 05-01T10:00',
    '05-04T09:00 05-04T07:00 05-04T08:00',
    '05-06T12:00 05-06T10:00 05-06T11:00',
    '05-18T09:00 05-19T08:00 05-19T10:00',
  ]
  t.same(instancesOf(set, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'), all)
  t.same(instancesOf(set, '2026-05-18T00:00:00Z', '2026-05-19T00:00:00Z'), [], 'it was moved away')
  t.same(instancesOf(set, '2026-05-19T00:00:00Z', '2026-05-20T00:00:00Z'), all.slice(3), 'it was moved here')
  t.same(extent(prepare(set)), range('2026-05-01T09:00:00Z', '2026-05-19T10:00:00Z'))
})

t.test(
  'the start is the first instance and is counted, also if the rule does not produce it (RFC 8984 4.3.3.1)',
  async (t) => {
    const set: RuleSet = {
      start: '2026-01-01T09:00:00',
      recurrenceRule: { frequency: 'weekly', byDay: [{ day: 'mo' }], count: 2 },
    }
    const year = range('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')
    t.same(expand(prepare(set), year).map(recurrenceId), ['2026-01-01T09:00:00', '2026-01-05T09:00:00'])
    const asICalendar = prepare(set, { startOutsideRules: 'ignored' })
    t.same(expand(asICalendar, year).map(recurrenceId), ['2026-01-05T09:00:00', '2026-01-12T09:00:00'])
    t.equal(expand(prepare({ start: '2026-01-01T09:00:00' }), year).length, 1, 'without a rule')
  },
)

t.test('several rules are joined, and excluded rules remove what they match (RFC 8984 4.3.4)', async (t) => {
  const set: RuleSet = {
    start: '2026-06-01T09:00:00',
    recurrenceRules: [
      { frequency: 'daily', count: 4 },
      { frequency: 'daily', interval: 2, count: 4 },
    ],
    excludedRecurrenceRules: [{ frequency: 'weekly', byDay: [{ day: 'tu' }] }],
  }
  const found = expand(prepare(set), range('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).map((one) =>
    recurrenceId(one).slice(8, 10),
  )
  t.same(found, ['01', '03', '04', '05', '07'])
  t.equal(nextInstance(prepare(set), Date.parse('2026-06-01T12:00:00Z'))!.start, Date.parse('2026-06-03T09:00:00Z'))
})

t.test(
  'a range far from the start has the instances that a walk from the start finds; the next instance is the first of the rest',
  async (t) => {
    let found = 0
    let refused = 0
    fc.assert(
      fc.property(
        randomCase,
        fc.integer({ min: 0, max: 3_000 }),
        fc.constantFrom(...['Europe/Berlin', null]),
        ({ rule, start }, days, timeZone) => {
          const short = { hourly: 40, minutely: 4, secondly: 0.1 }[rule.frequency as 'hourly'] ?? 3_000
          const duration = short < 50 ? 'PT5M' : 'P1DT1H'
          const from = Date.parse(`${start}Z`) + ((days * short) / 3_000) * DAY_MS
          const whole = { start: Date.parse(`${start}Z`) - DAY_MS, end: from + (short / 10) * DAY_MS }
          let prepared: Prepared
          let all: Instance[]
          try {
            prepared = prepare({ start, timeZone, duration, recurrenceRule: rule })
            all = expand(prepared, whole)
          } catch (error) {
            t.match((error as RecurrenceError).code, /^tooM/)
            refused++
            return
          }
          const expected = all.filter((one) => one.end > from)
          found += expected.length
          t.same(expand(prepared, { start: from, end: whole.end }), expected, JSON.stringify({ rule, start, from }))
          const next = all.find((one) => one.start > from)
          if (next) t.same(nextInstance(prepared, from)?.start, next.start, JSON.stringify({ rule, start, from }))
          const { start: least, end: most } = extent(prepared)
          t.ok(all.every((one) => one.start >= least && (most === null || one.end <= most)))
        },
      ),
      { numRuns: 300, seed: 8984 },
    )
    t.ok(found > 1_000, `${found} instances were compared`)
    t.ok(refused < 40, `${refused} rules were refused`)
  },
)

t.test('what is kept of an event equals what is prepared anew, after every kind of change', async (t) => {
  const kept = new PreparedEvents().ofAccount(1)
  const changes: RuleSet[] = [
    berlin,
    { ...berlin, start: '2026-03-28T02:30:00' },
    { ...berlin, duration: 'PT3H' },
    { ...berlin, timeZone: 'America/New_York' },
    { ...berlin, timeZone: null },
    { ...berlin, recurrenceRule: { ...daily, interval: 2 } },
    { ...berlin, recurrenceRule: { ...daily, count: 5 } },
    { ...berlin, recurrenceRule: { ...daily, until: '2026-04-02T02:30:00' } },
    { ...berlin, recurrenceRule: { ...daily, byDay: [{ day: 'mo' }] } },
    { ...berlin, recurrenceRules: [{ ...daily, byHour: [7] }] },
    { ...berlin, excludedRecurrenceRules: [{ frequency: 'weekly' }] },
    { ...berlin, recurrenceOverrides: { '2026-03-30T02:30:00': { excluded: true } } },
    { ...berlin, recurrenceOverrides: { '2026-03-30T02:30:00': { start: '2026-03-30T12:00:00' } } },
    { ...berlin, recurrenceOverrides: { '2026-03-30T12:00:00': {} } },
  ]
  const april = range('2026-03-20T00:00:00Z', '2026-04-20T00:00:00Z')
  const answers = new Set<string>()
  for (const [revision, set] of changes.entries()) {
    const fresh = expand(prepare(set), april)
    for (const read of [() => set, () => t.fail('read again')]) {
      t.same(expand(kept.get(1, revision, read as () => RuleSet), april), fresh)
    }
    answers.add(JSON.stringify(fresh))
  }
  t.equal(answers.size, changes.length, 'every change changes the answer')
  t.throws(() => kept.get(1, 'last', () => ({ ...berlin, start: 'never' })), { code: 'invalidRule' })
  t.same(
    expand(
      kept.get(1, 0, () => berlin),
      april,
    ),
    expand(prepare(berlin), april),
  )
})

t.test('only a bounded number of prepared events is kept', async (t) => {
  const kept = new PreparedEvents(100_000)
  let reads = 0
  const get = (id: number, of = kept.ofAccount(1)) =>
    of.get(id, 1, () => {
      reads++
      return berlin
    })
  const other = kept.ofAccount(2)
  get(1, other)
  for (let id = 0; id < 200; id++) get(id)
  get(199)
  t.equal(reads, 201)
  get(0)
  t.equal(reads, 202, 'the oldest one was dropped')
  get(1, other)
  get(2, other)
  get(1, other)
  t.equal(reads, 204, 'an account whose events were dropped meanwhile keeps new ones')
  t.equal(kept.ofAccount(2).find(1, 2), null, 'another revision')
})

t.test('rules that cost too much end with an error in words, wherever they are asked', async (t) => {
  const lists = { byMonth: ['1', '2'], byMonthDay: [30], byHour: Array.from({ length: 24 }, (_, hour) => hour) }
  const bombs: readonly (readonly [RuleSet, 'ok' | string])[] = [
    [{ start: '2026-01-01T00:00:00', recurrenceRule: { frequency: 'secondly' } }, 'tooManyInstances'],
    [{ start: '0001-01-01T00:00:00', recurrenceRule: { frequency: 'secondly' } }, 'tooManyInstances'],
    [{ start: '2026-01-01T00:00:00', recurrenceRule: { frequency: 'secondly', count: 1_000_000_000 } }, 'tooMuchWork'],
    [
      { start: '2026-01-01T00:00:00', recurrenceRule: { frequency: 'secondly', byMonth: ['2'], byMonthDay: [30] } },
      'ok',
    ],
    [
      {
        start: '2026-01-01T00:00:00',
        recurrenceRule: { frequency: 'secondly', interval: 7, byMonthDay: [31], byMonth: ['2'], byHour: [3] },
      },
      'ok',
    ],
    [
      {
        start: '2026-01-01T00:00:00',
        recurrenceRule: { frequency: 'secondly', count: 2, byMonthDay: [31], byMonth: ['2'] },
      },
      'ok',
    ],
    [
      { start: '2026-01-01T00:00:00', recurrenceRule: { frequency: 'minutely', interval: Number.MAX_SAFE_INTEGER } },
      'ok',
    ],
    [{ start: '2026-01-01T00:00:00', recurrenceRule: { frequency: 'daily', interval: Number.MAX_SAFE_INTEGER } }, 'ok'],
    [
      {
        start: '2026-01-01T00:00:00',
        recurrenceRule: { frequency: 'yearly', interval: Number.MAX_SAFE_INTEGER, byWeekNo: [53] },
      },
      'ok',
    ],
    [{ start: '2026-01-01T00:00:00', recurrenceRule: { frequency: 'daily', count: Number.MAX_SAFE_INTEGER } }, 'ok'],
    [{ start: '0001-01-01T00:00:00', recurrenceRule: { frequency: 'weekly', count: 1_000_000_000 } }, 'ok'],
    [
      {
        start: '0001-01-01T00:00:00',
        recurrenceRule: { frequency: 'daily', byMonth: ['2'], byMonthDay: [30], count: 5 },
      },
      'ok',
    ],
    [{ start: '9999-12-31T23:59:59', duration: 'P9999D', recurrenceRule: { frequency: 'secondly' } }, 'ok'],
    [
      { start: '2026-01-01T00:00:00', duration: 'P36500D', recurrenceRule: { frequency: 'minutely' } },
      'tooManyInstances',
    ],
    [
      {
        start: '2026-01-01T00:00:00',
        recurrenceRule: { frequency: 'yearly', ...lists, byMinute: lists.byHour, bySecond: lists.byHour },
      },
      'tooManyInstances',
    ],
    [
      {
        start: '2026-01-01T00:00:00',
        recurrenceRule: { frequency: 'monthly', rscale: 'chinese', interval: 1_000, byMonth: ['12L'] },
      },
      'tooMuchWork',
    ],
  ]
  const asked = range('2026-01-01T00:00:00Z', '2030-01-01T00:00:00Z')
  for (const [set, expected] of bombs) {
    let answer = 'ok'
    try {
      const prepared = prepare(set)
      nextInstance(prepared, asked.end)
      extent(prepared)
      expand(prepared, asked)
    } catch (error) {
      answer = (error as { code: string }).code
      t.match((error as Error).message, /^the recurrence/)
    }
    t.equal(answer, expected, JSON.stringify(set))
  }
  const overrides = Object.fromEntries(
    Array.from({ length: 10_001 }, (_, day) => [new Date(day * DAY_MS).toISOString().slice(0, 19), {}]),
  )
  t.throws(() => prepare({ ...berlin, recurrenceOverrides: overrides }), {
    code: 'tooManyInstances',
    message: /recurrenceOverrides/,
  })
  t.throws(() => prepare({ ...berlin, timeZone: 'Nowhere/City' }), {
    code: 'unknownTimeZone',
    message: /timeZone: "Nowhere\/City"/,
  })
})

t.test('a rule that matches once in decades, or never, costs little to look for', async (t) => {
  const mondays = { byYearDay: [60], byMonthDay: [29], byDay: [{ day: 'mo' as const }] }
  const rare: readonly (readonly [string, RecurrenceRule, string | null])[] = [
    [
      '2017-01-01T00:00:00',
      { frequency: 'daily', byMonthDay: [29], byMonth: ['2'], byDay: [{ day: 'mo' }] },
      '2044-02-29',
    ],
    ['2017-01-01T00:00:00', { frequency: 'hourly', interval: 25, ...mondays }, '2044-02-29'],
    ['2017-01-01T00:00:00', { frequency: 'secondly', ...mondays, byHour: [3] }, '2044-02-29'],
    ['2097-03-01T00:00:00', { frequency: 'minutely', byYearDay: [366], byHour: [9], byMinute: [5] }, '2104-12-31'],
    ['2026-01-01T04:00:00', { frequency: 'secondly', interval: 172_800, byHour: [5] }, null],
    ['2026-01-01T00:00:00', { frequency: 'daily', interval: 2, byMonth: ['2'], byMonthDay: [30] }, null],
    ['2026-01-01T00:00:00', { frequency: 'yearly', byWeekNo: [53], byMonth: ['6'] }, null],
    ['2026-01-01T00:00:00', { frequency: 'monthly', interval: 5, byMonth: ['2'], byMonthDay: [30] }, null],
  ]
  for (const [start, recurrenceRule, expected] of rare) {
    const work = new Work()
    const found = nextInstance(prepare({ start, recurrenceRule }), Date.parse(`${start}Z`) + DAY_MS, { work })
    t.equal(found && recurrenceId(found).slice(0, 10), expected, JSON.stringify(recurrenceRule))
    t.ok(work.spent < 600_000, `${work.spent} steps`)
  }
  const leapDays: RuleSet = {
    start: '2026-01-01T00:00:00',
    recurrenceRule: { frequency: 'secondly', byMonth: ['2'], byMonthDay: [29] },
  }
  t.throws(() => tryOut(leapDays), { code: 'tooManyInstances' }, 'the first year in which it recurs counts')
  t.doesNotThrow(() => tryOut({ ...leapDays, recurrenceRule: { ...leapDays.recurrenceRule!, frequency: 'hourly' } }))
})

t.test('many events share an expansion: those that need most come last, with their earliest instances', async (t) => {
  const start = '2026-01-01T00:00:00'
  const rules: { readonly [name: string]: RecurrenceRule } = {
    secondly: { frequency: 'secondly' },
    hourly: { frequency: 'hourly' },
    never: { frequency: 'monthly', byDay: [{ day: 'mo' }], bySetPosition: [31] },
    daily,
  }
  const share = (names: readonly string[], room: number) => {
    const given = new Map<string, number>()
    const year = range('2026-06-01T00:00:00Z', '2027-06-01T00:00:00Z')
    const expansion = new SharedExpansion<string>(year, (name, { length }) => given.set(name, length))
    for (const name of names) expansion.add(name, prepare({ start, recurrenceRule: rules[name]! }), 'Etc/UTC')
    const cut = expansion.finish(room).map(({ of, instances, error }) => [of, instances.length, error.code])
    return { given: Object.fromEntries(given), cut }
  }
  t.same(share(['secondly', 'hourly', 'never', 'daily'], 20_000), {
    given: { daily: 365, hourly: 8_760, never: 0 },
    cut: [['secondly', 10_000, 'tooManyInstances']],
  })
  t.same(share(['secondly', 'secondly', 'hourly'], 10_000), {
    given: { hourly: 8_760 },
    cut: [
      ['secondly', 620, 'tooManyInstances'],
      ['secondly', 620, 'tooManyInstances'],
    ],
  })
})
