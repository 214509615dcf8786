/** CalendarEvent/query: JMAP Calendars 5.11. */
import { MAX_EXPANDED_INSTANCES, MAX_EXPANDED_QUERY_DAYS } from '../../../server/base/calendar-data-limits.ts'
import {
  type CalendarEventKeys,
  calendarEventsBetween,
  calendarEventsWithWords,
  hasWords,
} from '../../../storage/repos/calendar-event-query.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import type { Comparator, SortOf } from '../../type/derived.ts'
import { isOperator } from '../../type/filter.ts'
import type { QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { listResult } from '../../type/object-handlers.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { expand, type Instance, recurrenceId } from '../recurrence/expand.ts'
import type { Prepared } from '../recurrence/prepare.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import { type EventCondition, type Found, foundOf, instantOf, TEXT_CONDITIONS, timeOf, ZONES_MS } from './event-rows.ts'
import { type EventWords, wordsOf } from './event-words.ts'
import { matchEvents } from './match-events.ts'
import { calculated, instanceKeyOf, prepareAll } from './recurrences.ts'
import { calendarsOf, eventOfRow } from './stored-event.ts'
import { isTimeZone } from './wall-time.ts'

export type EventQuery = QueryRequest<typeof CalendarEvent>

const DAY_MS = 86_400_000
export async function queryEvents(read: ReadContext, request: EventQuery): Promise<QueryResult> {
  const { filter, sort, args } = request
  if (!isTimeZone(args.timeZone)) throw invalidArguments('timeZone is no name of an IANA time zone.', ['timeZone'])
  const found = args.expandRecurrences
    ? await expandEvents(read, request)
    : await matchEvents(read, filter, args.timeZone)
  found.sort((a, b) => compare(a, b, sort) || a.start - b.start || a.number - b.number)
  return listResult(found.map(({ number }) => number))
}

function compare(a: Found, b: Found, sort: readonly Comparator<SortOf<typeof CalendarEvent>>[]): number {
  for (const { property, isAscending } of sort) {
    const [x, y] = [a[property], b[property]]
    if (x !== y) return (x < y ? -1 : 1) * (isAscending ? 1 : -1)
  }
  return 0
}

async function expandEvents(read: ReadContext, { filter, args }: EventQuery): Promise<Found[]> {
  const zone = args.timeZone
  const condition = windowOf(filter)
  const window = { start: instantOf('after', condition.after, zone), end: instantOf('before', condition.before, zone) }
  if (window.end - window.start > MAX_EXPANDED_QUERY_DAYS * DAY_MS)
    throw new MethodError('expandDurationTooLarge', `The window is at most ${MAX_EXPANDED_QUERY_DAYS} days.`)
  const isWanted = await rowTest(read, condition)
  const once = (await rowsOf(read, window, false)).filter(isWanted)
  const found = once.flatMap((row) => {
    const time = timeOf(row, zone)
    return overlaps(time, window) ? [{ ...foundOf(row), start: time.start }] : []
  })
  const recurring = (await rowsOf(read, window, true)).filter(isWanted)
  const instances = await instancesOf(read, recurring, window, zone)
  const fitting = hasText(condition) ? await withText(read, instances, condition) : instances
  if (found.length + fitting.length > MAX_EXPANDED_INSTANCES)
    throw new MethodError('cannotCalculateOccurrences', `There are more than ${MAX_EXPANDED_INSTANCES} instances.`)
  const { instances: numbers } = read.method.request
  for (const { row, instance } of fitting)
    found.push({
      ...foundOf(row),
      number: numbers.numberOf({ object: row.id, key: instanceKeyOf(instance.id) }),
      start: instance.start,
      recurrenceId: recurrenceId(instance),
    })
  return found
}

/** JMAP Calendars 5.11: expansion needs a FilterCondition with both ends of the window. */
function windowOf(filter: EventQuery['filter']): EventCondition & { after: string; before: string } {
  if (filter === null || isOperator(filter) || filter.after === undefined || filter.before === undefined)
    throw invalidArguments('To expand recurrences, the filter is a FilterCondition with after and before.', ['filter'])
  return { ...filter, after: filter.after, before: filter.before }
}

function rowsOf(
  { reader, method }: ReadContext,
  window: { readonly start: number; readonly end: number },
  isRecurring: boolean,
): Promise<CalendarEventKeys[]> {
  const [after, before] = [window.start - ZONES_MS, window.end + ZONES_MS]
  return calendarEventsBetween(reader, method.account.number, { after, before, isRecurring })
}

/** An event without duration is where it starts. */
function overlaps(time: { start: number; end: number }, window: { start: number; end: number }): boolean {
  if (time.start >= window.end) return false
  return time.end > window.start || (time.end === time.start && time.start === window.start)
}

/** The conditions that concern an event with all its instances. */
async function rowTest(read: ReadContext, condition: EventCondition): Promise<(row: CalendarEventKeys) => boolean> {
  const { method, reader } = read
  const calendar = condition.inCalendar === undefined ? null : (method.number(Calendar, condition.inCalendar) ?? -1)
  const matching: ReadonlySet<number>[] = []
  for (const name of TEXT_CONDITIONS) {
    const text = condition[name]
    if (text !== undefined) matching.push(await calendarEventsWithWords(reader, method.account.number, name, text))
  }
  return (row) =>
    (calendar === null || calendarsOf(row.calendars).includes(calendar)) &&
    (condition.uid === undefined || row.uid === condition.uid) &&
    matching.every((numbers) => numbers.has(row.id))
}

interface OfEvent {
  readonly row: CalendarEventKeys
  readonly instance: Instance
}

async function instancesOf(
  { method, reader }: ReadContext,
  rows: readonly CalendarEventKeys[],
  window: { readonly start: number; readonly end: number },
  floatingZone: string,
): Promise<OfEvent[]> {
  const { guard } = method.request
  const { store } = method.services
  const prepared = await prepareAll({ store, reader, account: method.account.number, guard }, rows)
  const found: OfEvent[] = []
  for (const row of rows) {
    const event = prepared.get(row.id)
    if (!event) continue
    for (const instance of expanded(event, window, floatingZone)) found.push({ row, instance })
    if (found.length > MAX_EXPANDED_INSTANCES) break
    guard.check()
  }
  return found
}

function expanded(event: Prepared, window: { start: number; end: number }, floatingZone: string): Instance[] {
  return calculated(() => expand(event, window, { floatingZone }))
}

function hasText(condition: EventCondition): boolean {
  return TEXT_CONDITIONS.some((name) => condition[name] !== undefined)
}

/** JMAP Calendars 5.11.1: all conditions match the same instance. Instances without an override are like their event. */
async function withText(
  read: ReadContext,
  instances: readonly OfEvent[],
  condition: EventCondition,
): Promise<OfEvent[]> {
  const numbers = [...new Set(instances.map(({ row }) => row.id))]
  const rows = await findCalendarEvents(read.reader, read.method.account.number, numbers)
  const events = new Map(rows.map((row) => [row.id, eventOfRow(row).event]))
  const plain = new Map<number, boolean>()
  return instances.filter(({ row, instance }) => {
    const event = events.get(row.id)
    if (!event) return false
    const id = recurrenceId(instance)
    if (event.recurrenceOverrides?.[id] === undefined) {
      const known = plain.get(row.id) ?? matchesText(wordsOf({ ...event, recurrenceOverrides: {} }), condition)
      plain.set(row.id, known)
      return known
    }
    const own = instanceOf(event, id)
    return own !== null && matchesText(wordsOf(own), condition)
  })
}

function matchesText(words: EventWords, condition: EventCondition): boolean {
  return TEXT_CONDITIONS.every((name) => {
    const text = condition[name]
    return text === undefined || hasWords(name === 'text' ? Object.values(words) : [words[name]], text)
  })
}
