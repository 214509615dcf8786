/** The instances of events in a window, as queries list them. */
import { MAX_EXPANDED_INSTANCES } from '../../../server/base/calendar-data-limits.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { overlaps, type TimeRange } from '../recurrence/expand.ts'
import { SharedExpansion } from '../recurrence/shared-expansion.ts'
import { type EventRow, FoundEvents, timeOf, WHOLE } from './event-rows.ts'
import { keptListsOf, merged } from './kept-lists.ts'
import { prepareAll } from './recurrences.ts'
import { type SortedEvents, sortEvents } from './sorted-events.ts'

export interface ExpansionWanted {
  readonly window: TimeRange
  /** IANA name, in which floating events are seen. */
  readonly zone: string
  /** The query asks for these events and no others: it fails if one cannot be expanded. */
  readonly isAlone: boolean
}

export interface Expanded {
  readonly instances: FoundEvents
  /** What an event has in the list does not depend on the others. */
  readonly isEven: boolean
}

/**
 * Instances of events that recur, and events that do not, about in the order of the rows. Of an event that cannot be expanded whole the
 * earliest instances are listed; if the query asks for no other event, it fails (decision record 0034).
 */
export async function expandRows(
  { method, reader }: ReadContext,
  rows: readonly EventRow[],
  { window, zone, isAlone }: ExpansionWanted,
): Promise<Expanded> {
  const { guard } = method.request
  const { store } = method.services
  const recurring = rows.filter(({ is_recurring }) => is_recurring === 1)
  const { prepared, errors } = await prepareAll({ store, reader, account: method.account.number, guard }, recurring)
  const found = new FoundEvents()
  const expansion = new SharedExpansion<EventRow>(window, (row, instances) => found.addAll(row, instances))
  for (const row of rows) {
    if (row.is_recurring === 0) {
      const { start, end } = timeOf(row, zone)
      if (overlaps(start, end, window)) found.add(row, start, WHOLE)
      continue
    }
    const event = prepared.get(row.id)
    if (event) expansion.add(row, event, zone)
    guard.check()
  }
  const isEven = expansion.isEven && errors.length === 0
  if (found.length > MAX_EXPANDED_INSTANCES)
    throw new MethodError('cannotCalculateOccurrences', `There are more than ${MAX_EXPANDED_INSTANCES} instances.`)
  const cut = expansion.finish(MAX_EXPANDED_INSTANCES - found.length)
  const [error] = [...errors, ...cut.map((one) => one.error)]
  if (error && isAlone) throw new MethodError('cannotCalculateOccurrences', `${error.message}.`)
  for (const { of, instances } of cut) for (const { id, start } of instances) found.add(of, start, id)
  return { instances: found, isEven }
}

/**
 * The same in the default order. The list is kept, and made of an earlier one of the window by what has changed since.
 * @param rows that are kept (kept-times.ts) @param calendar of which they are; null: of any
 */
export async function keptList(
  read: ReadContext,
  rows: readonly EventRow[],
  wanted: ExpansionWanted,
  calendar: number | null,
): Promise<SortedEvents> {
  const { method } = read
  const { window, zone } = wanted
  const lists = keptListsOf(method.services.store)
  const key = [method.account.number, window.start, window.end, zone, calendar].join(' ')
  const earlier = lists.find(key, rows)
  if (earlier?.fresh.length === 0 && earlier.gone.size === 0) return earlier.list
  if (earlier) {
    const { instances, isEven } = await expandRows(read, earlier.fresh, wanted)
    const list = merged(earlier, sortEvents(instances, []))
    if (isEven && list.starts.length <= MAX_EXPANDED_INSTANCES) {
      lists.keep(key, rows, list)
      return list
    }
  }
  const { instances, isEven } = await expandRows(read, rows, wanted)
  const list = sortEvents(instances, [])
  if (isEven) lists.keep(key, rows, list)
  return list
}
