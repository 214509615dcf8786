/**
 * When the owner of a mailbox is busy, from all events of the account. What an event says about it is read once for each of its revisions
 * and kept by the thread, so that a later call reads no JSON and compiles no rules.
 */
import { BUSY_EVENTS_KEPT } from '../../../server/base/booking-limits.ts'
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import type { Reader, Store } from '../../../storage/ports.ts'
import { type CalendarEventKeys, calendarEventsBetween } from '../../../storage/repos/calendar-event-query.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { listCalendars } from '../calendar/calendars.ts'
import { intervalOf, type Timed } from '../event/event-times.ts'
import { preparedOf } from '../event/recurrences.ts'
import { calendarsOf, eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import { expand } from '../recurrence/expand.ts'
import type { Prepared } from '../recurrence/prepare.ts'
import { RecurrenceError } from '../recurrence/work.ts'
import { type Attendance, attendanceOf, attendanceOfInstances } from './attendance.ts'
import { ownerZone } from './owner-zone.ts'
import type { Interval } from './slots.ts'

export interface BusyRequest {
  /** Of the mailbox. */
  readonly account: number
  readonly within: Interval
  /** Number of an event that does not count. */
  readonly except?: number
}

/** Times that overlap the range, in no order. */
export async function busyTimes(
  { store }: { readonly store: Store },
  reader: Reader,
  { account, within, except }: BusyRequest,
): Promise<Interval[]> {
  const zone = await ownerZone(reader, account)
  const rows = (await eventsAround(reader, account, within)).filter(({ id }) => id !== except)
  const events = await contentsOf(store, reader, account, rows)
  const includes = await inclusionOf(reader, account)
  const busy: Interval[] = []
  for (const row of rows) {
    const event = events.get(row.id)
    if (!event) continue
    const blocks = (attendance: Attendance) => includes(row.calendars, attendance)
    if (row.is_recurring === 1) addInstances(busy, event, within, zone, blocks)
    else if (blocks(event.usual))
      busy.push(event.timed ? intervalOf(event.timed, zone) : { start: row.start_at, end: row.end_at })
  }
  return busy.filter(({ start, end }) => start < within.end && end > within.start)
}

/** Wall times of floating events are at most this far from UTC. */
const ZONE_MS = 86_400_000

/** Events that may have an instance in the range. */
async function eventsAround(reader: Reader, account: number, { start, end }: Interval): Promise<CalendarEventKeys[]> {
  const range = { after: start - ZONE_MS, before: end + ZONE_MS }
  const single = await calendarEventsBetween(reader, account, { ...range, isRecurring: false })
  return [...single, ...(await calendarEventsBetween(reader, account, { ...range, isRecurring: true }))]
}

/** What of an event decides. */
interface BusyEvent {
  readonly revision: number
  /** The addresses of the owner by which it was read. */
  readonly own: string
  readonly usual: Attendance
  /** Instances that differ; null: it does not recur, or cannot be expanded. */
  readonly instances: ReadonlyMap<number, Attendance> | null
  readonly prepared: Prepared | null
  /** Its times, if they depend on the zone of the owner. */
  readonly timed: Timed | null
}

/** Numbers of events are unique within a store only. */
const known = new WeakMap<Store, Map<string, BusyEvent>>()

/** By number. */
async function contentsOf(
  store: Store,
  reader: Reader,
  account: number,
  rows: readonly CalendarEventKeys[],
): Promise<ReadonlyMap<number, BusyEvent>> {
  const addresses = new Set((await addressesOf(reader, account)).map(({ address }) => address))
  const own = [...addresses].join(' ')
  const kept = known.get(store) ?? new Map<string, BusyEvent>()
  known.set(store, kept)
  const found = new Map<number, BusyEvent>()
  const missing: number[] = []
  for (const { id, revision } of rows) {
    const event = kept.get(`${account}/${id}`)
    if (event?.revision === revision && event.own === own) found.set(id, event)
    else missing.push(id)
  }
  for (const row of missing.length > 0 ? await findCalendarEvents(reader, account, missing) : []) {
    const event = readEvent(store, account, eventOfRow(row), addresses, own)
    found.set(row.id, event)
    kept.delete(`${account}/${row.id}`)
    kept.set(`${account}/${row.id}`, event)
  }
  forgetOldest(kept, BUSY_EVENTS_KEPT)
  return found
}

function readEvent(
  store: Store,
  account: number,
  stored: StoredEvent,
  addresses: ReadonlySet<string>,
  own: string,
): BusyEvent {
  const { event, revision, isDraft } = stored
  const isRecurring = event.recurrenceRule !== undefined || event.recurrenceOverrides !== undefined
  const { start, duration, timeZone } = event
  return {
    revision,
    own,
    usual: isDraft ? 'free' : attendanceOf({ ...event }, addresses),
    instances: isRecurring && !isDraft ? attendanceOfInstances(event, addresses) : null,
    prepared: isRecurring ? preparedOrNull(store, account, stored) : null,
    timed: !isRecurring && !timeZone ? { start, duration, timeZone } : null,
  }
}

/** null: the rule has no instances that could be computed, so it takes no time. */
function preparedOrNull(store: Store, account: number, stored: StoredEvent): Prepared | null {
  return unlessTooMuch(() => preparedOf(store, account, stored), null)
}

function addInstances(
  busy: Interval[],
  { prepared, usual, instances }: BusyEvent,
  within: Interval,
  floatingZone: string,
  blocks: (attendance: Attendance) => boolean,
): void {
  const isPlain = !instances || instances.size === 0
  if (!prepared || (isPlain && !blocks(usual))) return
  for (const { id, start, end } of unlessTooMuch(() => expand(prepared, within, { floatingZone }), []))
    if (blocks(isPlain ? usual : (instances.get(id) ?? usual))) busy.push({ start, end })
}

function unlessTooMuch<T>(run: () => T, otherwise: T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof RecurrenceError) return otherwise
    throw error
  }
}

/** JMAP Calendars 4: `includeInAvailability` of the calendars that an event is in; one of them is enough. */
async function inclusionOf(reader: Reader, account: number) {
  const modes = new Map(
    (await listCalendars(reader, account)).map(({ id, data }) => [
      id,
      data.isSubscribed ? data.includeInAvailability : 'none',
    ]),
  )
  const isAll = [...modes.values()].every((mode) => mode === 'all')
  return (calendars: string, attendance: Attendance): boolean => {
    if (attendance === 'free' || isAll) return attendance !== 'free'
    return calendarsOf(calendars).some((calendar) => {
      const mode = modes.get(calendar) ?? 'all'
      return mode === 'all' || (mode === 'attending' && attendance === 'attending')
    })
  }
}
