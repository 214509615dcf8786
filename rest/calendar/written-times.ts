/** Times of an event as a client writes them (decisions D21, D32): start with duration or end, local or as instants. */
import { intervalOf } from '../../jmap/calendars/event/event-times.ts'
import { instantOfLocal, isTimeZone, localOfInstant } from '../../jmap/calendars/event/wall-time.ts'
import {
  formatDuration,
  formatLocal,
  NO_DURATION,
  parseDuration,
  parseLocal,
} from '../../jmap/calendars/jscalendar/date-times.ts'
import { invalid } from '../errors/api-error.ts'
import { parseTime } from '../schema/timestamps.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const MINUTES = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/
const DAY_MS = 86_400_000
const SECOND_MS = 1_000

export interface TimesGiven {
  readonly start?: string
  readonly end?: string
  readonly duration?: string
  readonly timezone?: string | null
  readonly all_day?: boolean
}

export interface Times {
  readonly start: string
  readonly duration: string
  readonly timeZone: string | null
  readonly showWithoutTime: boolean
}

/**
 * @param current of the event that is changed; null: it is new
 * @param ownerZone for new events, and for instants of floating ones
 * @throws ApiError 422
 */
export function writtenTimes(given: TimesGiven, current: Times | null, ownerZone: string): Times {
  if (given.end !== undefined && given.duration !== undefined)
    throw invalid('end', 'not_allowed', 'Give duration or end, not both.')
  const isAllDay = given.all_day ?? current?.showWithoutTime ?? false
  if (current && isAllDay !== current.showWithoutTime && given.start === undefined)
    throw invalid('start', 'required', 'all_day changes only together with start.')
  if (typeof given.timezone === 'string' && !isTimeZone(given.timezone))
    throw invalid('timezone', 'invalid_format', 'timezone is no name of the IANA time zone database.')
  return isAllDay ? allDayTimes(given, current) : timedTimes(given, current, ownerZone)
}

function allDayTimes({ start, end, duration }: TimesGiven, current: Times | null): Times {
  const kept = current?.showWithoutTime ? current : null
  const first = start === undefined ? (parseLocal(kept?.start ?? '') ?? 0) : dateOf(start, 'start')
  let length = kept ? (parseDuration(kept.duration)?.days ?? 1) : 1
  if (duration !== undefined) {
    const { days, ms } = parseDuration(duration) ?? NO_DURATION
    if (ms !== 0 || days < 1)
      throw invalid('duration', 'invalid_format', 'The duration of an all-day event is whole days, such as P2D.')
    length = days
  }
  if (end !== undefined) {
    length = (dateOf(end, 'end') - first) / DAY_MS
    if (length < 1) throw invalid('end', 'out_of_range', 'end is a date after start: it is exclusive.')
  }
  return { start: formatLocal(first), duration: `P${length}D`, timeZone: null, showWithoutTime: true }
}

/** Local midnight of a date. */
function dateOf(text: string, field: string): number {
  const local = DATE.test(text) ? parseLocal(`${text}T00:00:00`) : null
  if (local === null)
    throw invalid(field, 'invalid_format', `${field} of an all-day event is a date, such as 2026-06-01.`)
  return local
}

function timedTimes(given: TimesGiven, current: Times | null, ownerZone: string): Times {
  const kept = current && !current.showWithoutTime ? current : null
  const timeZone = given.timezone === undefined ? (kept ? kept.timeZone : ownerZone) : given.timezone
  const zone = timeZone ?? ownerZone
  const start = given.start === undefined ? (kept?.start ?? '') : formatLocal(localOf(given.start, 'start', zone))
  const times = { start, timeZone, showWithoutTime: false }
  if (given.end !== undefined) {
    const begin = intervalOf({ start, timeZone }, ownerZone).start
    const length = instantOfLocal(localOf(given.end, 'end', zone), zone) - begin
    if (length <= 0) throw invalid('end', 'out_of_range', 'end is after start.')
    return { ...times, duration: checked(formatDuration(length), 'end') }
  }
  const duration = given.duration ?? kept?.duration ?? 'PT30M'
  return { ...times, duration: given.duration === undefined ? duration : checked(duration, 'duration') }
}

function checked(duration: string, field: string): string {
  const parsed = parseDuration(duration)
  if (!parsed)
    throw invalid(field, 'invalid_format', `${field} is no ISO 8601 duration that an event may have, such as PT30M.`)
  if (parsed.days === 0 && parsed.ms === 0) throw invalid(field, 'out_of_range', 'The duration is longer than zero.')
  return duration
}

/** A local time, or an instant in the zone. */
function localOf(text: string, field: string, zone: string): number {
  const local = parseLocal(MINUTES.test(text) ? `${text}:00` : text)
  if (local !== null) return local
  const time = parseTime(text.replace(/^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(Z|[+-]\d{2}:\d{2})$/, '$1:00$2'))
  if (time !== null) return localOfInstant(Math.floor(time / SECOND_MS) * SECOND_MS, zone)
  throw invalid(field, 'invalid_format', `${field} is a local time, such as 2026-06-01T09:00, or an instant.`)
}
