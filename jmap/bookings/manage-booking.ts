/** What the holder of a booking's link may do: confirm, move and cancel it. The link ends with the booking. */
import { BOOKING_LINK_AFTER_MS } from '../../server/base/booking-limits.ts'
import { type Guard, UNGUARDED } from '../../server/base/guard.ts'
import { AccountGone } from '../../storage/account-gone.ts'
import type { AccountUnit, Reader, Unit } from '../../storage/ports.ts'
import { findBooking, updateBooking } from '../../storage/repos/bookings.ts'
import type { Interval } from '../calendars/availability/slots.ts'
import type { StoredEvent } from '../calendars/event/stored-event.ts'
import { appendEvent } from '../events/append.ts'
import type { Services } from '../type/context.ts'
import { findStored } from '../type/object-store.ts'
import { remindAt, storeBooked } from './book.ts'
import { bookingEvent, dataOf, type Outcome, type PublicBooking } from './booking.ts'
import { cancelledEvent, meetingOf, movedEvent, replaceEvent, standingEvent, timesOf } from './booking-event.ts'
import { readToken } from './booking-links.ts'
import { BookingPage } from './booking-page.type.ts'
import { calendarFile, invitation } from './invitation.ts'
import { prepareLetters, queueLetters, type Told } from './letters.ts'
import { type OwnerNotice, prepareNotice, storeNotice } from './owner-notices.ts'
import { isOffered, pageRules, type SlotsAsked, slotsWithin } from './page-slots.ts'
import { findOwner } from './public-page.ts'
import { type KnownBooking, showBooking } from './show-booking.ts'

const MINUTE_MS = 60_000

/** A booking that its link still leads to. `event` null: it is pending. */
interface Standing extends KnownBooking {
  readonly event: StoredEvent | null
}

/** null: the link was not made here, or its booking was cancelled or is over. */
export function readBooking(services: Services, token: string): Promise<PublicBooking | null> {
  return services.store.read(async (reader) => {
    const found = await findStanding(services, reader, token)
    return found && showBooking(services, reader, found)
  })
}

/** Its invitation for a calendar program; null: as above, or it is pending. */
export function readInvitation(services: Services, token: string): Promise<string | null> {
  return services.store.read(async (reader) => {
    const found = await findStanding(services, reader, token)
    return found?.event ? calendarFile(found.event.event, found.data) : null
  })
}

/** Where a booking may be moved to; null: it may not. */
export function readMoveSlots(
  services: Services,
  token: string,
  range: Interval,
  guard: Guard = UNGUARDED,
): Promise<Interval[] | null> {
  return services.store.read(async (reader) => {
    const found = await findStanding(services, reader, token)
    if (!found?.event) return null
    return slotsWithin(services, reader, await askedOf(services, reader, found), range)
  }, guard)
}

export async function confirmBooking(services: Services, token: string): Promise<Outcome> {
  const found = await services.store.read((reader) => findStanding(services, reader, token))
  if (!found) return { outcome: 'gone' }
  // Whoever opens the link twice sees the booking again.
  if (found.event) return { outcome: 'done', booking: await showNow(services, found) }
  const { owner, data, row } = found
  const asked = await services.store.read((reader) => askedOf(services, reader, found))
  const draft = { owner, page: row.page, nonce: row.nonce, token, data, start: row.start_at, asked }
  const outcome = await unlessGone(storeBooked(services, draft, row.id))
  if (outcome.outcome === 'done') return outcome
  // The link was opened twice at once.
  const now = await services.store.read((reader) => findStanding(services, reader, token))
  return now?.event ? { outcome: 'done', booking: await showNow(services, now) } : outcome
}

/** The old time is free and the new one is taken in one commit (decision D32). */
export async function moveBooking(
  services: Services,
  token: string,
  start: number,
  timezone: string,
): Promise<Outcome> {
  const found = await services.store.read((reader) => findStanding(services, reader, token))
  if (!found?.event || isOver(services, found)) return { outcome: 'gone' }
  const asked = await services.store.read((reader) => askedOf(services, reader, found))
  if (!(await services.store.read((reader) => isOffered(services, reader, asked, start)))) return { outcome: 'taken' }
  const data = { ...found.data, timezone, page: { ...found.data.page, rules: asked.rules } }
  const next = movedEvent(found.event.event, { owner: found.owner, data, start, now: asked.now })
  const calendar = invitation(next, data, 'REQUEST')
  const told: Told = { ...found, kind: 'rescheduled', data, start, calendar }
  const about: OwnerNotice = { kind: 'rescheduled', owner: found.owner, data, start, previousStart: found.row.start_at }
  return change(services, found, told, about, async (work, unit, now) => {
    if (!(await isOffered(services, unit, asked, start))) return { outcome: 'taken' }
    const moved = movedEvent(now.event.event, { owner: found.owner, data, start, now: unit.now })
    await replaceEvent({ services, work, unit }, now.event, moved)
    const end = start + asked.rules.durationMinutes * MINUTE_MS
    const due = { due_at: remindAt(start, unit.now), letter: null }
    const set = { start_at: start, end_at: end, ...due, data: JSON.stringify(data) }
    await updateBooking(unit, now.row.id, set)
    const row = { ...now.row, ...set }
    const event = bookingEvent(services, row, data, found.owner.address, now.row.start_at)
    await appendEvent(unit, 'booking.rescheduled', event)
    return { outcome: 'done', booking: await showBooking(services, unit, { ...now, row, data }) }
  })
}

