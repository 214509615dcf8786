/** Rows of calendar events with what stands beside them: calendars, words, attachments. Queries are in calendar-event-query.ts. */
import { amongNumbers } from '../among-numbers.ts'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { CalendarEventTable, CalendarEventTextTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

/** What is read to show an event. */
const SHOWN = ['id', 'uid', 'recurrence_id', 'revision', 'calendars', 'is_draft', 'data', 'created_at'] as const
export type CalendarEventRow = Pick<CalendarEventTable, (typeof SHOWN)[number]>

/** An event with the rows beside it. */
export interface CalendarEventParts {
  readonly row: Omit<CalendarEventTable, 'account'>
  /** Tokens of each field. */
  readonly words: Omit<CalendarEventTextTable, 'account' | 'calendar_event'>
  /** Ascending. */
  readonly calendars: readonly number[]
  readonly blobs: readonly number[]
}

const one = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('calendar_event').select(SHOWN).where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findCalendarEvent(reader: Reader, account: number, id: number): Promise<CalendarEventRow | null> {
  const [row] = await reader.sql.all(one, { account, id })
  return row ?? null
}

const several = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('calendar_event')
    .select(SHOWN)
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'id', p('ids'))),
)

/** The events that exist, in no order. */
export function findCalendarEvents(
  reader: Reader,
  account: number,
  ids: readonly number[],
): Promise<CalendarEventRow[]> {
  return reader.sql.all(several, { account, ids: JSON.stringify(ids) })
}

const numbers = statement<{ account: number; limit: number }>()((db, p) =>
  db.selectFrom('calendar_event').select('id').where('account', '=', p('account')).orderBy('id').limit(p('limit')),
)

/** Oldest first. */
export async function listCalendarEvents(reader: Reader, account: number, limit: number): Promise<number[]> {
  return (await reader.sql.all(numbers, { account, limit })).map(({ id }) => id)
}

const byUid = statement<{ account: number; uid: string }>()((db, p) =>
  db
    .selectFrom('calendar_event')
    .select(SHOWN)
    .where('account', '=', p('account'))
    .where('uid', '=', p('uid'))
    .orderBy('recurrence_id'),
)

/** The event with that uid, or the instances of it that the account has by themselves. */
export function calendarEventsOfUid(reader: Reader, account: number, uid: string): Promise<CalendarEventRow[]> {
  return reader.sql.all(byUid, { account, uid })
}

const insertEvent = insertRow('calendar_event')
const insertText = insertRow('calendar_event_text')
const insertCalendar = insertRow('calendar_event_calendar')
const insertBlob = insertRow('calendar_event_blob')

export async function insertCalendarEvent(unit: AccountUnit, parts: CalendarEventParts): Promise<void> {
  const { account } = unit
  await unit.sql.all(insertEvent, { ...parts.row, account })
  await insertBeside(unit, parts)
}

async function insertBeside(unit: AccountUnit, { row: { id }, words, calendars, blobs }: CalendarEventParts) {
  const { account } = unit
  await unit.sql.all(insertText, { ...words, account, calendar_event: id })
  for (const calendar of calendars) await unit.sql.all(insertCalendar, { account, calendar, calendar_event: id })
  for (const blob of blobs) await unit.sql.all(insertBlob, { account, blob, calendar_event: id })
}

const BESIDE = ['calendar_event_text', 'calendar_event_calendar', 'calendar_event_blob'] as const

async function deleteBeside(unit: AccountUnit, id: number): Promise<void> {
  for (const table of BESIDE)
    await unit.sql.query((db) =>
      db.deleteFrom(table).where('account', '=', unit.account).where('calendar_event', '=', id),
    )
}

export async function replaceCalendarEvent(unit: AccountUnit, parts: CalendarEventParts): Promise<void> {
  const { id, created_at: _made, ...set } = parts.row
  await unit.sql.query((db) =>
    db.updateTable('calendar_event').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
  await deleteBeside(unit, id)
  await insertBeside(unit, parts)
}

export async function deleteCalendarEvent(unit: AccountUnit, id: number): Promise<void> {
  await deleteBeside(unit, id)
  await unit.sql.query((db) => db.deleteFrom('calendar_event').where('account', '=', unit.account).where('id', '=', id))
}

const inCalendar = statement<{ account: number; calendar: number; limit: number }>()((db, p) =>
  db
    .selectFrom('calendar_event_calendar')
    .select('calendar_event')
    .where('account', '=', p('account'))
    .where('calendar', '=', p('calendar'))
    .orderBy('calendar_event')
    .limit(p('limit')),
)

/** Numbers of events in a calendar. */
export async function eventsInCalendar(
  reader: Reader,
  account: number,
  calendar: number,
  limit: number,
): Promise<number[]> {
  const rows = await reader.sql.all(inCalendar, { account, calendar, limit })
  return rows.map(({ calendar_event }) => calendar_event)
}
