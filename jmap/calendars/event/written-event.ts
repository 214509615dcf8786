/** What a client writes of an event, turned into the JSCalendar object: nulls, times in UTC, calendars. */
import { MAX_CALENDARS_PER_EVENT } from '../../../server/base/calendar-data-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { WriteContext } from '../../type/handlers.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { listCalendars, type StoredCalendar } from '../calendar/calendars.ts'
import { formatDuration, formatLocal, parseUTC } from '../jscalendar/date-times.ts'
import { utcDateTime } from '../jscalendar/event-shape.ts'
import { Faults } from '../jscalendar/shape.ts'
import { intervalOf, UTC } from './event-times.ts'
import { isTimeZone, localOfInstant } from './wall-time.ts'

/** Properties that JMAP adds to the JSCalendar object (JMAP Calendars 5). */
const OF_JMAP = ['id', 'baseEventId', 'calendarIds', 'isDraft', 'isOrigin', 'utcStart', 'utcEnd']

/** JMAP Calendars 5.9: null at the top level is as good as absent. */
export function jscalendarPart(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null && !OF_JMAP.includes(name)))
}

/** Numbers of the calendars of an event, ascending. */
export async function readCalendars(
  { unit, method }: Pick<WriteContext, 'unit' | 'method'>,
  calendarIds: { readonly [id: string]: true },
): Promise<{ readonly calendars: readonly StoredCalendar[] } | { readonly error: SetError }> {
  const ids = Object.keys(calendarIds)
  const refuse = (fault: string) => ({ error: invalidProperties(['calendarIds'], fault) })
  if (ids.length === 0) return refuse('An event is in at least one calendar.')
  if (ids.length > MAX_CALENDARS_PER_EVENT)
    return refuse(`An event is in at most ${MAX_CALENDARS_PER_EVENT} calendars.`)
  const known = new Map((await listCalendars(unit, unit.account)).map((calendar) => [calendar.id, calendar]))
  const found = ids.map((id) => known.get(method.number(Calendar, method.resolveId(id)) ?? -1))
  const calendars = found.filter((calendar) => calendar !== undefined)
  if (calendars.length < found.length) return refuse('There is no such calendar.')
  return { calendars: calendars.toSorted((a, b) => a.id - b.id) }
}

/** The times of an event as a client gives them in UTC; undefined: it does not. */
export interface UTCTimes {
  readonly utcStart?: Json | undefined
  readonly utcEnd?: Json | undefined
  /** Names of properties that the client gives, too. */
  readonly given: readonly string[]
}

/** JMAP Calendars 5: `utcStart` and `utcEnd` become `start`, `duration` and, if there is none, `timeZone`. */
export function withUTCTimes(
  event: JsonObject,
  { utcStart, utcEnd, given }: UTCTimes,
  calendars: readonly StoredCalendar[],
): { readonly event: JsonObject } | { readonly error: SetError } {
  const isSet = (value: Json | undefined): value is Json => value !== undefined && value !== null
  if (!isSet(utcStart) && !isSet(utcEnd)) return { event }
  const faults = new Faults()
  // JMAP Calendars 5.9: they exclude the properties that they stand for.
  if (isSet(utcStart) && given.includes('start')) faults.add('utcStart', 'does not go together with start')
  if (isSet(utcEnd) && given.includes('duration')) faults.add('utcEnd', 'does not go together with duration')
  if (isSet(utcStart)) utcDateTime.check(utcStart, 'utcStart', faults)
  if (isSet(utcEnd)) utcDateTime.check(utcEnd, 'utcEnd', faults)
  const zone = event['timeZone'] ?? commonZone(calendars)
  if (typeof zone !== 'string' || !isTimeZone(zone)) faults.add('timeZone', 'is no name of an IANA time zone')
  const [fault] = faults.list
  if (fault) return { error: invalidProperties([fault.path], `${fault.path} ${fault.fault}.`) }
  return withTimes(
    event,
    String(zone),
    isSet(utcStart) ? instant(utcStart) : null,
    isSet(utcEnd) ? instant(utcEnd) : null,
  )
}

function withTimes(event: JsonObject, timeZone: string, utcStart: number | null, utcEnd: number | null) {
  const local = utcStart === null ? event['start'] : formatLocal(localOfInstant(utcStart, timeZone))
  const start = typeof local === 'string' ? local : ''
  const started = { ...event, timeZone, start }
  if (utcEnd === null) return { event: started }
  const length = utcEnd - intervalOf({ start, timeZone }, UTC).start
  if (length < 0) return { error: invalidProperties(['utcEnd'], 'utcEnd is before the start.') }
  return { event: { ...started, duration: formatDuration(length) } }
}

function instant(date: Json): number {
  return (typeof date === 'string' && parseUTC(date)) || 0
}

/** JMAP Calendars 5: the zone that all calendars of the event have, or UTC. */
function commonZone(calendars: readonly StoredCalendar[]): string {
  const [first] = calendars
  const zone = first?.data.timeZone ?? null
  return zone !== null && calendars.every(({ data }) => data.timeZone === zone) ? zone : UTC
}
