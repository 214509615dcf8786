/** JMAP Calendars 4.3: the events of a calendar that is destroyed leave it; those in no other calendar are destroyed. */

import type { Reader } from '../../../storage/ports.ts'
import { eventsInCalendar, findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import type { WriteContext } from '../../type/handlers.ts'
import { changeEvent } from './store-event.ts'
import { eventOfRow } from './stored-event.ts'

export async function hasEvents(reader: Reader & { readonly account: number }, calendar: number): Promise<boolean> {
  return (await eventsInCalendar(reader, reader.account, calendar, 1)).length > 0
}

/** Rows read at a time. */
const PAGE = 500

/** Participants get no messages about it. */
export async function removeFromCalendar(
  { unit, work, method }: Pick<WriteContext, 'unit' | 'work' | 'method'>,
  calendar: number,
): Promise<void> {
  const { services } = method
  for (;;) {
    const numbers = await eventsInCalendar(unit, unit.account, calendar, PAGE)
    for (const number of numbers) {
      const row = await findCalendarEvent(unit, unit.account, number)
      if (!row) continue
      const before = eventOfRow(row)
      const calendars = before.calendars.filter((one) => one !== calendar)
      const after = calendars.length > 0 ? { ...before, calendars } : null
      const changed = after ? ['calendarIds'] : []
      await changeEvent(
        { services, work, unit },
        { before, after, changed, sendSchedulingMessages: false, cause: 'owner' },
      )
    }
    if (numbers.length < PAGE) return
  }
}
