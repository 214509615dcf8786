/** Events of an office: meetings each week, some each day or month, birthdays, a few ends. */
import type { RecurrenceRule } from '../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import type { RuleSet } from '../../../jmap/calendars/recurrence/prepare.ts'

const DAY_MS = 86_400_000
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Tokyo',
  'Europe/London',
  'America/Los_Angeles',
  'Australia/Sydney',
  'Asia/Kolkata',
]
const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr'] as const

function ruleAt(index: number): RecurrenceRule {
  const day = WEEKDAYS[index % 5]!
  const kinds: readonly RecurrenceRule[] = [
    { frequency: 'weekly' },
    { frequency: 'weekly', byDay: [{ day }] },
    { frequency: 'weekly', interval: 2, byDay: [{ day }, { day: 'fr' }] },
    { frequency: 'weekly', byDay: WEEKDAYS.map((one) => ({ day: one })) },
    { frequency: 'weekly', count: 200 },
    { frequency: 'daily', until: '2027-06-30T00:00:00' },
    { frequency: 'monthly', byDay: [{ day, nthOfPeriod: 2 }] },
    { frequency: 'monthly', byDay: WEEKDAYS.map((one) => ({ day: one })), bySetPosition: [-1] },
    { frequency: 'yearly' },
    { frequency: 'yearly', byMonth: ['11'], byDay: [{ day: 'th', nthOfPeriod: 4 }] },
  ]
  return kinds[index % kinds.length]!
}

export function eventAt(index: number, isRecurring: boolean): RuleSet {
  const start = new Date(Date.UTC(2019, 0, 1, 8) + ((index * 7_919) % 2_500) * DAY_MS + (index % 20) * 1_800_000)
    .toISOString()
    .slice(0, 19)
  const set: RuleSet = { start, duration: 'PT45M', timeZone: ZONES[index % ZONES.length]! }
  if (!isRecurring) return set
  const recurrenceOverrides =
    index % 4 === 0 ? { [start]: { title: 'changed' }, '2026-11-03T09:00:00': { excluded: true } } : {}
  return { ...set, recurrenceRule: ruleAt(index), recurrenceOverrides }
}
