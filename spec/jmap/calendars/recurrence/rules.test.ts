import fc from 'fast-check'
import t from 'tap'
import type { RecurrenceRule } from '../../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { expand, recurrenceId } from '../../../../jmap/calendars/recurrence/expand.ts'
import { prepare } from '../../../../jmap/calendars/recurrence/prepare.ts'
import type { RecurrenceError } from '../../../../jmap/calendars/recurrence/work.ts'
import { naiveOccurrences } from './naive-recurrence.ts'
import { HORIZON_DAYS, randomCase } from './random-rules.ts'

const DAY_MS = 86_400_000

/** LocalDateTimes that rules alone produce, up to a LocalDateTime. */
function occurrences(rule: RecurrenceRule, start: string, end: string): string[] {
  const prepared = prepare({ start, recurrenceRule: rule }, { startOutsideRules: 'ignored' })
  const range = { start: Date.parse(`${start}Z`), end: Date.parse(`${end}Z`) + 1_000 }
  return expand(prepared, range).map(recurrenceId)
}

function dates(rule: RecurrenceRule, start: string, end = '2100-01-01'): string[] {
  return occurrences(rule, `${start}T09:00:00`, `${end}T00:00:00`).map((local) => local.slice(0, 10))
}

t.test('RFC 5545 3.8.5.3: examples that programs read differently', async (t) => {
  const th: RecurrenceRule = { frequency: 'yearly', byMonth: ['3'], byDay: [{ day: 'th' }], count: 4 }
  t.same(dates(th, '1997-03-13'), ['1997-03-13', '1997-03-20', '1997-03-27', '1998-03-05'])
  t.same(dates({ frequency: 'yearly', byWeekNo: [20], byDay: [{ day: 'mo' }], count: 3 }, '1997-05-12'), [
    '1997-05-12',
    '1998-05-11',
    '1999-05-17',
  ])
  t.same(dates({ frequency: 'yearly', interval: 3, byYearDay: [1, 100, 200], count: 5 }, '1997-01-01'), [
    '1997-01-01',
    '1997-04-10',
    '1997-07-19',
    '2000-01-01',
    '2000-04-09',
  ])
  t.same(dates({ frequency: 'yearly', byDay: [{ day: 'mo', nthOfPeriod: 20 }], count: 3 }, '1997-05-19'), [
    '1997-05-19',
    '1998-05-18',
    '1999-05-17',
  ])
  const workday = ['mo', 'tu', 'we', 'th', 'fr'].map((day) => ({ day })) as NonNullable<RecurrenceRule['byDay']>
  t.same(dates({ frequency: 'monthly', byDay: workday, bySetPosition: [-2], count: 3 }, '1997-09-29'), [
    '1997-09-29',
    '1997-10-30',
    '1997-11-27',
  ])
  const everyOther: RecurrenceRule = {
    frequency: 'weekly',
    interval: 2,
    count: 4,
    byDay: [{ day: 'tu' }, { day: 'su' }],
  }
  t.same(dates(everyOther, '1997-08-05'), ['1997-08-05', '1997-08-10', '1997-08-19', '1997-08-24'])
  t.same(dates({ ...everyOther, firstDayOfWeek: 'su' }, '1997-08-05'), [
    '1997-08-05',
    '1997-08-17',
    '1997-08-19',
    '1997-08-31',
  ])
  t.same(dates({ frequency: 'monthly', byMonthDay: [15, 30], count: 5 }, '2007-01-15'), [
    '2007-01-15',
    '2007-01-30',
    '2007-02-15',
    '2007-03-15',
    '2007-03-30',
  ])
})

t.test('a start on a leap day recurs in leap years; `skip` moves it (RFC 7529 4.1)', async (t) => {
  const yearly: RecurrenceRule = { frequency: 'yearly', count: 3 }
  t.same(dates(yearly, '2016-02-29'), ['2016-02-29', '2020-02-29', '2024-02-29'])
  t.same(dates({ ...yearly, skip: 'forward' }, '2016-02-29'), ['2016-02-29', '2017-03-01', '2018-03-01'])
  t.same(dates({ ...yearly, skip: 'backward' }, '2016-02-29'), ['2016-02-29', '2017-02-28', '2018-02-28'])
  const monthly: RecurrenceRule = { frequency: 'monthly', byMonthDay: [1, 31], skip: 'forward', count: 5 }
  t.same(
    dates(monthly, '2015-01-31'),
    ['2015-01-31', '2015-02-01', '2015-03-01', '2015-03-31', '2015-04-01'],
    'a common day counts once',
  )
  t.same(dates({ frequency: 'yearly', byYearDay: [366], skip: 'backward', count: 3 }, '2012-12-31'), [
    '2012-12-31',
    '2013-12-31',
    '2014-12-31',
  ])
})

