import type { PublicBooking } from '../../../jmap/bookings/booking.ts'

/** A booking as programs get it (decision D32). */
export function bookingData({ id, status, start, end, timezone, token }: PublicBooking, baseUrl: string) {
  return {
    object: 'booking',
    id,
    status,
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    timezone,
    manage_url: `${baseUrl}/book/manage/${token}`,
  }
}
