/** Events with the same uid have the same privacy (JMAP Calendars 1.4.1). Only instances that stand alone share a uid. */
import type { JsonObject } from '../../../server/base/json.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { calendarEventsOfUid } from '../../../storage/repos/calendar-events.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { WriteContext } from '../../type/handlers.ts'
import type { Event } from '../jscalendar/event.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { eventOfRow, type StoredEvent } from './stored-event.ts'

const DEFAULT = 'public'

/** What the updates of a /set make of events, by number: they count together (JMAP Calendars 5.9). */
const asked = new WeakMap<MethodContext, Map<number, unknown>>()

/** Before the unit of work, for each update. */
export function notePrivacy(method: MethodContext, patch: JsonObject, id: string): void {
  const number = method.number(CalendarEvent, id)
  if (number === null || !Object.hasOwn(patch, 'privacy')) return
  const events = asked.get(method) ?? new Map<number, unknown>()
  asked.set(method, events.set(number, patch['privacy'] ?? DEFAULT))
}

/** @param number of the event; null: it is new */
export async function privacyError(
  { method, unit }: Pick<WriteContext, 'method' | 'unit'>,
  event: Event,
  number: number | null,
): Promise<SetError | null> {
  const own = event.privacy ?? DEFAULT
  for (const other of await othersOf(unit, event, number)) {
    const privacy = asked.get(method)?.get(other.number) ?? other.event.privacy ?? DEFAULT
    if (privacy !== own)
      return invalidProperties(['privacy'], 'All events of the account with this uid have the same privacy.')
  }
  return null
}

/** An event that somebody else wrote, with the privacy that the owner has given to it: JMAP Calendars 5.9. */
export async function withOwnPrivacy(
  unit: AccountUnit,
  before: StoredEvent | null,
  after: StoredEvent,
): Promise<StoredEvent> {
  const [known = before] = before ? [] : await othersOf(unit, after.event, after.number)
  return known ? { ...after, event: withPrivacyOf(after.event, known.event) } : after
}

/** An event that belongs to another one, such as what goes on with a series, with the privacy of that. */
export function withPrivacyOf(event: Event, { privacy }: Pick<Event, 'privacy'>): Event {
  if (privacy === event.privacy) return event
  const { privacy: _theirs, ...rest } = event
  return { ...rest, ...(privacy !== undefined && { privacy }) } as Event
}

async function othersOf(unit: AccountUnit, event: Event, number: number | null): Promise<StoredEvent[]> {
  if (event.recurrenceId === undefined) return []
  const rows = await calendarEventsOfUid(unit, unit.account, event.uid)
  return rows.filter(({ id }) => id !== number).map(eventOfRow)
}
