/** What the holder of a booking's link sees. */
import type { Reader } from '../../storage/ports.ts'
import type { BookingTable } from '../../storage/schema/tables.ts'
import type { Services } from '../type/context.ts'
import { findStored } from '../type/object-store.ts'
import { BOOKING_ID, type BookingData, type MeetingLink, type PublicBooking } from './booking.ts'
import { BookingPage } from './booking-page.type.ts'
import { type Owner, organizationOf } from './public-page.ts'

export interface KnownBooking {
  readonly row: BookingTable
  readonly data: BookingData
  readonly owner: Owner
  readonly token: string
  readonly meeting: MeetingLink
}

export async function showBooking(
  { ids }: Pick<Services, 'ids'>,
  reader: Reader,
  { row, data, owner, token, meeting }: KnownBooking,
): Promise<PublicBooking> {
  const page = await findStored(reader, row.organization, BookingPage, row.page)
  const organization = await organizationOf(reader, row.organization)
  const { name, email, timezone, notes, guests } = data
  const { slug = '', name: organizationName = '', accentColor = null, logo = null } = organization ?? {}
  return {
    id: ids.encode(BOOKING_ID, row.account, row.id),
    token,
    status: row.status,
    start: row.start_at,
    end: row.end_at,
    timezone,
    name,
    email,
    notes,
    guests,
    meeting,
    page: {
      name: data.page.name,
      host: owner.name,
      organization: { slug, name: organizationName, accentColor, logo },
      durationMinutes: (page?.data ?? data.page.rules).durationMinutes,
      maxAdvanceDays: (page?.data ?? data.page.rules).maxAdvanceDays,
      embedOrigins: page?.data.embedOrigins ?? [],
    },
    pagePath: page?.data.active ? `/book/${slug}/${page.data.slug}` : null,
  }
}