t.test('RFC 7529 4.3: other calendars', async (t) => {
  t.same(dates({ frequency: 'yearly', rscale: 'chinese' }, '2013-02-10', '2017-06-01'), [
    '2013-02-10',
    '2014-01-31',
    '2015-02-19',
    '2016-02-08',
    '2017-01-28',
  ])
  t.same(dates({ frequency: 'monthly', rscale: 'ethiopic', byMonth: ['13'], count: 5 }, '2013-09-06'), [
    '2013-09-06',
    '2014-09-06',
    '2015-09-06',
    '2016-09-06',
    '2017-09-06',
  ])
  const hebrew: RecurrenceRule = { frequency: 'yearly', rscale: 'hebrew', byMonth: ['5L'], byMonthDay: [8], count: 5 }
  t.same(dates({ ...hebrew, skip: 'forward' }, '2014-02-08'), [
    '2014-02-08',
    '2015-02-27',
    '2016-02-17',
    '2017-03-06',
    '2018-02-23',
  ])
  t.same(dates(hebrew, '2014-02-08').slice(0, 2), ['2014-02-08', '2016-02-17'], 'omitted in years without a leap month')
  t.same(dates({ frequency: 'monthly', rscale: 'hebrew', interval: 13, count: 2 }, '2014-02-08'), [
    '2014-02-08',
    '2015-02-27',
  ])
  t.throws(() => dates({ frequency: 'yearly', rscale: 'klingon' }, '2014-02-08'), {
    code: 'invalidRule',
    message: /rscale/,
  })
})

t.test('weeks of a year belong to the year of their fourth day, also where the interval counts', async (t) => {
  t.same(
    dates(
      { frequency: 'yearly', byWeekNo: [1], byDay: [{ day: 'mo' }, { day: 'tu' }], interval: 3 },
      '2024-12-31',
      '2031-06-01',
    ),
    ['2024-12-31', '2028-01-03', '2028-01-04', '2030-12-30', '2030-12-31'],
  )
  t.same(dates({ frequency: 'yearly', byMonth: ['12'], byMonthDay: [30], byWeekNo: [1], count: 3 }, '2024-12-30'), [
    '2024-12-30',
    '2025-12-30',
    '2030-12-30',
  ])
})

t.test('random rules agree with every day compared with every part', async (t) => {
  let instances = 0
  let refused = 0
  fc.assert(
    fc.property(randomCase, ({ rule, start }) => {
      const end = new Date(Date.parse(`${start}Z`) + HORIZON_DAYS[rule.frequency] * DAY_MS).toISOString().slice(0, 19)
      const expected = naiveOccurrences(rule, start, end)
      if (expected.length > 10_000) return
      try {
        t.strictSame(occurrences(rule, start, end), expected, JSON.stringify({ rule, start }))
        instances += expected.length
      } catch (error) {
        // A count that a rule never reaches.
        t.equal((error as RecurrenceError).code, 'tooMuchWork')
        t.notSame(expected.length, rule.count)
        refused++
      }
    }),
    { numRuns: 400, seed: 5545 },
  )
  t.ok(instances > 2_000, `${instances} occurrences were compared`)
  t.ok(refused < 40, `${refused} rules were refused`)
})

t.test('parts that contradict each other or their range are refused in words', async (t) => {
  for (const [rule, words] of [
    [{ frequency: 'weekly', byMonthDay: [1] }, /byMonthDay/],
    [{ frequency: 'monthly', byWeekNo: [1] }, /byWeekNo/],
    [{ frequency: 'daily', byYearDay: [1] }, /byYearDay/],
    [{ frequency: 'daily', byDay: [{ day: 'mo', nthOfPeriod: 1 }] }, /nthOfPeriod/],
    [{ frequency: 'yearly', byWeekNo: [1], byDay: [{ day: 'mo', nthOfPeriod: 1 }] }, /nthOfPeriod/],
    [{ frequency: 'monthly', bySetPosition: [0] }, /bySetPosition/],
    [{ frequency: 'monthly', byMonthDay: [0] }, /byMonthDay/],
    [{ frequency: 'monthly', byMonthDay: [32] }, /byMonthDay/],
    [{ frequency: 'monthly', byMonthDay: [] }, /byMonthDay/],
    [{ frequency: 'yearly', byMonth: ['14'] }, /byMonth/],
    [{ frequency: 'daily', byHour: [24] }, /byHour/],
    [{ frequency: 'daily', interval: 0 }, /interval/],
    [{ frequency: 'daily', count: 0 }, /count/],
    [{ frequency: 'daily', count: 1, until: '2030-01-01T00:00:00' }, /until/],
    [{ frequency: 'daily', until: '2030-02-30T00:00:00' }, /until/],
    [{ frequency: 'daily', byHour: Array(801).fill(1) }, /byHour/],
  ] as const) {
    t.throws(() => occurrences(rule, '2026-01-01T00:00:00', '2027-01-01T00:00:00'), {
      code: 'invalidRule',
      message: words,
    })
  }
})
