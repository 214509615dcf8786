/**
 * Random rules expanded by us and by dateutil. Rules are left out where dateutil differs by design: without the parts that RFC 8984
 * 4.3.3.1 implies, with `skip`, with an interval or positions over weeks of a year, with weeks counted from the end of a year (it misses
 * those of the year beside), with positions in weeks (it begins the first one at the start; RFC 8984 4.3.3.1 at the first day of the week).
 */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import type { RecurrenceRule } from '../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { expand, recurrenceId } from '../../../jmap/calendars/recurrence/expand.ts'
import { prepare } from '../../../jmap/calendars/recurrence/prepare.ts'
import { RecurrenceError } from '../../../jmap/calendars/recurrence/work.ts'
import { HORIZON_DAYS, type RandomCase, randomCase } from '../../../spec/jmap/calendars/recurrence/random-rules.ts'

const PYTHON = `
import sys, json, datetime, signal
from dateutil.rrule import rrulestr
class Late(Exception): pass
def late(*_): raise Late()
signal.signal(signal.SIGALRM, late)
for line in sys.stdin:
    case = json.loads(line)
    start = datetime.datetime.fromisoformat(case['start'])
    end = datetime.datetime.fromisoformat(case['end'])
    out = []
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
      for one in rrulestr('RRULE:' + case['rule'], dtstart=start):
        if one > end or len(out) > 2000: break
        out.append(one.isoformat())
    except Late:
      out = None
    except ValueError as error:
      if 'empty' not in str(error): raise
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(out), flush=True)
`
const SEED = 2445
const DAY_MS = 86_400_000

export function compareWithDateutil(rules: number): { rules: number; instances: number; differences: string[] } {
  if (rules === 0) return { rules: 0, instances: 0, differences: [] }
  const cases = fc.sample(randomCase.filter(isComparable), { numRuns: rules, seed: SEED }).map(({ rule, start }) => ({
    rule,
    start,
    end: new Date(Date.parse(`${start}Z`) + HORIZON_DAYS[rule.frequency] * DAY_MS).toISOString().slice(0, 19),
  }))
  const input = cases.map(({ rule, start, end }) => JSON.stringify({ start, end, rule: rruleOf(rule) })).join('\n')
  const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], { input, encoding: 'utf8', maxBuffer: 1 << 30 })
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[] | null)
  if (answers.length !== cases.length)
    throw new Error(`dateutil answered ${answers.length} of ${cases.length} rules: ${stderr}`)
  const differences: string[] = []
  let instances = 0
  let compared = 0
  for (const [index, { rule, start, end }] of cases.entries()) {
    const wanted = answers[index] ?? null
    // dateutil searches to the year 9999 for what never comes, or the rule has more instances than are compared.
    if (wanted === null || wanted.length > 2_000) continue
    const found = occurrences(rule, start, end)
    // A count that the rule never reaches; dateutil stops at the end of the compared time.
    if (found === null && wanted.length !== rule.count) continue
    compared++
    instances += wanted.length
    if (found?.join() !== wanted.join())
      differences.push(
        `${rruleOf(rule)} from ${start}\n  wanted ${wanted.slice(0, 8)}\n  found  ${found?.slice(0, 8) ?? 'too much work'}`,
      )
  }
  return { rules: compared, instances, differences }
}

function occurrences(rule: RecurrenceRule, start: string, end: string): string[] | null {
  try {
    const prepared = prepare({ start, recurrenceRule: rule }, { startOutsideRules: 'ignored' })
    return expand(prepared, { start: Date.parse(`${start}Z`), end: Date.parse(`${end}Z`) + 1_000 }).map(recurrenceId)
  } catch (error) {
    if (error instanceof RecurrenceError && error.code === 'tooMuchWork') return null
    throw error
  }
}

function isComparable({ rule }: RandomCase): boolean {
  if (rule.skip !== undefined && rule.skip !== 'omit') return false
  if (rule.frequency === 'weekly') return rule.bySetPosition === undefined
  if (rule.frequency !== 'yearly') return true
  if (rule.byWeekNo !== undefined) {
    const isPositive = rule.byWeekNo.every((week) => week > 0)
    return isPositive && rule.bySetPosition === undefined && (rule.byDay ?? rule.byMonthDay) !== undefined
  }
  if (rule.byYearDay !== undefined) return true
  return rule.byMonth !== undefined || rule.byMonthDay === undefined
}

const NAMES: { readonly [property: string]: string } = {
  interval: 'INTERVAL',
  count: 'COUNT',
  firstDayOfWeek: 'WKST',
  byMonth: 'BYMONTH',
  byMonthDay: 'BYMONTHDAY',
  byYearDay: 'BYYEARDAY',
  byWeekNo: 'BYWEEKNO',
  byHour: 'BYHOUR',
  byMinute: 'BYMINUTE',
  bySecond: 'BYSECOND',
  bySetPosition: 'BYSETPOS',
}

function rruleOf(rule: RecurrenceRule): string {
  const parts = Object.entries(rule).flatMap(([property, value]) =>
    NAMES[property] === undefined ? [] : [`${NAMES[property]}=${String(value).toUpperCase()}`],
  )
  const days = rule.byDay?.map(({ day, nthOfPeriod }) => `${nthOfPeriod ?? ''}${day}`.toUpperCase())
  return [
    `FREQ=${rule.frequency.toUpperCase()}`,
    ...parts,
    ...(days === undefined ? [] : [`BYDAY=${days.join()}`]),
  ].join(';')
}
