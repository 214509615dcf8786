/** The calendars of an account. It has at least one, its default calendar, which cannot be destroyed. */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { insertStored, listStored, type Stored } from '../../type/object-store.ts'
import { Calendar } from './calendar.type.ts'

export type StoredCalendar = Stored<typeof Calendar>

/** Oldest first. */
export function listCalendars(reader: Reader, account: number): Promise<StoredCalendar[]> {
  return listStored(reader, account, Calendar)
}

/** null: the account has no calendar yet. */
export async function findDefaultCalendar(reader: Reader, account: number): Promise<StoredCalendar | null> {
  return (await listCalendars(reader, account)).find(({ data }) => data.isDefault) ?? null
}

/** Makes the calendar of an account that has none: of a new mailbox, and of one from before there were calendars (older-mailboxes.ts). */
export async function requireDefaultCalendar(unit: AccountUnit): Promise<StoredCalendar> {
  const found = await findDefaultCalendar(unit, unit.account)
  if (found) return found
  const calendar: StoredCalendar = {
    id: unit.nextObject(),
    data: {
      name: 'Calendar',
      description: null,
      color: null,
      sortOrder: 0,
      isSubscribed: true,
      isVisible: true,
      isDefault: true,
      includeInAvailability: 'all',
      defaultAlertsWithTime: null,
      defaultAlertsWithoutTime: null,
      timeZone: null,
      shareWith: null,
    },
  }
  await insertStored(unit, Calendar, calendar)
  return calendar
}
