/** Stores one event of a file, or finds that the account has it as new. */
import type { JsonObject } from '../../../server/base/json.ts'
import { calendarEventsOfUid } from '../../../storage/repos/calendar-events.ts'
import { isObject } from '../../protocol/json-object.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { changedNames } from '../event/changed-properties.ts'
import { rivalOf, withOrganizer } from '../event/create-event.ts'
import type { EventWrite } from '../event/event-change.ts'
import { checkWritten } from '../event/event-error.ts'
import { withOwnPrivacy } from '../event/same-privacy.ts'
import { changeEvent } from '../event/store-event.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import { Kept } from '../icalendar/hatch.ts'
import { MEETING_LOCATION } from '../jscalendar/conferencing.ts'
import type { Event } from '../jscalendar/event.ts'

export type Imported = 'created' | 'updated' | 'skipped' | { readonly failed: string }

/** Inside the unit of work. @param calendar of new events; others stay in their calendars */
export async function importEvent(write: EventWrite, read: Event, calendar: number): Promise<Imported> {
  const { unit } = write
  const now = formatUTCDate(Math.floor(unit.now / 1000) * 1000)
  const rows = await calendarEventsOfUid(unit, unit.account, read.uid)
  const { recurrenceId = '' } = read
  const row = rows.find(({ recurrence_id: other }) => other === recurrenceId)
  if (!row && rivalOf(rows, read))
    return { failed: 'The account has other instances of this event, which this file does not tell apart.' }
  const before = row ? eventOfRow(row) : null
  if (before && !isNewer(read, before.event)) return 'skipped'
  const checked = checkWritten(await withOrganizer(unit, completed(read, before, now)))
  if ('error' in checked) return { failed: checked.error.description ?? checked.error.type }
  const { event } = checked
  const after = before
    ? { ...before, event }
    : await withOwnPrivacy(unit, null, {
        number: unit.nextObject(),
        calendars: [calendar],
        isDraft: false,
        revision: 1,
        event,
      })
  const changed = before ? changedNames(before, after) : []
  if (before && changed.every((name) => name === 'updated')) return 'skipped'
  // A file is what somebody has already: nobody is invited by it.
  const change = { before, after, changed, sendSchedulingMessages: false, cause: 'owner' as const }
  const refused = await changeEvent(write, change)
  if (refused) return { failed: refused.description ?? refused.type }
  return before ? 'updated' : 'created'
}

/** The higher SEQUENCE, then the later change (RFC 5546 2.1.5). Equals are the same. */
function isNewer(read: Event, { sequence = 0, updated = '' }: Event): boolean {
  const bySequence = (read.sequence ?? 0) - sequence
  return bySequence !== 0 ? bySequence > 0 : changeTime(read) > updated
}

/** Some programs write the time of the export as DTSTAMP, and that of the change as LAST-MODIFIED only. */
function changeTime(event: Event): string {
  const [modified] = new Kept(event).first('last-modified')?.values ?? []
  return typeof modified === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(modified)
    ? modified
    : (event.updated ?? '')
}

/** With what a file cannot say: files of the account that are attached to the event, its meeting, and when it was made. */
function completed(read: Event, before: StoredEvent | null, now: string): JsonObject {
  const { created = before?.event.created ?? now, updated = now } = read
  const { conferencing, virtualLocations } = before?.event ?? {}
  const meeting = conferencing && virtualLocations?.[MEETING_LOCATION]
  const attached = Object.entries(before?.event.links ?? {}).filter(([, link]) => isObject(link) && 'blobId' in link)
  const links = { ...read.links, ...Object.fromEntries(attached) }
  return {
    ...read,
    // jscalendarbis 3.1.5: an event is not made after it was changed.
    created: created > updated ? updated : created,
    updated,
    ...(Object.keys(links).length > 0 && { links }),
    ...(conferencing !== undefined && { conferencing }),
    ...(meeting && { virtualLocations: { ...read.virtualLocations, [MEETING_LOCATION]: meeting } }),
  }
}
