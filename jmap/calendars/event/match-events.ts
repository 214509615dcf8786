/** Queries that do not expand: each condition may match any instance of an event (JMAP Calendars 5.11.1). */
import { RECURRENCE_SHARE_STEPS } from '../../../server/base/calendar-limits.ts'
import { calendarEventsWithWords } from '../../../storage/repos/calendar-event-query.ts'
import type { Filter } from '../../type/derived.ts'
import { isOperator, passes } from '../../type/filter.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { expandPart, nextInstance } from '../recurrence/expand.ts'
import { LOCAL_MAX } from '../recurrence/local-time.ts'
import type { Prepared } from '../recurrence/prepare.ts'
import { RecurrenceError, Work } from '../recurrence/work.ts'
import {
  type EventCondition,
  type EventRow,
  FoundEvents,
  instantOf,
  rowsBetween,
  TEXT_CONDITIONS,
  timeOf,
  WHOLE,
  ZONES_MS,
} from './event-rows.ts'
import { calculated, prepareAll } from './recurrences.ts'
import { calendarsOf } from './stored-event.ts'

type EventFilter = Filter<EventCondition>

/** @param needsKeys whether the query needs more of the rows than their times */
export async function matchEvents(
  read: ReadContext,
  filter: EventFilter | null,
  zone: string,
  needsKeys: boolean,
): Promise<FoundEvents> {
  const rows = await candidates(read, filter, zone, needsKeys)
  const tests = await Tests.of(read, filter, zone, rows)
  const found = new FoundEvents()
  for (const row of rows)
    if (passes(filter, (condition) => tests.meets(row, condition))) found.add(row, row.first_start_at, WHOLE)
  return found
}

/** Events whose bounds fit the times of a filter that is one condition; else all. */
async function candidates(
  read: ReadContext,
  filter: EventFilter | null,
  zone: string,
  needsKeys: boolean,
): Promise<readonly EventRow[]> {
  const { after, before }: EventCondition = filter === null || isOperator(filter) ? {} : filter
  const bounds = {
    after: after === undefined ? Number.MIN_SAFE_INTEGER : instantOf('after', after, zone) - ZONES_MS,
    before: before === undefined ? Number.MAX_SAFE_INTEGER : instantOf('before', before, zone) + ZONES_MS,
  }
  return (await rowsBetween(read, bounds, needsKeys)).rows
}

class Tests {
  readonly #read: ReadContext
  readonly #zone: string
  readonly #prepared: ReadonlyMap<number, Prepared>
  /** Events by name and text of a condition. */
  readonly #matching: ReadonlyMap<string, ReadonlySet<number>>

  private constructor(
    read: ReadContext,
    zone: string,
    prepared: ReadonlyMap<number, Prepared>,
    matching: ReadonlyMap<string, ReadonlySet<number>>,
  ) {
    this.#read = read
    this.#zone = zone
    this.#prepared = prepared
    this.#matching = matching
  }

  /** Reads what the tests of all conditions need. */
  static async of(read: ReadContext, filter: EventFilter | null, zone: string, rows: readonly EventRow[]) {
    const { method, reader } = read
    const account = method.account.number
    const conditions = conditionsOf(filter)
    const matching = new Map<string, ReadonlySet<number>>()
    for (const condition of conditions)
      for (const name of TEXT_CONDITIONS) {
        const text = condition[name]
        if (text !== undefined && !matching.has(`${name} ${text}`))
          matching.set(`${name} ${text}`, await calendarEventsWithWords(reader, account, name, text))
      }
    const asksTimes = conditions.some(({ after, before }) => after !== undefined || before !== undefined)
    const recurring = asksTimes ? rows.filter(({ is_recurring }) => is_recurring === 1) : []
    const { store } = method.services
    const { prepared } = await prepareAll({ store, reader, account, guard: method.request.guard }, recurring)
    return new Tests(read, zone, prepared, matching)
  }

  meets(row: EventRow, condition: EventCondition): boolean {
    const { inCalendar, uid, after, before } = condition
    const { method } = this.#read
    if (uid !== undefined && row.uid !== uid) return false
    if (inCalendar !== undefined && !calendarsOf(row.calendars).includes(method.number(Calendar, inCalendar) ?? -1))
      return false
    for (const name of TEXT_CONDITIONS)
      if (condition[name] !== undefined && !this.#matching.get(`${name} ${condition[name]}`)?.has(row.id)) return false
    method.request.guard.check()
    return (
      (after === undefined || this.#endsAfter(row, instantOf('after', after, this.#zone))) &&
      (before === undefined || this.#startsBefore(row, instantOf('before', before, this.#zone)))
    )
  }

  #startsBefore(row: EventRow, before: number): boolean {
    const options = { floatingZone: this.#zone, work: new Work(RECURRENCE_SHARE_STEPS) }
    const prepared = this.#prepared.get(row.id)
    const first = prepared && calculated(() => nextInstance(prepared, row.start_at - 2 * ZONES_MS, options))
    // What costs too much to calculate is decided by the bounds of the event (decision record 0034).
    if (!prepared || first instanceof RecurrenceError) return timeOf(row, this.#zone).start < before
    return !!first && first.start < before
  }

  #endsAfter(row: EventRow, after: number): boolean {
    const prepared = this.#prepared.get(row.id)
    if (!prepared) return timeOf(row, this.#zone).end > after
    const options = { floatingZone: this.#zone, maxInstances: ENOUGH, work: new Work(RECURRENCE_SHARE_STEPS) }
    const { instances, error } = expandPart(prepared, { start: after, end: FOREVER }, options)
    return error !== null || instances.some((instance) => instance.end > after)
  }
}

/** Of instances that overlap what comes after a time, all but those without duration end after it. */
const ENOUGH = 10
const FOREVER = (LOCAL_MAX + 86_400) * 1000

function conditionsOf(filter: EventFilter | null): EventCondition[] {
  if (filter === null) return []
  return isOperator(filter) ? filter.conditions.flatMap((inner) => conditionsOf(inner)) : [filter]
}
