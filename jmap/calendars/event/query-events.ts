/** CalendarEvent/query: JMAP Calendars 5.11. */
import { MAX_EXPANDED_INSTANCES, MAX_EXPANDED_QUERY_DAYS } from '../../../server/base/calendar-data-limits.ts'
import { calendarEventsWithWords, hasWords } from '../../../storage/repos/calendar-event-query.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { hasCondition, isOperator } from '../../type/filter.ts'
import type { QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { formatLocal } from '../jscalendar/date-times.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { overlaps } from '../recurrence/expand.ts'
import type { InstanceColumns } from '../recurrence/instance-columns.ts'
import { SharedExpansion } from '../recurrence/shared-expansion.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
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
import { type EventWords, wordsOf } from './event-words.ts'
import { matchEvents } from './match-events.ts'
import { prepareAll } from './recurrences.ts'
import { sortedResult } from './sorted-events.ts'
import { calendarsOf, eventOfRow } from './stored-event.ts'
import { isTimeZone } from './wall-time.ts'

export type EventQuery = QueryRequest<typeof CalendarEvent>

const DAY_MS = 86_400_000

export async function queryEvents(read: ReadContext, request: EventQuery): Promise<QueryResult> {
  const { filter, sort, args } = request
  if (!isTimeZone(args.timeZone)) throw invalidArguments('timeZone is no name of an IANA time zone.', ['timeZone'])
  const needsKeys = sort.some(({ property }) => property !== 'start') || hasCondition(filter, ['uid'])
  const found = args.expandRecurrences
    ? await expandEvents(read, request, needsKeys)
    : await matchEvents(read, filter, args.timeZone, needsKeys)
  return sortedResult(read.method, found, sort)
}

async function expandEvents(read: ReadContext, { filter, args }: EventQuery, needsKeys: boolean): Promise<FoundEvents> {
  const zone = args.timeZone
  const condition = windowOf(filter)
  const window = { start: instantOf('after', condition.after, zone), end: instantOf('before', condition.before, zone) }
  if (window.end - window.start > MAX_EXPANDED_QUERY_DAYS * DAY_MS)
    throw new MethodError('expandDurationTooLarge', `The window is at most ${MAX_EXPANDED_QUERY_DAYS} days.`)
  const isWanted = await rowTest(read, condition)
  const bounds = { after: window.start - ZONES_MS, before: window.end + ZONES_MS }
  const rows = (await rowsBetween(read, bounds, needsKeys)).filter(isWanted)
  const instances = await instancesOf(read, rows, condition, window, zone)
  return hasText(condition) ? withText(read, instances, condition) : instances
}

/** JMAP Calendars 5.11: expansion needs a FilterCondition with both ends of the window. */
function windowOf(filter: EventQuery['filter']): EventCondition & { after: string; before: string } {
  if (filter === null || isOperator(filter) || filter.after === undefined || filter.before === undefined)
    throw invalidArguments('To expand recurrences, the filter is a FilterCondition with after and before.', ['filter'])
  return { ...filter, after: filter.after, before: filter.before }
}

/** The conditions that concern an event with all its instances. */
async function rowTest(read: ReadContext, condition: EventCondition): Promise<(row: EventRow) => boolean> {
  const { method, reader } = read
  const isInCalendar = calendarTest(
    condition.inCalendar === undefined ? null : (method.number(Calendar, condition.inCalendar) ?? -1),
  )
  const matching: ReadonlySet<number>[] = []
  for (const name of TEXT_CONDITIONS) {
    const text = condition[name]
    if (text !== undefined) matching.push(await calendarEventsWithWords(reader, method.account.number, name, text))
  }
  return (row) =>
    isInCalendar(row.calendars) &&
    (condition.uid === undefined || row.uid === condition.uid) &&
    matching.every((numbers) => numbers.has(row.id))
}

/** Of the column of a row, which is the same text for most events. @param calendar null: any */
function calendarTest(calendar: number | null): (column: string) => boolean {
  if (calendar === null) return () => true
  const known = new Map<string, boolean>()
  return (column) => {
    let isIn = known.get(column)
    if (isIn === undefined) {
      isIn = calendarsOf(column).includes(calendar)
      known.set(column, isIn)
    }
    return isIn
  }
}

/**
 * Instances of events that recur, and events that do not, about in the order of the rows. Of an event that cannot be expanded whole the
 * earliest instances are listed; if the query asks for no other event, it fails (decision record 0034).
 */
async function instancesOf(
  { method, reader }: ReadContext,
  rows: readonly EventRow[],
  { uid }: EventCondition,
  window: { readonly start: number; readonly end: number },
  floatingZone: string,
): Promise<FoundEvents> {
  const { guard } = method.request
  const { store } = method.services
  const recurring = rows.filter(({ is_recurring }) => is_recurring === 1)
  const { prepared, errors } = await prepareAll({ store, reader, account: method.account.number, guard }, recurring)
  const found = new FoundEvents()
  const list = (row: EventRow, { ids, starts, length }: InstanceColumns) => {
    for (let at = 0; at < length; at++) found.add(row, starts[at]!, ids[at]!)
  }
  const expansion = new SharedExpansion(window, list)
  for (const row of rows) {
    if (row.is_recurring === 0) {
      const time = timeOf(row, floatingZone)
      if (overlaps(time.start, time.end, window)) found.add(row, time.start, WHOLE)
      continue
    }
    const event = prepared.get(row.id)
    if (event) expansion.add(row, event, floatingZone)
    guard.check()
  }
  if (found.length > MAX_EXPANDED_INSTANCES)
    throw new MethodError('cannotCalculateOccurrences', `There are more than ${MAX_EXPANDED_INSTANCES} instances.`)
  const cut = expansion.finish(MAX_EXPANDED_INSTANCES - found.length)
  const [error] = [...errors, ...cut.map((one) => one.error)]
  if (error && uid !== undefined) throw new MethodError('cannotCalculateOccurrences', `${error.message}.`)
  for (const { of, instances } of cut) for (const { id, start } of instances) found.add(of, start, id)
  return found
}

function hasText(condition: EventCondition): boolean {
  return TEXT_CONDITIONS.some((name) => condition[name] !== undefined)
}

/** JMAP Calendars 5.11.1: all conditions match the same instance. Instances without an override are like their event. */
async function withText(read: ReadContext, found: FoundEvents, condition: EventCondition): Promise<FoundEvents> {
  const recurring = found.filter((_row, instance) => instance !== WHOLE)
  const numbers = [...new Set(recurring.rows.map(({ id }) => id))]
  const rows = await findCalendarEvents(read.reader, read.method.account.number, numbers)
  const events = new Map(rows.map((row) => [row.id, eventOfRow(row).event]))
  const plain = new Map<number, boolean>()
  return found.filter((row, instance) => {
    // An event that does not recur was found by all its words.
    if (instance === WHOLE) return true
    const event = events.get(row.id)
    if (!event) return false
    const id = formatLocal(instance * 1000)
    if (event.recurrenceOverrides?.[id] === undefined) {
      const known = plain.get(row.id) ?? matchesText(wordsOf({ ...event, recurrenceOverrides: {} }), condition)
      plain.set(row.id, known)
      return known
    }
    const own = instanceOf(event, id)
    return own !== null && matchesText(wordsOf(own), condition)
  })
}

function fieldsOf(words: EventWords, name: (typeof TEXT_CONDITIONS)[number]): string[] {
  if (name === 'text') return Object.values(words)
  return name === 'participant' ? [words.owner, words.attendee] : [words[name]]
}

function matchesText(words: EventWords, condition: EventCondition): boolean {
  return TEXT_CONDITIONS.every((name) => {
    const text = condition[name]
    return text === undefined || hasWords(fieldsOf(words, name), text)
  })
}
