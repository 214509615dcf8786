/**
 * Mails about bookings that are due later: reminders of invitees, and what waits for the link of a meeting. Also the end of bookings that
 * were not confirmed. A mail is queued in the unit of work that records it, so that a crash neither loses nor repeats it. The records are the queue
 * of the worker (server/workers/booking-mails.ts).
 */
import { randomUUID } from 'node:crypto'
import { BOOKING_REMIND_LATE_MS } from '../../server/base/booking-limits.ts'
import { AccountGone } from '../../storage/account-gone.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import {
  claimDueBookings,
  deleteBooking,
  findBooking,
  nextBookingDue,
  updateBooking,
} from '../../storage/repos/bookings.ts'
import type { BookingTable } from '../../storage/schema/tables.ts'
import type { StoredEvent } from '../calendars/event/stored-event.ts'
import type { Services } from '../type/context.ts'
import { remindAt } from './book.ts'
import { dataOf } from './booking.ts'
import { meetingOf, standingEvent, timesOf } from './booking-event.ts'
import { makeToken } from './booking-links.ts'
import { invitation } from './invitation.ts'
import { type PreparedLetter, prepareLetters, queueLetters, type Told } from './letters.ts'
import { findOwner, type Owner } from './public-page.ts'

/** A booking for which something is due. */
export interface BookingTask {
  readonly row: BookingTable
  readonly lease: string
}

/** Epoch ms when something is due for the next booking; null: nothing is. */
export function nextBookingTime({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<number | null> {
  return store.read((reader) => nextBookingDue(reader, clock.now()))
}

export async function claimBookings(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<BookingTask[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimDueBookings(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map((row) => ({ row, lease }))
}

interface Due {
  readonly owner: Owner
  readonly event: StoredEvent
  /** Of the event, as it is now. */
  readonly start: number
  readonly letters: readonly PreparedLetter[]
}

/** Sends the mail of one booking that is due. No effect if that has been done, or the booking has changed since. */
export async function sendDue(services: Services, row: BookingTable): Promise<void> {
  const due = row.status === 'confirmed' ? await prepare(services, row) : null
  try {
    await services.store.write([row.account], async (work) => {
      const unit = work.account(row.account)
      const present = await findBooking(unit, row.account, row.nonce)
      if (!present || present.due_at !== row.due_at || present.letter !== row.letter) return
      if (present.status === 'pending') return deleteBooking(unit, present.id)
      const now = due && (await standingEvent(unit, row.account, row.event))
      // The link has come, or the owner has moved the event, while the mail was written: it is written again.
      if (row.letter !== null && now && now.revision !== due.event.revision) return updateBooking(unit, present.id, {})
      await updateBooking(unit, present.id, nextOf(row, due, unit))
      if (due && !unit.isDeleted) await queueLetters(work, unit, due.owner, due.letters)
    })
  } catch (error) {
    // The account is being erased, with its bookings.
    if (!(error instanceof AccountGone)) throw error
  }
}

function nextOf({ letter }: BookingTable, due: Due | null, { now }: AccountUnit) {
  return { letter: null, due_at: letter !== null && due ? remindAt(due.start, now) : null }
}

/** null: the meeting is cancelled or has begun. A reminder that comes too late has no mails. */
async function prepare(services: Services, row: BookingTable): Promise<Due | null> {
  const now = services.clock.now()
  const found = await services.store.read(async (reader) => {
    const owner = await findOwner(reader, row.account)
    const event = await standingEvent(reader, row.account, row.event)
    return owner && event && { owner, event }
  })
  if (!found || row.due_at === null) return null
  const { owner, event } = found
  const data = dataOf(row)
  const { start } = timesOf(event, data)
  if (row.letter === null && (start <= now || now - row.due_at > BOOKING_REMIND_LATE_MS)) return null
  const told: Told = {
    kind: row.letter ?? 'reminder',
    owner,
    data,
    start,
    token: makeToken(services.keyring, row),
    calendar: row.letter === null ? null : invitation(event.event, data, 'REQUEST'),
    meeting: meetingOf(event.event),
  }
  return { owner, event, start, letters: await prepareLetters(services, told) }
}
