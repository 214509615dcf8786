/** Books a time of a page. Whether it is free is decided in the unit of work that creates the event, so no time is booked twice. */

import { BOOKING_CONFIRM_MS, BOOKING_LINK_WAIT_MS, BOOKING_REMIND_BEFORE_MS } from '../../server/base/booking-limits.ts'
import { type Guard, UNGUARDED } from '../../server/base/guard.ts'
import { AccountGone } from '../../storage/account-gone.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findBooking, insertBooking, updateBooking } from '../../storage/repos/bookings.ts'
import type { BookingTable } from '../../storage/schema/tables.ts'
import type { Interval } from '../calendars/availability/slots.ts'
import { appendEvent } from '../events/append.ts'
import type { Services } from '../type/context.ts'
import { type BookingData, type BookingRequest, bookingEvent, type MeetingLink, type Outcome } from './booking.ts'
import { eventOf, meetingOf, newUid, storeEvent, withMeetingOf } from './booking-event.ts'
import { makeToken, newNonce } from './booking-links.ts'
import { invitation } from './invitation.ts'
import { type PreparedLetter, prepareLetters, queueLetters, type Told } from './letters.ts'
import { prepareNotice, storeNotice } from './owner-notices.ts'
import { isOffered, pageRules, type SlotsAsked, slotsWithin } from './page-slots.ts'
import { type FoundPage, findPage, type Owner, type PagePath, type PublicPage } from './public-page.ts'
import { showBooking } from './show-booking.ts'

const MINUTE_MS = 60_000

/** null: there is no such page. */
export async function readPage(services: Services, path: PagePath): Promise<PublicPage | null> {
  return (await services.store.read((reader) => findPage(services, reader, path)))?.shown ?? null
}

/** In ascending order; null: there is no such page. */
export function readSlots(
  services: Services,
  path: PagePath,
  range: Interval,
  guard: Guard = UNGUARDED,
): Promise<Interval[] | null> {
  return services.store.read(async (reader) => {
    const found = await findPage(services, reader, path)
    return found && slotsWithin(services, reader, askedOf(found, services.clock.now()), range)
  }, guard)
}

export async function book(services: Services, path: PagePath, request: BookingRequest): Promise<Outcome> {
  const { store, clock } = services
  const now = clock.now()
  const look = await store.read(async (reader) => {
    const found = await findPage(services, reader, path)
    return found && { found, isFree: await isOffered(services, reader, askedOf(found, now), request.start) }
  })
  if (!look) return { outcome: 'gone' }
  if (!look.isFree) return { outcome: 'taken' }
  const draft = draftOf(services, look.found, request, now)
  try {
    return await (look.found.page.confirmByEmail ? storePending(services, draft) : storeBooked(services, draft, null))
  } catch (error) {
    if (error instanceof AccountGone) return { outcome: 'gone' }
    throw error
  }
}

/** A booking before it is stored. */
export interface Draft {
  readonly owner: Owner
  readonly page: number
  readonly nonce: string
  readonly token: string
  readonly data: BookingData
  readonly start: number
  readonly asked: SlotsAsked
}

function askedOf({ owner, page }: FoundPage, now: number): SlotsAsked {
  return { account: owner.account, rules: pageRules(page), now }
}

function draftOf({ keyring }: Services, found: FoundPage, request: BookingRequest, now: number): Draft {
  const { start, ...given } = request
  const { owner, page, number } = found
  const nonce = newNonce()
  return {
    owner,
    page: number,
    nonce,
    token: makeToken(keyring, { account: owner.account, nonce }),
    data: {
      ...given,
      page: { name: page.name, rules: pageRules(page), conferencing: page.conferencingProvider },
      uid: newUid(),
    },
    start,
    asked: askedOf(found, now),
  }
}

