/** Principal/getAvailability: JMAP Calendars 2.2. */
import { MAX_AVAILABILITY_DAYS } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { isObject, type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { epochOf, formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { implement } from '../../type/method.ts'
import { objectId } from '../../type/object-id.ts'
import { ownerZone } from '../availability/owner-zone.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { listCalendars } from '../calendar/calendars.ts'
import { OWN_PRINCIPAL } from '../capability.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import { type InstanceBetween, instancesBetween } from '../event/events-between.ts'
import { OwnAddresses } from '../event/own-addresses.ts'
import { keyOfLocal, parseLocal } from '../jscalendar/date-times.ts'
import { type BusyPeriod, type BusyStatus, mergePeriods } from './busy-periods.ts'
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
  read: ReadContext,
  window: { readonly start: number; readonly end: number },
  { showDetails, eventProperties }: Details,
): Promise<BusyPeriod[]> {
  const { reader, method } = read
  const account = method.account.number
  const calendars = new Map((await listCalendars(reader, account)).map(({ id, data }) => [id, data]))
  const zone = await ownerZone(reader, account)
  const own = new OwnAddresses(reader, account)
  const periods: BusyPeriod[] = []
  for (const instance of await instancesBetween(read, window, zone)) {
    const { event, stored, start, end } = instance
    if (start === end || stored.isDraft) continue
    const answer = await answerOf(event, own)
    const isIncluded = stored.calendars.some((calendar) => {
      const { isSubscribed, includeInAvailability } = calendars.get(calendar) ?? {}
      if (!isSubscribed) return false
      return (
        includeInAvailability === 'all' ||
        (includeInAvailability === 'attending' && (answer === 'accepted' || answer === 'tentative'))
      )
    })
    if (!isIncluded || !isBusy(event, answer)) continue
    const isShown = showDetails && (event['privacy'] ?? 'public') === 'public'
    periods.push({
      start,
      end,
      status: statusOf(event, answer),
      event: isShown ? shownEvent(method, instance, eventProperties) : null,
    })
  }
  return periods
}

/** JMAP Calendars 2.2; a declined event takes no time (decision D22). */
function isBusy(event: JsonObject, answer: string | null): boolean {
  if (event['privacy'] === 'secret' || event['status'] === 'cancelled' || answer === 'declined') return false
  return event['freeBusyStatus'] !== 'free'
}

function statusOf(event: JsonObject, answer: string | null): BusyStatus {
  if (event['status'] === 'tentative' || answer === 'tentative') return 'tentative'
  return (event['status'] ?? 'confirmed') === 'confirmed' && answer === 'accepted' ? 'confirmed' : 'unavailable'
}

/** What the owner of the account has answered; null: they are no participant. */
async function answerOf({ participants }: JsonObject, own: OwnAddresses): Promise<string | null> {
  for (const participant of isObject(participants) ? Object.values(participants) : []) {
    if (!isObject(participant)) continue
    const { calendarAddress, participationStatus } = participant
    if (typeof calendarAddress !== 'string' || !(await own.has(calendarAddress))) continue
    return typeof participationStatus === 'string' ? participationStatus : 'needs-action'
  }
  return null
}

function shownEvent(
  method: MethodContext,
  { stored, event, recurrenceId }: InstanceBetween,
  properties: readonly string[] | null,
): JsonObject {
  const local = recurrenceId === null ? null : parseLocal(recurrenceId)
  const number =
    local === null
      ? stored.number
      : method.request.instances.numberOf({ object: stored.number, key: keyOfLocal(local) })
  const { iCalendar: _raw, ...rest } = event
  const whole: JsonObject = {
    ...rest,
    id: objectId(method, CalendarEvent, number),
    calendarIds: Object.fromEntries(stored.calendars.map((calendar) => [method.id(Calendar, calendar), true])),
    isDraft: stored.isDraft,
  }
  if (properties === null) return whole
  const shown: MutableJsonObject = {}
  for (const name of properties) if (Object.hasOwn(whole, name)) setOwn(shown, name, whole[name] ?? null)
  return shown
}
