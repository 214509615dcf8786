import type { PublicBooking } from '../../../jmap/bookings/booking.ts'

/** A booking as programs get it (decision D32). */
export function bookingData({ id, status, start, end, timezone, token, meeting }: PublicBooking, baseUrl: string) {
  return {
    object: 'booking',
    id,
    status,
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    timezone,
    /** null: there is none, or it follows by mail. */
    video_url: meeting !== null && typeof meeting === 'object' ? meeting.url : null,
    manage_url: `${baseUrl}/book/manage/${token}`,
  }
}
