/**
 * When the owner of a mailbox is busy, from all events of the account: the one reader for free slots, booking pages and
 * Principal/getAvailability. What an event says about it is read once for each of its revisions and kept by the thread, so that a later
 * call reads no JSON and compiles no rules.
 */
import { BUSY_EVENTS_KEPT } from '../../../server/base/booking-limits.ts'
import { MAX_EXPANDED_INSTANCES } from '../../../server/base/calendar-data-limits.ts'
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import { type Guard, UNGUARDED } from '../../../server/base/guard.ts'
import type { Reader, Store } from '../../../storage/ports.ts'
import type { CalendarEventTimes } from '../../../storage/repos/calendar-event-query.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { intervalOf, type Timed } from '../event/event-times.ts'
import { eventTimesBetween } from '../event/kept-times.ts'
import { calculated, preparedOf } from '../event/recurrences.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import type { Event } from '../jscalendar/event.ts'
import type { InstanceColumns } from '../recurrence/instance-columns.ts'
import type { Prepared } from '../recurrence/prepare.ts'
import { SharedExpansion } from '../recurrence/shared-expansion.ts'
import { RecurrenceError } from '../recurrence/work.ts'
import { type Claim, claimOf, claimsOfInstances, FREE } from './claim.ts'
import { IncludedCalendars } from './included-calendars.ts'
import { OwnerAddresses } from './owner-addresses.ts'
import type { Interval } from './slots.ts'

export interface BusyRequest {
  /** Of the mailbox. */
  readonly account: number
  readonly within: Interval
  /** Number of an event that does not count. */
  readonly except?: number
  readonly guard?: Guard
}

/** A time that an event or an instance takes. */
export interface BusyTime extends Interval {
  /** Number of the event. */
  readonly event: number
  /** The recurrence id, as local seconds; null: the event does not recur. */
  readonly instance: number | null
  readonly claim: Claim
}

/** Times that overlap the range, in no order. */
export async function busyTimes(
  { store }: { readonly store: Store },
  reader: Reader,
  { account, within, except, guard = UNGUARDED }: BusyRequest,
): Promise<BusyTime[]> {
  const range = { after: within.start - ZONE_MS, before: within.end + ZONE_MS }
  const { rows: all } = await eventTimesBetween(store, reader, account, range)
  const rows = except === undefined ? all : all.filter(({ id }) => id !== except)
  const events = await contentsOf({ store, reader, account, guard }, rows)
  const calendars = await IncludedCalendars.read(reader, account)
  const busy: BusyTime[] = []
  const expansion = new SharedExpansion<Recurring>(within, (of, instances) =>
    addInstances(busy, of, instances, calendars),
  )
  for (const row of rows) {
    const event = events.get(row.id)
    if (!event) continue
    if (row.is_recurring === 1) {
      guard.check()
      expand(expansion, row, event, calendars)
    } else if (calendars.includes(row.calendars, event.usual.attendance)) {
      const zone = calendars.zoneOf(row.calendars)
      const { start, end } = event.timed ? intervalOf(event.timed, zone) : { start: row.start_at, end: row.end_at }
      busy.push({ start, end, event: row.id, instance: null, claim: event.usual })
    }
  }
  expansion.finish(MAX_EXPANDED_INSTANCES)
  return busy.filter(({ start, end }) => start < within.end && end > within.start)
}

/** Wall times of floating events are at most this far from UTC. */
const ZONE_MS = 86_400_000

/** What of an event decides. */
interface BusyEvent {
  readonly revision: number
  /** Key of the addresses of the owner by which it was read. */
  readonly owner: string
  readonly usual: Claim
  /** Of instances that differ; null: none does. */
  readonly instances: ReadonlyMap<number, Claim> | null
  readonly prepared: Prepared | null
  /** Its times, if they depend on the zone of the owner. */
  readonly timed: Timed | null
}

/** Numbers of events are unique within a store only. */
const known = new WeakMap<Store, Map<string, BusyEvent>>()

/** Events whose JSON is read at a time. */
const SLICE = 500

interface Source {
  readonly store: Store
  readonly reader: Reader
  readonly account: number
  readonly guard: Guard
}

