/**
 * Reminders of invitees, and the end of bookings that were not confirmed. A reminder is queued in the unit of work that records it, so
 * that a crash neither loses nor repeats it. Several nodes may run it at once.
 */
import { BOOKING_REMIND_BATCH, BOOKING_REMIND_LATE_MS } from '../../server/base/booking-limits.ts'
import type { LongRuns } from '../../server/base/long-runs.ts'
import { AccountGone } from '../../storage/account-gone.ts'
import { deleteBooking, dueBookings, findBooking, updateBooking } from '../../storage/repos/bookings.ts'
import type { BookingTable } from '../../storage/schema/tables.ts'
import type { Services } from '../type/context.ts'
import { dataOf } from './booking.ts'
import { standingEvent, timesOf } from './booking-event.ts'
import { makeToken } from './booking-links.ts'
import { type PreparedLetter, prepareLetters, queueLetters } from './letters.ts'
import { findOwner, type Owner } from './public-page.ts'

/** Handles everything that is due. */
export function remindInvitees(services: Services & { readonly longRuns: LongRuns }): Promise<void> {
  const { store, clock, longRuns } = services
  return longRuns.run('booking reminders', async (isStopping) => {
    while (!isStopping()) {
      const due = await store.read((reader) => dueBookings(reader, clock.now(), BOOKING_REMIND_BATCH))
      for (const row of due) {
        if (isStopping()) return
        await settle(services, row)
      }
      if (due.length < BOOKING_REMIND_BATCH) return
    }
  })
}

interface Reminder {
  readonly owner: Owner
  readonly letters: readonly PreparedLetter[]
}

async function settle(services: Services, row: BookingTable): Promise<void> {
  const reminder = row.status === 'confirmed' ? await prepareReminder(services, row) : null
  try {
    await services.store.write([row.account], async (work) => {
      const unit = work.account(row.account)
      const present = await findBooking(unit, row.account, row.nonce)
      // Another node has done it, or the booking has been moved since.
      if (!present || present.due_at !== row.due_at) return
      if (present.status === 'pending') return deleteBooking(unit, present.id)
      await updateBooking(unit, present.id, { due_at: null })
      if (reminder && !unit.isDeleted) await queueLetters(work, unit, reminder.owner, reminder.letters)
    })
  } catch (error) {
    // The account is being erased, with its bookings.
    if (!(error instanceof AccountGone)) throw error
  }
}

/** null: the meeting is cancelled or too near, or the reminder comes too late. */
async function prepareReminder(services: Services, row: BookingTable): Promise<Reminder | null> {
  const now = services.clock.now()
  const found = await services.store.read(async (reader) => {
    const owner = await findOwner(reader, row.account)
    const event = await standingEvent(reader, row.account, row.event)
    return owner && event && { owner, event }
  })
  if (!found || row.due_at === null || now - row.due_at > BOOKING_REMIND_LATE_MS) return null
  const { owner, event } = found
  const data = dataOf(row)
  const { start } = timesOf(event, data)
  if (start <= now) return null
  const token = makeToken(services.keyring, row)
  return {
    owner,
    letters: await prepareLetters(services, { kind: 'reminder', owner, data, start, token, calendar: null }),
  }
}
