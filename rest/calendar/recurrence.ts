/** Recurrence as the contract writes it (decision D21), and JSCalendar's rule (jscalendarbis 3.3.3). */

import { instantOfLocal, localOfInstant } from '../../jmap/calendars/event/wall-time.ts'
import { formatLocal, formatUTC, parseLocal } from '../../jmap/calendars/jscalendar/date-times.ts'
import { type NDay, type RecurrenceRule, WEEKDAYS } from '../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { isOneOf } from '../../server/base/known-names.ts'
import { invalid } from '../errors/api-error.ts'
import { instant, parseTime } from '../schema/timestamps.ts'
import { RECURRENCE_FREQUENCIES, type RecurrenceGiven, type RecurrenceShape } from '../shapes/calendar-event.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const SECOND_MS = 1_000

export interface RuleTimes {
  readonly showWithoutTime?: boolean | null | undefined
  readonly timeZone?: string | null | undefined
}

/** Rules of other frequencies and with more parts come from other clients: what the contract has no words for is left out. */
export function shownRecurrence(rule: RecurrenceRule, event: RuleTimes, ownerZone: string): RecurrenceShape | null {
  const { frequency, interval = 1, count = null, until, byDay } = rule
  if (!isOneOf(RECURRENCE_FREQUENCIES, frequency)) return null
  return {
    frequency,
    interval,
    count,
    until: until === undefined ? null : shownUntil(until, event, ownerZone),
    by_day: byDay?.map(({ day, nthOfPeriod }) => `${nthOfPeriod ?? ''}${day}`) ?? null,
  }
}

function shownUntil(until: string, { showWithoutTime, timeZone }: RuleTimes, ownerZone: string): string {
  if (showWithoutTime) return until.slice(0, 10)
  return instant(formatUTC(instantOfLocal(parseLocal(until) ?? 0, timeZone ?? ownerZone)))
}

/** @throws ApiError 422 */
export function writtenRecurrence(recurrence: RecurrenceGiven, event: RuleTimes, ownerZone: string): RecurrenceRule {
  const { frequency, interval, count = null, until = null, by_day: days = null } = recurrence
  if (count !== null && until !== null)
    throw invalid('recurrence.until', 'not_allowed', 'Give count or until, not both.')
  return {
    '@type': 'RecurrenceRule',
    frequency,
    ...(interval !== undefined && { interval }),
    ...(count !== null && { count }),
    ...(until !== null && { until: writtenUntil(until, event, ownerZone) }),
    ...(days !== null && { byDay: days.map(toNDay) }),
  }
}

function toNDay(text: string, index: number): NDay {
  const day = text.slice(-2)
  if (!isOneOf(WEEKDAYS, day)) throw invalid(`recurrence.by_day[${index}]`, 'invalid_format', 'Not a weekday.')
  const nth = Number(text.slice(0, -2) || 0)
  return { '@type': 'NDay', day, ...(nth !== 0 && { nthOfPeriod: nth }) }
}

function writtenUntil(until: string, { showWithoutTime, timeZone }: RuleTimes, ownerZone: string): string {
  const refuse = () => invalid('recurrence.until', 'invalid_format', 'until is an instant or a date.')
  if (DATE.test(until)) {
    const local = parseLocal(`${until}T${showWithoutTime ? '00:00:00' : '23:59:59'}`)
    if (local === null) throw refuse()
    return formatLocal(local)
  }
  const time = parseTime(until)
  if (time === null) throw refuse()
  const local = localOfInstant(Math.floor(time / SECOND_MS) * SECOND_MS, timeZone ?? ownerZone)
  return showWithoutTime ? `${formatLocal(local).slice(0, 10)}T00:00:00` : formatLocal(local)
}
