/** The slots of a booking page, from the owner's calendar as it is now. */
import type { Reader } from '../../storage/ports.ts'
import { busyTimes } from '../calendars/availability/busy-times.ts'
import { freeSlots, type Interval, isFreeSlot, type SlotRules } from '../calendars/availability/slots.ts'
import type { Services } from '../type/context.ts'
import type { StoredPage } from './booking-page.type.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** The part of a page that decides about slots. A booking keeps a copy, for the time after the page was deleted. */
export type PageRules = Pick<
  StoredPage,
  | 'durationMinutes'
  | 'availabilityDays'
  | 'windowStartMinutes'
  | 'windowEndMinutes'
  | 'timezone'
  | 'bufferMinutes'
  | 'minimumNoticeMinutes'
  | 'maxAdvanceDays'
>

export function pageRules(page: PageRules): PageRules {
  const { durationMinutes, availabilityDays, windowStartMinutes, windowEndMinutes } = page
  const { timezone, bufferMinutes, minimumNoticeMinutes, maxAdvanceDays } = page
  return {
    durationMinutes,
    availabilityDays,
    windowStartMinutes,
    windowEndMinutes,
    timezone,
    bufferMinutes,
    minimumNoticeMinutes,
    maxAdvanceDays,
  }
}

export interface SlotsAsked {
  /** Account of the mailbox. */
  readonly account: number
  readonly rules: PageRules
  /** Epoch ms. */
  readonly now: number
  /** The event of a booking that moves: it does not block itself. */
  readonly except?: number
}

/** Slots wholly within a range, which ends at the page's horizon. */
export async function slotsWithin(
  services: Services,
  reader: Reader,
  asked: SlotsAsked,
  range: Interval,
): Promise<Interval[]> {
  const { rules, now } = asked
  const within = {
    start: Math.max(range.start, now),
    end: Math.min(range.end, now + rules.maxAdvanceDays * DAY_MS),
  }
  if (within.start >= within.end) return []
  const busy = await busyAround(services, reader, asked, within)
  return freeSlots({ rules: slotRules(rules), within, busy, now })
}

/** Whether a slot starts at this time and is free. */
export async function isOffered(
  services: Services,
  reader: Reader,
  asked: SlotsAsked,
  start: number,
): Promise<boolean> {
  const { rules, now } = asked
  const end = start + rules.durationMinutes * MINUTE_MS
  if (end > now + rules.maxAdvanceDays * DAY_MS) return false
  const free = { rules: slotRules(rules), now }
  // Most wrong times need no look into the calendar.
  if (!isFreeSlot({ ...free, busy: [] }, start)) return false
  return isFreeSlot({ ...free, busy: await busyAround(services, reader, asked, { start, end }) }, start)
}

function busyAround(services: Services, reader: Reader, { account, rules, except }: SlotsAsked, range: Interval) {
  const buffer = rules.bufferMinutes * MINUTE_MS
  const within = { start: range.start - buffer, end: range.end + buffer }
  return busyTimes(services, reader, { account, within, ...(except !== undefined && { except }) })
}

function slotRules(page: PageRules): SlotRules {
  return {
    durationMinutes: page.durationMinutes,
    // Decision D22: the interval is the duration where none is given.
    intervalMinutes: page.durationMinutes,
    timezone: page.timezone,
    days: page.availabilityDays,
    windowStartMinutes: page.windowStartMinutes,
    windowEndMinutes: page.windowEndMinutes,
    bufferMinutes: page.bufferMinutes,
    minimumNoticeMinutes: page.minimumNoticeMinutes,
  }
}