export async function cancelBooking(services: Services, token: string, reason: string | null): Promise<Outcome> {
  const found = await services.store.read((reader) => findStanding(services, reader, token))
  if (!found?.event || isOver(services, found)) return { outcome: 'gone' }
  const cancelled = cancelledEvent(found.event.event, services.clock.now())
  const calendar = invitation(cancelled, found.data, 'CANCEL')
  const told: Told = { ...found, kind: 'cancelled', start: found.row.start_at, calendar }
  const data = { ...found.data, ...(reason !== null && { reason }) }
  const about: OwnerNotice = { kind: 'cancelled', owner: found.owner, data, start: found.row.start_at }
  return change(services, found, told, about, async (work, unit, now) => {
    await replaceEvent({ services, work, unit }, now.event, cancelledEvent(now.event.event, unit.now))
    const set = { status: 'cancelled' as const, due_at: null, letter: null, data: JSON.stringify(data) }
    await updateBooking(unit, now.row.id, set)
    await appendEvent(unit, 'booking.cancelled', bookingEvent(services, now.row, data, now.owner.address))
    return {
      outcome: 'done',
      booking: await showBooking(services, unit, { ...now, row: { ...now.row, ...set }, data }),
    }
  })
}

type Confirmed = Standing & { readonly event: StoredEvent }

/** Runs a change in a unit of work, in which the booking still stands, with the mails about it. */
async function change(
  services: Services,
  { owner, token }: Standing,
  told: Told,
  about: OwnerNotice,
  make: (work: Unit, unit: AccountUnit, now: Confirmed) => Promise<Outcome>,
): Promise<Outcome> {
  const letters = await prepareLetters(services, told)
  const notice = await prepareNotice(services, about)
  return unlessGone(
    services.store.write([owner.account], async (work): Promise<Outcome> => {
      const unit = work.account(owner.account)
      const now = unit.isDeleted ? null : await findStanding(services, unit, token)
      if (!now?.event) return { outcome: 'gone' }
      const outcome = await make(work, unit, { ...now, event: now.event })
      if (outcome.outcome !== 'done') return outcome
      await queueLetters(work, unit, owner, letters)
      await storeNotice(services, work, unit, notice)
      return outcome
    }),
  )
}

async function findStanding(services: Services, reader: Reader, token: string): Promise<Standing | null> {
  const link = readToken(services.keyring, token)
  const row = link && (await findBooking(reader, link.account, link.nonce))
  const owner = row && (await findOwner(reader, row.account))
  if (!row || !owner) return null
  const data = dataOf(row)
  const now = services.clock.now()
  if (row.status === 'pending')
    return row.due_at !== null && row.due_at > now ? { row, data, owner, token, event: null, meeting: null } : null
  const event = row.status === 'confirmed' ? await standingEvent(reader, row.account, row.event) : null
  if (!event) return null
  const { start, end } = timesOf(event, data)
  if (end + BOOKING_LINK_AFTER_MS <= now) return null
  const meeting = meetingOf(event.event)
  return { row: { ...row, start_at: start, end_at: end }, data, owner, token, event, meeting }
}

/** By the rules that the page has now, or had at the booking if it was deleted since. */
async function askedOf(
  { clock }: Services,
  reader: Reader,
  { row, data, owner, event }: Standing,
): Promise<SlotsAsked> {
  const page = await findStored(reader, row.organization, BookingPage, row.page)
  const rules = page ? pageRules(page.data) : data.page.rules
  return { account: owner.account, rules, now: clock.now(), ...(event && { except: event.number }) }
}

/** A meeting that has begun is neither moved nor cancelled. */
function isOver({ clock }: Services, { row }: Standing): boolean {
  return row.start_at <= clock.now()
}

function showNow(services: Services, found: Standing): Promise<PublicBooking> {
  return services.store.read((reader) => showBooking(services, reader, found))
}

function unlessGone(work: Promise<Outcome>): Promise<Outcome> {
  return work.catch((error: unknown) => {
    if (error instanceof AccountGone) return { outcome: 'gone' }
    throw error
  })
}
