/** CalendarEvent/set, update of a whole event: JMAP Calendars 5.9. */
import type { JsonObject } from '../../../server/base/json.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { UpdateChange, UpdateOutcome, WriteContext } from '../../type/handlers.ts'
import { listCalendars } from '../calendar/calendars.ts'
import { type Attachments, withAttachments } from './attachments.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import { saveEvent } from './save-event.ts'
import { eventOfRow, type StoredEvent } from './stored-event.ts'
import { jscalendarPart, readCalendars, withUTCTimes } from './written-event.ts'

export type EventUpdate = UpdateChange<typeof CalendarEvent, Attachments>

export async function updateEvent(
  write: WriteContext<typeof CalendarEvent>,
  number: number,
  { next, changed, prepared }: EventUpdate,
): Promise<UpdateOutcome> {
  const { unit } = write
  const row = await findCalendarEvent(unit, unit.account, number)
  if (!row) return { error: setError('notFound') }
  if (changed.length === 0) return { updated: null }
  const before = eventOfRow(row)
  const fixed = fixedError(before, next, changed)
  if (fixed) return { error: fixed }
  const read = changed.includes('calendarIds')
    ? await readCalendars(write, next.calendarIds)
    : await present(write, before)
  if ('error' in read) return read
  const timed = withUTCTimes(
    await withAttachments(write, jscalendarPart(next), prepared),
    {
      ...(changed.includes('utcStart') && { utcStart: next.utcStart }),
      ...(changed.includes('utcEnd') && { utcEnd: next.utcEnd }),
      given: changed,
    },
    read.calendars,
  )
  if ('error' in timed) return timed
  const saved = await saveEvent(write, before, {
    event: timed.event,
    calendars: read.calendars.map(({ id }) => id),
    isDraft: next.isDraft,
    setsOverrides: changed.includes('recurrenceOverrides'),
  })
  if ('error' in saved) return saved
  return { updated: toldTo(changed, timed.event, saved.told) }
}

function fixedError({ isDraft, event }: StoredEvent, next: JsonObject, changed: readonly string[]): SetError | null {
  // JMAP Calendars 5: an event that is no draft never becomes one.
  if (changed.includes('isDraft') && !isDraft) return invalidProperties(['isDraft'], 'isDraft can only become false.')
  if (changed.includes('recurrenceId') && (next['recurrenceId'] ?? undefined) !== event.recurrenceId)
    return invalidProperties(['recurrenceId'], 'recurrenceId cannot change.')
  return null
}

async function present({ unit }: WriteContext<typeof CalendarEvent>, { calendars }: StoredEvent) {
  const all = await listCalendars(unit, unit.account)
  return { calendars: all.filter(({ id }) => calendars.includes(id)) }
}

/** RFC 8620 5.3: what changed otherwise than the client asked. */
function toldTo(changed: readonly string[], event: JsonObject, told: JsonObject): JsonObject | null {
  const derived = ['start', 'duration', 'timeZone'].filter(
    (name) => (changed.includes('utcStart') || changed.includes('utcEnd')) && event[name] !== undefined,
  )
  const all: JsonObject = { ...Object.fromEntries(derived.map((name) => [name, event[name] ?? null])), ...told }
  return Object.keys(all).length > 0 ? all : null
}
