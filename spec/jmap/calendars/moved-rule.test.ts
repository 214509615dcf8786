// RFC 5545 3.8.4.4: a change of "this and future" instances moves all of them by the same difference.
import t from 'tap'
import { movedRule } from '../../../jmap/calendars/icalendar/moved-rule.ts'
import type { RecurrenceRule, Weekday } from '../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { expand } from '../../../jmap/calendars/recurrence/expand.ts'
import { formatLocal, parseLocal } from '../../../jmap/calendars/recurrence/local-time.ts'
import { prepare } from '../../../jmap/calendars/recurrence/prepare.ts'

/** A leap year and its neighbours are in it. */
const YEARS = { start: Date.UTC(2024, 0, 1), end: Date.UTC(2033, 0, 1) }
/** Further from the ends than any rule moves. */
const isWithin = (seconds: number) => seconds * 1000 > Date.UTC(2024, 9, 1) && seconds * 1000 < Date.UTC(2032, 0, 1)

const startsOf = (start: string, recurrenceRule: RecurrenceRule) =>
  expand(prepare({ start, recurrenceRule }), YEARS).map(({ start: at }) => at / 1000)

const on = (...days: readonly Weekday[]) => days.map((day) => ({ day }))
const nth = (nthOfPeriod: number, ...days: readonly Weekday[]) => days.map((day) => ({ day, nthOfPeriod }))

/** Rules with a start that they produce, and days by which they can move. */
const MOVABLE: readonly (readonly [start: string, rule: RecurrenceRule, days: readonly number[]])[] = [
  ['2025-01-06T23:00:00', { frequency: 'weekly', byDay: on('mo', 'we') }, [-8, -2, -1, 1, 3, 5, 40]],
  ['2025-01-06T09:00:00', { frequency: 'weekly', interval: 2, byDay: on('mo', 'we', 'su') }, [-5, -1, 1, 4, 6, 7]],
  ['2025-01-05T09:00:00', { frequency: 'weekly', interval: 3, firstDayOfWeek: 'su', byDay: on('su', 'sa') }, [-1, 2]],
  ['2025-01-07T09:00:00', { frequency: 'weekly', byDay: on('tu', 'fr'), bySetPosition: [1] }, [-3, 2, 5]],
  ['2025-01-06T09:00:00', { frequency: 'weekly', interval: 2 }, [-3, 1, 9]],
  ['2025-01-06T09:00:00', { frequency: 'daily', byDay: on('mo', 'tu', 'we', 'th', 'fr') }, [-1, 1, 2]],
  ['2025-01-06T09:00:00', { frequency: 'daily', interval: 3, byDay: on('mo', 'we') }, [1, 4]],
  ['2025-01-06T09:00:00', { frequency: 'hourly', interval: 11 }, [1]],
  ['2025-01-15T09:00:00', { frequency: 'monthly' }, [-14, 2, 13]],
  ['2025-01-15T09:00:00', { frequency: 'monthly', byMonthDay: [1, 15, 20] }, [1, 8]],
  ['2025-01-31T09:00:00', { frequency: 'monthly', byMonthDay: [-1] }, [-1, -27]],
  ['2025-01-13T09:00:00', { frequency: 'monthly', byDay: nth(2, 'mo') }, [-7, -1, 1, 3, 14]],
  ['2025-01-13T09:00:00', { frequency: 'monthly', byDay: nth(2, 'mo', 'we') }, [1]],
  ['2025-01-27T09:00:00', { frequency: 'monthly', byDay: nth(-1, 'mo') }, [-1, -7, -21]],
  ['2025-03-30T09:00:00', { frequency: 'yearly' }, [-20, 1, 2, 40, 290]],
  ['2024-12-31T09:00:00', { frequency: 'yearly', interval: 2 }, [1, -30]],
  ['2025-03-09T09:00:00', { frequency: 'yearly', byMonth: ['3'], byDay: nth(2, 'su') }, [-1, 1]],
  ['2025-03-09T09:00:00', { frequency: 'yearly', byMonth: ['3', '6'], byMonthDay: [9] }, [-2, 5]],
]

t.test('a rule that can say it has the same instances, moved', async (t) => {
  for (const [start, rule, all] of MOVABLE)
    for (const days of all) {
      // Two hours more, which may be the next day.
      const seconds = days * 86_400 + 7_200
      const to = formatLocal(parseLocal(start)! + seconds)
      const moved = movedRule(rule, start, to) as RecurrenceRule | null
      const name = `${JSON.stringify(rule)} by ${days} days`
      t.ok(moved, name)
      const [before, after] = [startsOf(start, rule), moved ? startsOf(to, moved) : []]
      t.ok(before.length > 3, 'control')
      t.same(
        after.filter((time) => isWithin(time - seconds)),
        before.filter(isWithin).map((time) => time + seconds),
        name,
      )
    }
})

t.test('a rule that no other rule can move is said to be none', async (t) => {
  const from = '2025-01-06T09:00:00'
  const cases: readonly (readonly [rule: RecurrenceRule, to: string])[] = [
    [{ frequency: 'weekly', byDay: on('mo'), byHour: [9, 17] }, '2025-01-06T10:00:00'],
    [{ frequency: 'weekly', byDay: on('tu', 'we') }, '2025-01-07T09:00:00'],
    [{ frequency: 'weekly', byDay: on('mo', 'we'), byMonth: ['1'] }, '2025-01-07T09:00:00'],
    [{ frequency: 'monthly', byDay: on('mo') }, '2025-01-07T09:00:00'],
    [{ frequency: 'monthly', byDay: nth(1, 'mo') }, '2025-01-05T09:00:00'],
    [{ frequency: 'monthly', byMonthDay: [6, 28] }, '2025-01-07T09:00:00'],
    [{ frequency: 'monthly' }, '2025-01-30T09:00:00'],
    [{ frequency: 'monthly', rscale: 'hebrew' }, '2025-01-07T09:00:00'],
    [{ frequency: 'yearly' }, '2025-03-06T09:00:00'],
    [{ frequency: 'yearly', byDay: nth(1, 'mo') }, '2025-01-07T09:00:00'],
    [{ frequency: 'yearly', byYearDay: [6] }, '2025-01-07T09:00:00'],
    [{ frequency: 'yearly', byWeekNo: [2] }, '2025-01-07T09:00:00'],
  ]
  for (const [rule, to] of cases) {
    t.equal(movedRule(rule, from, to), null, JSON.stringify(rule))
    t.equal(movedRule(rule, from, from), rule, 'control')
  }
  t.equal(movedRule({ frequency: 'yearly' }, '2024-02-29T09:00:00', '2024-02-28T09:00:00'), null)
})
