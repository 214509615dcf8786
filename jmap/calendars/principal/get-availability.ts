/** Principal/getAvailability: JMAP Calendars 2.2. */
import { MAX_AVAILABILITY_DAYS } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { epochOf, formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { implement } from '../../type/method.ts'
import { objectId } from '../../type/object-id.ts'
import { type BusyTime, busyTimes } from '../availability/busy-times.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { OWN_PRINCIPAL } from '../capability.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import { instanceKeyOf } from '../event/recurrences.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import { formatLocal } from '../jscalendar/date-times.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { type BusyPeriod, mergePeriods } from './busy-periods.ts'
import { Principal, PrincipalGetAvailability } from './principal.type.ts'

const DAY_MS = 86_400_000

export const getAvailabilityMethod = implement(PrincipalGetAvailability, async (method, args) => {
  const window = { start: epochOf(args.utcStart), end: epochOf(args.utcEnd) }
  if (window.end <= window.start) throw invalidArguments('utcEnd is not after utcStart.', ['utcEnd'])
  if (method.number(Principal, args.id) !== OWN_PRINCIPAL) throw new MethodError('notFound')
  if (window.end - window.start > MAX_AVAILABILITY_DAYS * DAY_MS)
    throw new MethodError('tooLarge', `A call covers at most ${MAX_AVAILABILITY_DAYS} days.`)
  const periods = await method.read((reader) => busyPeriods({ method, reader }, window, args))
  const list = mergePeriods(periods).map(({ start, end, status, event }) => ({
    utcStart: formatUTCDate(start),
    utcEnd: formatUTCDate(end),
    busyStatus: status,
    event,
    accountId: event === null ? null : method.account.id,
  }))
  return { accountId: method.account.id, list }
})

interface Details {
  readonly showDetails: boolean
  readonly eventProperties: readonly string[] | null
}

async function busyPeriods(
  { reader, method }: ReadContext,
  within: { readonly start: number; readonly end: number },
  { showDetails, eventProperties }: Details,
): Promise<BusyPeriod[]> {
  const { services, request } = method
  const account = method.account.number
  const all = await busyTimes(services, reader, { account, within, guard: request.guard })
  // JMAP Calendars 2.2: of secret events nothing is told, though they keep bookings away (decision D22).
  const busy = all.filter(({ start, end, claim }) => end > start && claim.privacy !== 'secret')
  const shown = showDetails ? busy.filter(({ claim }) => claim.privacy === 'public') : []
  const numbers = [...new Set(shown.map(({ event }) => event))]
  const rows = numbers.length > 0 ? await findCalendarEvents(reader, account, numbers) : []
  const events = new Map(rows.map((row) => [row.id, eventOfRow(row)]))
  const details = new Map(
    shown.map((time) => {
      request.guard.check()
      const stored = events.get(time.event)
      return [time, stored ? shownEvent(method, stored, time, eventProperties) : null]
    }),
  )
  return busy.map((time) => ({
    start: time.start,
    end: time.end,
    status: time.claim.status,
    event: details.get(time) ?? null,
  }))
}

function shownEvent(
  method: MethodContext,
  stored: StoredEvent,
  { event: number, instance }: BusyTime,
  properties: readonly string[] | null,
): JsonObject | null {
  const whole: JsonObject = { ...stored.event }
  const event = instance === null ? whole : instanceOf(whole, formatLocal(instance * 1000))
  if (event === null) return null
  const shownAs =
    instance === null ? number : method.request.instances.numberOf({ object: number, key: instanceKeyOf(instance) })
  const { iCalendar: _raw, ...rest } = event
  const all: JsonObject = {
    ...rest,
    id: objectId(method, CalendarEvent, shownAs),
    calendarIds: Object.fromEntries(stored.calendars.map((calendar) => [method.id(Calendar, calendar), true])),
    isDraft: stored.isDraft,
  }
  if (properties === null) return all
  const shown: MutableJsonObject = {}
  for (const name of properties) if (Object.hasOwn(all, name)) setOwn(shown, name, all[name] ?? null)
  return shown
}
