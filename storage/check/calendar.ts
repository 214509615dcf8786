import type { Reader } from '../ports.ts'
import { differences } from './email-rows.ts'
import type { Fault } from './fault.ts'

/** Compares what stands beside the events of a mailbox account with the events. */
export async function checkCalendar(reader: Reader, account: number): Promise<Fault[]> {
  const events = await reader.sql.query((db) =>
    db
      .selectFrom('calendar_event')
      .select(['id', 'uid', 'recurrence_id', 'calendars', 'data', 'start_at', 'end_at'])
      .where('account', '=', account),
  )
  const calendars = await reader.sql.query((db) =>
    db.selectFrom('object').select('id').where('account', '=', account).where('type', '=', 'Calendar'),
  )
  const inCalendars = await reader.sql.query((db) =>
    db.selectFrom('calendar_event_calendar').selectAll().where('account', '=', account),
  )
  const texts = await reader.sql.query((db) =>
    db.selectFrom('calendar_event_text').select('calendar_event').where('account', '=', account),
  )
  const known = new Set(calendars.map(({ id }) => id))
  const faults: Fault[] = events.flatMap((event) => {
    const detail = faultOf(event, known)
    return detail === null ? [] : [{ account, kind: 'calendar-event', detail: `event ${event.id} ${detail}` }]
  })
  return [
    ...faults,
    ...differences(
      account,
      'calendar-event-calendar',
      events.flatMap(({ id, calendars: own }) => own.split(',').map((calendar) => `${calendar} ${id}`)),
      inCalendars.map(({ calendar, calendar_event }) => `${calendar} ${calendar_event}`),
    ),
    ...differences(
      account,
      'calendar-event-text',
      events.map(({ id }) => String(id)),
      texts.map(({ calendar_event }) => String(calendar_event)),
    ),
  ]
}

interface EventRow {
  readonly uid: string
  readonly recurrence_id: string
  readonly calendars: string
  readonly data: string
  readonly start_at: number
  readonly end_at: number
}

/** null: its columns fit its JSON, and its calendars exist. */
function faultOf(row: EventRow, known: ReadonlySet<number>): string | null {
  const own = row.calendars.split(',')
  if (!own.every((calendar) => known.has(Number(calendar)))) return `is in '${row.calendars}'`
  if (row.start_at > row.end_at) return 'ends before it starts'
  try {
    const { uid, recurrenceId = '' } = JSON.parse(row.data) as { uid?: unknown; recurrenceId?: unknown }
    return uid === row.uid && recurrenceId === row.recurrence_id ? null : 'has another uid or recurrence id in its JSON'
  } catch {
    return 'is not JSON'
  }
}