/** The time is not held: a stranger cannot block a calendar with addresses that nobody reads. */
async function storePending(services: Services, draft: Draft): Promise<Outcome> {
  const letters = await prepareLetters(services, toldOf(draft, 'pending', null))
  return services.store.write([draft.owner.account], async (work) => {
    const unit = work.account(draft.owner.account)
    if (unit.isDeleted) return { outcome: 'gone' }
    const row = rowOf(draft, unit.nextObject(), {
      event: null,
      status: 'pending',
      due_at: unit.now + BOOKING_CONFIRM_MS,
      letter: null,
    })
    await insertBooking(unit, row)
    await queueLetters(work, unit, draft.owner, letters)
    return { outcome: 'pending' }
  })
}

/**
 * Books the time, if it is still free.
 * @param pending number of the row of a booking that waited for this
 */
export async function storeBooked(services: Services, draft: Draft, pending: number | null): Promise<Outcome> {
  const { owner, data, start } = draft
  const plain = eventOf({ owner, data, start, now: services.clock.now() })
  const event = await services.store.read((reader) => withMeetingOf(reader, owner.account, plain))
  const meeting = meetingOf(event)
  // The mails wait for the link; the worker sends them when it is there, or without it (reminders.ts).
  const waits = meeting === 'pending'
  const told = { ...toldOf(draft, 'booked', invitation(event, data, 'REQUEST')), meeting }
  const letters = waits ? [] : await prepareLetters(services, told)
  const notice = await prepareNotice(services, { kind: 'booked', owner, data, start })
  return services.store.write([owner.account], async (work): Promise<Outcome> => {
    const unit = work.account(owner.account)
    if (unit.isDeleted) return { outcome: 'gone' }
    const isPending = async () => (await findBooking(unit, owner.account, draft.nonce))?.status === 'pending'
    if (pending !== null && !(await isPending())) return { outcome: 'gone' }
    if (!(await isOffered(services, unit, draft.asked, start))) return { outcome: 'taken' }
    const number = await storeEvent({ services, work, unit }, event)
    const set = { event: number, status: 'confirmed' as const, ...nextMail(waits, start, unit.now) }
    const row = rowOf(draft, pending ?? unit.nextObject(), set)
    if (pending === null) await insertBooking(unit, row)
    else await updateBooking(unit, pending, set)
    await storeNotice(services, work, unit, notice)
    return finish(services, work, unit, draft, row, letters, meeting)
  })
}

type BookedRow = Omit<BookingTable, 'account' | 'organization' | 'lease' | 'lease_until' | 'created_at'>

async function finish(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  { owner, data, token }: Draft,
  row: BookedRow,
  letters: readonly PreparedLetter[],
  meeting: MeetingLink,
): Promise<Outcome> {
  const { account, organization, now } = unit
  const stored = { ...row, account, organization, lease: null, lease_until: 0, created_at: now }
  await queueLetters(work, unit, owner, letters)
  await appendEvent(unit, 'booking.created', bookingEvent(services, stored, data, owner.address))
  return { outcome: 'done', booking: await showBooking(services, unit, { row: stored, data, owner, token, meeting }) }
}

function rowOf(
  { page, nonce, data, start }: Draft,
  id: number,
  own: Pick<BookedRow, 'event' | 'status' | 'due_at' | 'letter'>,
): BookedRow {
  const end = start + data.page.rules.durationMinutes * MINUTE_MS
  return { id, page, nonce, start_at: start, end_at: end, data: JSON.stringify(data), ...own }
}

function nextMail(waits: boolean, start: number, now: number): Pick<BookedRow, 'due_at' | 'letter'> {
  return waits
    ? { due_at: now + BOOKING_LINK_WAIT_MS, letter: 'booked' }
    : { due_at: remindAt(start, now), letter: null }
}

/** When the reminder is due; null: the booking is made so late that its confirmation is enough. */
export function remindAt(start: number, now: number): number | null {
  const at = start - BOOKING_REMIND_BEFORE_MS
  return at > now ? at : null
}

function toldOf({ owner, data, start, token }: Draft, kind: Told['kind'], calendar: Told['calendar']): Told {
  return { kind, owner, data, start, token, calendar, meeting: null }
}
