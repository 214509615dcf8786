/**
 * What follows from the answer of a conferencing provider: the link gets into the event, mails that waited for it are sent, and the owner
 * hears of what failed.
 */
import { AccountGone } from '../../storage/account-gone.ts'
import type { Unit } from '../../storage/ports.ts'
import { findBookingOfEvent, updateBooking } from '../../storage/repos/bookings.ts'
import { findCalendarEvent } from '../../storage/repos/calendar-events.ts'
import { findMeeting } from '../../storage/repos/meetings.ts'
import type { BookingTable } from '../../storage/schema/tables.ts'
import type { MeetingOutcome, MeetingTask } from '../calendars/conferencing/meeting-queue.ts'
import { type Settled, settleMeeting } from '../calendars/conferencing/settle-meeting.ts'
import { eventOfRow } from '../calendars/event/stored-event.ts'
import type { PreparedEmail } from '../mail/email/store-email.ts'
import type { Services } from '../type/context.ts'
import { prepareMeetingNotice, storeNotice } from './owner-notices.ts'
import { findOwner } from './public-page.ts'
import { sendDue } from './reminders.ts'

export async function reportMeeting(services: Services, task: MeetingTask, outcome: MeetingOutcome): Promise<void> {
  const { account } = task
  // Who disconnects a provider keeps its meetings (decision D32): there is nothing to report of each.
  const isLeft = task.wanted === null && task.credentials === null
  const notice = outcome.kind === 'failed' && !isLeft ? await prepareNotice(services, task, outcome.reason) : null
  try {
    const due = await services.store.write([account], async (work): Promise<BookingTable | null> => {
      const unit = work.account(account)
      if (unit.isDeleted) return null
      const settled = await settleMeeting({ services, work, unit }, task, outcome)
      return follow(services, work, account, settled, notice)
    })
    if (due) await sendDue(services, due)
  } catch (error) {
    // The account is being erased, with its meetings.
    if (!(error instanceof AccountGone)) throw error
  }
}

/** Inside the unit of work. @returns the booking whose mail is due now */
async function follow(
  services: Services,
  work: Unit,
  account: number,
  settled: Settled,
  notice: PreparedEmail | null,
): Promise<BookingTable | null> {
  const unit = work.account(account)
  if (settled.kind === 'done') return null
  if (settled.kind !== 'linked' && notice) await storeNotice(services, work, unit, notice)
  const booking = 'event' in settled ? await findBookingOfEvent(unit, account, settled.event.number) : null
  if (booking?.status !== 'confirmed') return null
  // A confirmation that went without the link is followed by a mail with it.
  const letter = booking.letter ?? (settled.kind === 'linked' ? 'linked' : null)
  if (letter === null) return null
  const set = { letter, due_at: unit.now }
  await updateBooking(unit, booking.id, set)
  return { ...booking, ...set }
}

/** null: the owner's mailbox is suspended. */
async function prepareNotice(services: Services, task: MeetingTask, reason: string): Promise<PreparedEmail | null> {
  const found = await services.store.read(async (reader) => {
    const owner = await findOwner(reader, task.account)
    const row = await findMeeting(reader, task.account, task.id)
    const event = row && (await findCalendarEvent(reader, task.account, row.event))
    return owner && { owner, event: event && eventOfRow(event) }
  })
  if (!found) return null
  const { owner, event } = found
  const title = event?.event.title ?? task.wanted?.topic ?? ''
  return prepareMeetingNotice(services, { owner, title, reason, isWanted: task.wanted !== null })
}
