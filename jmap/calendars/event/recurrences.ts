/** Recurrences of events, prepared once for each revision and kept by the thread that reads (jmap/calendars/recurrence). */

import type { Guard } from '../../../server/base/guard.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { Reader, Store } from '../../../storage/ports.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { keyOfLocal, parseLocal } from '../jscalendar/date-times.ts'
import { isExcluded, overrideOf } from '../jscalendar/overrides.ts'
import { occursAt } from '../recurrence/occurrences.ts'
import type { Prepared } from '../recurrence/prepare.ts'
import { PreparedEvents } from '../recurrence/prepared-events.ts'
import { RecurrenceError, Work } from '../recurrence/work.ts'
import { eventOfRow, type StoredEvent } from './stored-event.ts'

/** Numbers of events are unique within a store only. */
const kept = new WeakMap<Store, PreparedEvents>()

function keptOf(store: Store): PreparedEvents {
  const events = kept.get(store) ?? new PreparedEvents()
  kept.set(store, events)
  return events
}

/** @throws RecurrenceError */
export function preparedOf(store: Store, account: number, { number, revision, event }: StoredEvent): Prepared {
  return keptOf(store)
    .ofAccount(account)
    .get(number, revision, () => event)
}

/** Events to expand, with the JSON of those that are not kept yet read in slices. */
const SLICE = 100

/** The recurrences of events, by their numbers, and why some have none. */
export async function prepareAll(
  { store, reader, account, guard }: { store: Store; reader: Reader; account: number; guard: Guard },
  rows: readonly { readonly id: number; readonly revision: number }[],
): Promise<{ readonly prepared: ReadonlyMap<number, Prepared>; readonly errors: readonly RecurrenceError[] }> {
  const events = keptOf(store).ofAccount(account)
  const found = new Map<number, Prepared>()
  const errors: RecurrenceError[] = []
  const missing: number[] = []
  for (const { id, revision } of rows) {
    const prepared = events.find(id, revision)
    if (prepared) found.set(id, prepared)
    else missing.push(id)
  }
  for (let i = 0; i < missing.length; i += SLICE)
    for (const row of await findCalendarEvents(reader, account, missing.slice(i, i + SLICE))) {
      guard.check()
      const prepared = calculated(() => events.get(row.id, row.revision, () => eventOfRow(row).event))
      if (prepared instanceof RecurrenceError) errors.push(prepared)
      else found.set(row.id, prepared)
    }
  return { prepared: found, errors }
}

/** The error in place of the answer, if there is none. */
export function calculated<T>(run: () => T): T | RecurrenceError {
  try {
    return run()
  } catch (error) {
    if (error instanceof RecurrenceError) return error
    throw error
  }
}

/** Whether the rule of an event makes an instance at a recurrence id, whatever the override there says. */
export function isProduced(prepared: Prepared, recurrenceId: string, work = new Work()): boolean {
  const local = parseLocal(recurrenceId)
  if (local === null) return false
  const seconds = local / 1000
  const occurs =
    (prepared.hasStart && prepared.start === seconds) || prepared.rules.some((rule) => occursAt(rule, seconds, work))
  return occurs && !prepared.excludedRules.some((rule) => occursAt(rule, seconds, work))
}

/** Whether an event has an instance of a recurrence id: by its rule, or by an override. */
export function hasInstance(prepared: Prepared, event: JsonObject, recurrenceId: string): boolean {
  const patch = overrideOf(event, recurrenceId)
  if (patch !== undefined) return !isExcluded(patch)
  try {
    return isProduced(prepared, recurrenceId)
  } catch (error) {
    if (error instanceof RecurrenceError) return false
    throw error
  }
}

/** The key of an instance in ids (jmap/type/instance-numbers.ts). @param id local seconds, as jmap/calendars/recurrence/expand.ts gives them */
export function instanceKeyOf(id: number): number {
  return keyOfLocal(id * 1000)
}