/** By number. */
async function contentsOf(
  source: Source,
  rows: readonly CalendarEventTimes[],
): Promise<ReadonlyMap<number, BusyEvent>> {
  const { store, reader, account, guard } = source
  const owner = await OwnerAddresses.read(reader, account)
  const kept = known.get(store) ?? new Map<string, BusyEvent>()
  known.set(store, kept)
  const found = new Map<number, BusyEvent>()
  const missing: number[] = []
  for (const { id, revision } of rows) {
    const event = kept.get(`${account}/${id}`)
    if (event?.revision === revision && event.owner === owner.key) found.set(id, event)
    else missing.push(id)
  }
  for (let i = 0; i < missing.length; i += SLICE)
    for (const row of await findCalendarEvents(reader, account, missing.slice(i, i + SLICE))) {
      guard.check()
      const { event, isLasting } = await readEvent(source, eventOfRow(row), owner)
      found.set(row.id, event)
      kept.delete(`${account}/${row.id}`)
      if (isLasting) kept.set(`${account}/${row.id}`, event)
    }
  forgetOldest(kept, BUSY_EVENTS_KEPT)
  return found
}

/** @returns isLasting: it says the same until the event, or the key of the owner's addresses, changes */
async function readEvent(
  { store, account }: Source,
  stored: StoredEvent,
  owner: OwnerAddresses,
): Promise<{ readonly event: BusyEvent; readonly isLasting: boolean }> {
  const { event, revision, isDraft } = stored
  const isRecurring = event.recurrenceRule !== undefined || event.recurrenceOverrides !== undefined
  const { start, duration, timeZone } = event
  const { usual, instances, isLasting } = isDraft
    ? { usual: FREE, instances: null, isLasting: true }
    : await claimsOf(event, owner)
  return {
    event: {
      revision,
      owner: owner.key,
      usual,
      instances,
      prepared: isRecurring ? unlessTooMuch(() => preparedOf(store, account, stored)) : null,
      timed: !isRecurring && !timeZone ? { start, duration, timeZone } : null,
    },
    isLasting,
  }
}

/** Participants whose address is not known to be the owner's, or not to be, are looked up, and the event is read again. */
async function claimsOf(event: Event, owner: OwnerAddresses) {
  for (;;) {
    const unknown = new Set<string>()
    let isLasting = true
    const isOwn = (calendarAddress: string) => {
      const attendee = owner.find(calendarAddress)
      if (attendee.isOwn === undefined) unknown.add(attendee.address)
      isLasting &&= !attendee.isCaught
      return attendee.isOwn ?? false
    }
    const usual = claimOf({ ...event }, isOwn)
    const instances = event.recurrenceOverrides === undefined ? null : claimsOfInstances(event, isOwn)
    if (unknown.size === 0) return { usual, instances, isLasting }
    for (const address of unknown) await owner.lookUp(address)
  }
}

/** An event that recurs, with what it says. */
interface Recurring {
  readonly row: CalendarEventTimes
  readonly event: BusyEvent
}

/** An event that costs too much to expand takes no time: a stranger's invitation must not close a calendar (decision record 0035). */
function expand(
  expansion: SharedExpansion<Recurring>,
  row: CalendarEventTimes,
  event: BusyEvent,
  calendars: IncludedCalendars,
): void {
  const { prepared, usual } = event
  if (!prepared || (isPlain(event) && !calendars.includes(row.calendars, usual.attendance))) return
  expansion.add({ row, event }, prepared, calendars.zoneOf(row.calendars))
}

function isPlain({ instances }: BusyEvent): boolean {
  return !instances || instances.size === 0
}

function addInstances(
  busy: BusyTime[],
  { row, event }: Recurring,
  { ids, starts, ends, length }: InstanceColumns,
  calendars: IncludedCalendars,
): void {
  const isAny = isPlain(event)
  for (let at = 0; at < length; at++) {
    const instance = ids[at]!
    const claim = isAny ? event.usual : (event.instances?.get(instance) ?? event.usual)
    if (isAny || calendars.includes(row.calendars, claim.attendance))
      busy.push({ start: starts[at]!, end: ends[at]!, event: row.id, instance, claim })
  }
}

/** An event that cannot be prepared takes no time. Such events are refused when they are written. */
function unlessTooMuch(run: () => Prepared): Prepared | null {
  const prepared = calculated(run)
  return prepared instanceof RecurrenceError ? null : prepared
}
