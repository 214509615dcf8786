/**
 * Times of all events of an account, which a thread keeps between queries: to read the rows of a month costs as much as the rest of the
 * query. They are of one state of the type (RFC 8620 5.1). Each reader looks up the state in its snapshot, whoever wrote last, and reads
 * the rows that the change log names since the state that is kept.
 */
import {
  KEPT_CHANGES_MAX,
  KEPT_TIMES_ACCOUNT_MAX,
  KEPT_TIMES_OCTETS_MAX,
} from '../../../server/base/calendar-limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import type { Reader, Store } from '../../../storage/ports.ts'
import {
  type Between,
  type CalendarEventTimes,
  calendarTimesBetween,
  calendarTimesSince,
  listCalendarTimes,
} from '../../../storage/repos/calendar-event-query.ts'
import { CalendarEvent } from './calendar-event.type.ts'

interface Kept {
  readonly state: number
  /** By number; null: the account has too many events to keep them. */
  readonly rows: readonly CalendarEventTimes[] | null
  /** Of the rows, again: a list of numbers is read several times as fast. */
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly octets: number
}

/** About what a row takes in memory. */
const ROW_OCTETS = 180

export interface TimesBetween {
  readonly rows: readonly CalendarEventTimes[]
  /** Each row is the same object until its event changes. */
  readonly areKept: boolean
}

export class KeptTimes {
  /** Ordered by last use. */
  readonly #accounts = new Map<number, Kept>()
  readonly #maxOctets: number
  #octets = 0

  constructor(maxOctets: number = KEPT_TIMES_OCTETS_MAX) {
    this.#maxOctets = maxOctets
  }

  /** Events that may have an instance between two times, in no order. */
  async between(reader: Reader, account: number, { after, before }: Between): Promise<TimesBetween> {
    const kept = await this.#keptOf(reader, account)
    if (!kept?.rows) return { rows: await calendarTimesBetween(reader, account, { after, before }), areKept: false }
    const { starts, ends } = kept
    const rows: CalendarEventTimes[] = []
    for (let at = 0; at < starts.length; at++)
      if (ends[at]! >= after && starts[at]! <= before) rows.push(kept.rows[at]!)
    return { rows, areKept: true }
  }

  /** Of the snapshot of the reader; null: they are not kept. */
  async #keptOf(reader: Reader, account: number): Promise<Kept | null> {
    // A unit of work sees its own changes, which may never be committed and have no state yet.
    if (!reader.memo) return null
    const state = await stateOf(reader, account, CalendarEvent.name)
    const kept = this.#accounts.get(account)
    if (!kept) return this.#keep(account, await readAll(reader, account, state))
    // The snapshot is older than that of another read of this thread.
    if (kept.state > state) return null
    if (kept.state === state) return this.#keep(account, kept)
    return this.#keep(
      account,
      (await broughtTo(reader, account, kept, state)) ?? (await readAll(reader, account, state)),
    )
  }

  /** Another read may have kept a later state meanwhile. */
  #keep(account: number, read: Kept): Kept {
    const present = this.#accounts.get(account)
    if (present && present.state > read.state) return read
    this.#accounts.delete(account)
    this.#accounts.set(account, read)
    this.#octets += read.octets - (present?.octets ?? 0)
    for (const [oldest, { octets }] of this.#accounts) {
      if (this.#octets <= this.#maxOctets) break
      this.#accounts.delete(oldest)
      this.#octets -= octets
    }
    return read
  }
}

async function readAll(reader: Reader, account: number, state: number): Promise<Kept> {
  const rows = await listCalendarTimes(reader, account, KEPT_TIMES_ACCOUNT_MAX + 1)
  return keptOf(state, rows.length > KEPT_TIMES_ACCOUNT_MAX ? null : rows.map(plain))
}

/** The rows at a later state; null: the change log does not go back so far, or says that much has changed. */
async function broughtTo(reader: Reader, account: number, kept: Kept, state: number): Promise<Kept | null> {
  if (!kept.rows) return { ...kept, state }
  const { name: type } = CalendarEvent
  const changes = await calendarTimesSince(reader, account, { type, since: kept.state, limit: KEPT_CHANGES_MAX + 1 })
  if (!changes || changes.length > KEPT_CHANGES_MAX) return null
  const rows = kept.rows.slice()
  for (const { object, row: changed } of changes) {
    const row = changed && plain(changed)
    const at = placeOf(rows, object)
    const isThere = rows[at]?.id === object
    if (row && isThere) rows[at] = row
    else rows.splice(at, isThere ? 1 : 0, ...(row ? [row] : []))
  }
  return keptOf(state, rows.length > KEPT_TIMES_ACCOUNT_MAX ? null : rows)
}

function keptOf(state: number, rows: Kept['rows']): Kept {
  const all = rows ?? []
  const [starts, ends] = [new Float64Array(all.length), new Float64Array(all.length)]
  let octets = ROW_OCTETS
  for (let at = 0; at < all.length; at++) {
    const row = all[at]!
    starts[at] = row.start_at
    ends[at] = row.end_at
    octets += ROW_OCTETS + row.calendars.length
  }
  return { state, rows, starts, ends, octets }
}

/** The index of the first row whose number is not below the given one. */
function placeOf(rows: readonly CalendarEventTimes[], number: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.id < number) low = middle + 1
    else high = middle
  }
  return low
}

/** Rows of one shape take less memory and are read faster than those of an engine. */
function plain(row: CalendarEventTimes): CalendarEventTimes {
  const { id, revision, calendars, is_recurring, is_floating, start_at, end_at, first_start_at } = row
  return { id, revision, calendars, is_recurring, is_floating, start_at, end_at, first_start_at }
}

/** Numbers of accounts are unique within a store only. */
const ofStores = new WeakMap<Store, KeptTimes>()

/** Events that may have an instance between two times (epoch ms, inclusive), in no order, as the reader's snapshot has them. */
export function eventTimesBetween(
  store: Store,
  reader: Reader,
  account: number,
  bounds: Between,
): Promise<TimesBetween> {
  const kept = ofStores.get(store) ?? new KeptTimes()
  ofStores.set(store, kept)
  return kept.between(reader, account, bounds)
}
