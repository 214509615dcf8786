/** Reminds invitees of meetings that they have booked (jmap/bookings/reminders.ts). */
import type { Turn, WorkerDeps } from './worker.ts'

export function bookingReminders({ core }: WorkerDeps): Turn {
  return core.bookings.remind
}
