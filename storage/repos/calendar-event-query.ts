/** What queries of calendar events read: times and sort keys of all events that may match, and events by their words. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { ALL_TYPES } from '../change-log.ts'
import type { Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { CalendarEventTable } from '../schema/tables.ts'
import { parseSearch } from '../search/tokens.ts'
import { statement } from '../statement.ts'

const TIMES = [
  'id',
  'revision',
  'calendars',
  'is_recurring',
  'is_floating',
  'start_at',
  'end_at',
  'first_start_at',
] as const
/** What tells when an event is: most queries need no more of it, and each column of a row costs. */
export type CalendarEventTimes = Pick<CalendarEventTable, (typeof TIMES)[number]>

const KEYS = [...TIMES, 'uid', 'recurrence_id', 'made_at', 'updated_at'] as const
/** An event without its JSON. */
export type CalendarEventKeys = Pick<CalendarEventTable, (typeof KEYS)[number]>

/** Epoch ms, inclusive. */
export interface Between {
  readonly after: number
  readonly before: number
}

/** The index has the events that recur behind the others, so that each kind is a range of it. */
const KINDS = [0, 1] as const

function between<const C extends readonly (keyof CalendarEventTable)[]>(columns: C) {
  return statement<{ account: number; recurring: number; after: number; before: number }>()((db, p) =>
    db
      .selectFrom('calendar_event')
      .select([...columns])
      .where('account', '=', p('account'))
      .where('is_recurring', '=', p('recurring'))
      .where('end_at', '>=', p('after'))
      .where('start_at', '<=', p('before')),
  )
}

const timesBetween = between(TIMES)
const keysBetween = between(KEYS)

/** Events that may have an instance between two times, those that recur behind the others. */
export async function calendarTimesBetween(
  reader: Reader,
  account: number,
  { after, before }: Between,
): Promise<CalendarEventTimes[]> {
  const found: CalendarEventTimes[] = []
  for (const recurring of KINDS)
    found.push(...(await reader.sql.all(timesBetween, { account, recurring, after, before })))
  return found
}

/** The same, with what else they are sorted by. */
export async function calendarEventsBetween(
  reader: Reader,
  account: number,
  { after, before }: Between,
): Promise<CalendarEventKeys[]> {
  const found: CalendarEventKeys[] = []
  for (const recurring of KINDS)
    found.push(...(await reader.sql.all(keysBetween, { account, recurring, after, before })))
  return found
}

const allTimes = statement<{ account: number; limit: number }>()((db, p) =>
  db
    .selectFrom('calendar_event')
    .select([...TIMES])
    .where('account', '=', p('account'))
    .orderBy('id')
    .limit(p('limit')),
)

/** Of all events of an account, by number. */
export function listCalendarTimes(reader: Reader, account: number, limit: number): Promise<CalendarEventTimes[]> {
  return reader.sql.all(allTimes, { account, limit })
}

const changedTimes = statement<{ account: number; type: string; since: number; limit: number }>()((db, p) =>
  db
    .selectFrom('change')
    .leftJoin('calendar_event as e', (join) =>
      join.onRef('e.account', '=', 'change.account').onRef('e.id', '=', 'change.object'),
    )
    .select(['change.object', ...TIMES.map((name) => `e.${name}` as const)])
    .select((eb) => [
      eb
        .selectFrom('change_floor')
        .select((floor) => floor.fn.max('floor').as('floor'))
        .where('account', '=', p('account'))
        .where((floor) => floor.or([floor('type', '=', p('type')), floor('type', '=', sql.lit(ALL_TYPES))]))
        .as('floor'),
    ])
    .where('change.account', '=', p('account'))
    .where('change.type', '=', p('type'))
    .where('change.seq', '>', p('since'))
    .orderBy('change.seq')
    .limit(p('limit')),
)

export interface ChangedTimes {
  /** Number of an event, which may be in the list more than once. */
  readonly object: number
  /** null: there is no such event any more. */
  readonly row: CalendarEventTimes | null
}

/**
 * What the change log names since a state of CalendarEvent, at most `limit` changes, in one statement.
 * @returns null: the change log does not go back so far, or has no change since
 */
export async function calendarTimesSince(
  reader: Reader,
  account: number,
  { type, since, limit }: { readonly type: string; readonly since: number; readonly limit: number },
): Promise<ChangedTimes[] | null> {
  const rows = await reader.sql.all(changedTimes, { account, type, since, limit })
  const [first] = rows
  if (!first || since < Number(first.floor ?? 0)) return null
  return rows.map(({ object, floor: _floor, ...row }) => ({
    object,
    row: row.id === null ? null : (row as CalendarEventTimes),
  }))
}

export type CalendarTextField = 'title' | 'description' | 'location' | 'owner' | 'participant' | 'attendee' | 'text'

/** Each needs all words of the text, in any of its columns. */
const COLUMNS: { readonly [field in CalendarTextField]: readonly string[] } = {
  title: ['title'],
  description: ['description'],
  location: ['location'],
  owner: ['owner'],
  participant: ['owner', 'attendee'],
  attendee: ['attendee'],
  text: ['title', 'description', 'location', 'owner', 'attendee', 'other'],
}

/** Events whose words match a search, which is read like that of emails (storage/search/tokens.ts). */
export async function calendarEventsWithWords(
  reader: Reader,
  account: number,
  field: CalendarTextField,
  search: string,
): Promise<ReadonlySet<number>> {
  const phrases = parseSearch(search)
  if (phrases.length === 0) return new Set()
  const find = sql.raw(reader.sql.engine === 'sqlite' ? 'instr' : 'strpos')
  const needle = ({ tokens, prefix }: (typeof phrases)[number]) => ` ${tokens.join(' ')}${prefix ? '' : ' '}`
  const inColumn = (column: string, text: string): RawBuilder<SqlBool> =>
    sql`${find}(${sql.ref(`t.${column}`)}, ${text}) > 0`
  const found = phrases.map(
    (phrase) =>
      sql`(${sql.join(
        COLUMNS[field].map((column) => inColumn(column, needle(phrase))),
        sql` or `,
      )})`,
  )
  const rows = await rawQuery(
    reader.sql,
    sql<{ calendar_event: number }>`select t.calendar_event from calendar_event_text t where t.account = ${account}
      and ${reader.sql.mayGoOn('t.calendar_event')} and ${sql.join(found, sql` and `)}`,
  )
  return new Set(rows.map(({ calendar_event }) => calendar_event))
}

/** Whether tokens, as they are stored, hold all phrases of a search. */
export function hasWords(texts: readonly string[], search: string): boolean {
  const phrases = parseSearch(search)
  return (
    phrases.length > 0 &&
    phrases.every(({ tokens, prefix }) => {
      const needle = ` ${tokens.join(' ')}${prefix ? '' : ' '}`
      return texts.some((text) => text.includes(needle))
    })
  )
}
