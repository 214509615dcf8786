/** The rule of a series whose instances move as one (RFC 5545 3.8.4.4: by the same difference). */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { toMs } from './local-time.ts'

/** As `Date` counts them. */
const WEEKDAYS = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']
const OF_TIME = ['byHour', 'byMinute', 'bySecond']
const OF_DAY = ['byDay', 'byMonthDay', 'byMonth', 'byYearDay', 'byWeekNo', 'bySetPosition']

/** The rule after an instance has moved from one local time to another; null: no rule is known to say where the others go. */
export function movedRule(rule: JsonObject, from: string, to: string): JsonObject | null {
  if (from === to) return rule
  if (OF_TIME.some((part) => rule[part] !== undefined)) return null
  if (from.slice(0, 10) === to.slice(0, 10)) return rule
  const { frequency, byDay } = rule
  const parts = OF_DAY.filter((part) => rule[part] !== undefined)
  if (parts.length === 0) return frequency === 'daily' || frequency === 'weekly' ? rule : null
  const [day] = Array.isArray(byDay) && byDay.length === 1 ? byDay : []
  const isOneDay = frequency === 'weekly' && parts.length === 1 && isObject(day) && day['day'] === weekdayOf(from)
  return isOneDay ? { ...rule, byDay: [{ ...day, day: weekdayOf(to) }] } : null
}

function weekdayOf(local: string): string {
  return WEEKDAYS[new Date(toMs(local)).getUTCDay()]!
}
