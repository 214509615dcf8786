/**
 * The only way to write events: rows, words, attachments and the change log, then the effects of the change (event-effects.ts), all in
 * the unit of work. Methods, scheduling messages, bookings and imports write through it.
 */
import { randomInt } from 'node:crypto'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  type CalendarEventParts,
  deleteCalendarEvent,
  insertCalendarEvent,
  replaceCalendarEvent,
} from '../../../storage/repos/calendar-events.ts'
import type { SetError } from '../../protocol/errors.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { attachedBlobs } from './attachments.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import type { EventChange, EventWrite } from './event-change.ts'
import { EVENT_EFFECTS } from './event-effects.ts'
import { intervalOf, spanOf, UTC } from './event-times.ts'
import { wordsOf } from './event-words.ts'
import { withOwnPrivacy } from './same-privacy.ts'
import type { StoredEvent } from './stored-event.ts'

/** Of `randomInt`, and what an integer of JSON holds. */
const REVISION_MAX = 2 ** 47

/** @returns why nothing was written; null: it was */
export async function changeEvent(write: EventWrite, wanted: EventChange): Promise<SetError | null> {
  const { unit } = write
  const after =
    wanted.after && wanted.cause !== 'owner' ? await withOwnPrivacy(unit, wanted.before, wanted.after) : wanted.after
  const change = after ? { ...wanted, after: { ...after, revision: newRevision() } } : wanted
  for (const effect of EVENT_EFFECTS) {
    const error = await effect.refuse?.(write, change)
    if (error) return error
  }
  await writeRows(write, change)
  for (const effect of EVENT_EFFECTS) await effect.apply?.(write, change)
  return null
}

/** Not the next number: a change that is rolled back would leave its number to another one, and threads keep what a revision says. */
function newRevision(): number {
  return randomInt(REVISION_MAX)
}

async function writeRows({ services, unit }: EventWrite, { before, after, changed }: EventChange): Promise<void> {
  const type = CalendarEvent.name
  if (after === null) {
    if (before === null) return
    await deleteCalendarEvent(unit, before.number)
    unit.change(type, before.number, 'd')
    return
  }
  const parts = partsOf(services, unit, after)
  if (before === null) {
    await insertCalendarEvent(unit, parts)
    unit.change(type, after.number, 'c')
  } else {
    await replaceCalendarEvent(unit, parts)
    unit.change(type, after.number, 'u', changed)
  }
}

function partsOf(services: Services, unit: AccountUnit, stored: StoredEvent): CalendarEventParts {
  const { event, number, calendars, isDraft, revision } = stored
  const span = spanOf(event)
  return {
    row: {
      id: number,
      uid: event.uid,
      recurrence_id: event.recurrenceId ?? '',
      revision,
      calendars: calendars.join(','),
      is_draft: Number(isDraft),
      is_recurring: Number(event.recurrenceRule !== undefined || event.recurrenceOverrides !== undefined),
      is_floating: Number(span.isFloating),
      start_at: span.start,
      end_at: span.end,
      first_start_at: intervalOf(event, UTC).start,
      made_at: timeOf(event.created),
      updated_at: timeOf(event.updated),
      data: JSON.stringify(event),
      created_at: unit.now,
    },
    words: wordsOf(event),
    calendars,
    blobs: attachedBlobs(services, unit.account, event),
  }
}

function timeOf(date: string | undefined): number {
  return date === undefined ? 0 : (parseUTCDate(date) ?? 0)
}
