/** CalendarEvent/query: JMAP Calendars 5.11. */
import { MAX_EXPANDED_QUERY_DAYS } from '../../../server/base/calendar-data-limits.ts'
import { calendarEventsWithWords, hasWords } from '../../../storage/repos/calendar-event-query.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { hasCondition, isOperator } from '../../type/filter.ts'
import type { QueryRequest, QueryResult, ReadContext } from '../../type/handlers.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { formatLocal } from '../jscalendar/date-times.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import {
  type EventCondition,
  type EventRow,
  type FoundEvents,
  instantOf,
  rowsBetween,
  TEXT_CONDITIONS,
  WHOLE,
  ZONES_MS,
} from './event-rows.ts'
import { type EventWords, wordsOf } from './event-words.ts'
import { expandRows, keptList } from './expanded-events.ts'
import { matchEvents } from './match-events.ts'
import { isByStart, resultOf, type SortedEvents, sortEvents } from './sorted-events.ts'
import { calendarsOf, eventOfRow } from './stored-event.ts'
import { isTimeZone } from './wall-time.ts'

export type EventQuery = QueryRequest<typeof CalendarEvent>

const DAY_MS = 86_400_000

export async function queryEvents(read: ReadContext, request: EventQuery): Promise<QueryResult> {
  const { filter, sort, args } = request
  if (!isTimeZone(args.timeZone)) throw invalidArguments('timeZone is no name of an IANA time zone.', ['timeZone'])
  const needsKeys = sort.some(({ property }) => property !== 'start') || hasCondition(filter, ['uid'])
  const sorted = args.expandRecurrences
    ? await expandEvents(read, request, needsKeys)
    : sortEvents(await matchEvents(read, filter, args.timeZone, needsKeys), sort)
  return resultOf(read.method, sorted)
}

async function expandEvents(
  read: ReadContext,
  { filter, sort, args }: EventQuery,
  needsKeys: boolean,
): Promise<SortedEvents> {
  const zone = args.timeZone
  const condition = windowOf(filter)
  const { inCalendar, uid } = condition
  const [start, end] = [instantOf('after', condition.after, zone), instantOf('before', condition.before, zone)]
  if (end - start > MAX_EXPANDED_QUERY_DAYS * DAY_MS)
    throw new MethodError('expandDurationTooLarge', `The window is at most ${MAX_EXPANDED_QUERY_DAYS} days.`)
  const calendar = inCalendar === undefined ? null : (read.method.number(Calendar, inCalendar) ?? -1)
  const isWanted = await rowTest(read, condition, calendar)
  const found = await rowsBetween(read, { after: start - ZONES_MS, before: end + ZONES_MS }, needsKeys)
  const rows = found.rows.filter(isWanted)
  const expansion = { window: { start, end }, zone, isAlone: uid !== undefined }
  if (found.areKept && isByStart(sort) && !hasText(condition)) return keptList(read, rows, expansion, calendar)
  const { instances } = await expandRows(read, rows, expansion)
  return sortEvents(hasText(condition) ? await withText(read, instances, condition) : instances, sort)
}

/** JMAP Calendars 5.11: expansion needs a FilterCondition with both ends of the window. */
function windowOf(filter: EventQuery['filter']): EventCondition & { after: string; before: string } {
  if (filter === null || isOperator(filter) || filter.after === undefined || filter.before === undefined)
    throw invalidArguments('To expand recurrences, the filter is a FilterCondition with after and before.', ['filter'])
  return { ...filter, after: filter.after, before: filter.before }
}

/** The conditions that concern an event with all its instances. @param calendar null: any */
async function rowTest(
  { method, reader }: ReadContext,
  condition: EventCondition,
  calendar: number | null,
): Promise<(row: EventRow) => boolean> {
  const isInCalendar = calendarTest(calendar)
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
