import { statesOf } from '../../../storage/change-log.ts'
import type { Reader } from '../../../storage/ports.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { implement } from '../../type/method.ts'
import { findStored } from '../../type/object-store.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import type { StoredCalendar } from '../calendar/calendars.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import type { Header } from '../icalendar/write-icalendar.ts'
import { readTextPage } from './calendar-text.ts'
import { CalendarEventExport } from './exchange.type.ts'
import { readPlace, writePlace } from './text-place.ts'

export const PROD_ID = '-//Posthouse//EN'

export const exportMethod = implement(CalendarEventExport, async (method, { calendarId, after }) => {
  const place = after === null ? null : readPlace(after)
  if (after !== null && place === null) throw invalidArguments('after is no place in a text.', ['after'])
  const account = method.account.number
  const { services, request } = method
  const number = calendarId === null ? null : method.number(Calendar, method.resolveId(calendarId))
  return method.read(async (reader) => {
    const calendar = calendarId === null ? null : await findStored(reader, account, Calendar, number)
    if (calendarId !== null && calendar === null) throw invalidArguments('There is no such calendar.', ['calendarId'])
    const asked = {
      account,
      calendar: number,
      header: headerOf(calendar),
      lossless: true,
      // An owner has all of it, drafts too.
      shown: ({ event }: StoredEvent) => event,
      now: services.clock.now(),
    }
    const { text, next, leftOut } = await readTextPage(reader, asked, place, request.guard)
    return {
      accountId: method.account.id,
      text,
      next: next && writePlace(next),
      state: await textState(reader, account),
      name: calendar?.data.name ?? null,
      leftOut,
    }
  })
})

export function headerOf(calendar: StoredCalendar | null): Header {
  return { prodId: PROD_ID, name: calendar?.data.name, color: calendar?.data.color ?? undefined }
}

/** Of the events and the calendars of an account: a text may be new when one of them is. */
export async function textState(reader: Reader, account: number): Promise<string> {
  return (await statesOf(reader, account, [CalendarEvent.name, Calendar.name])).join('.')
}
