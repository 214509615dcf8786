/**
 * Free slots of a calendar, from its busy times and the rules of a request or of a booking page (decision D22). Pure: it reads no clock
 * and no zone of the process.
 */
import { type ZoneClock, zoneClock } from './zone-clock.ts'

/** Epoch ms; `end` is exclusive. */
export interface Interval {
  readonly start: number
  readonly end: number
}

export interface SlotRules {
  readonly durationMinutes: number
  /** Between the starts of two candidates. */
  readonly intervalMinutes: number
  /** IANA zone of `days` and of the window. */
  readonly timezone: string
  /** 0 is Sunday. */
  readonly days: readonly number[]
  /** Minutes from midnight by the wall clock. */
  readonly windowStartMinutes: number
  readonly windowEndMinutes: number
  /** Free time that a slot needs before and after it. */
  readonly bufferMinutes: number
  /** From `now` to the start of a slot. */
  readonly minimumNoticeMinutes: number
}

export interface SlotRequest {
  readonly rules: SlotRules
  /** Slots lie wholly within. */
  readonly within: Interval
  /** In any order; they may overlap. Those without a length block nothing. */
  readonly busy: readonly Interval[]
  /** Epoch ms. */
  readonly now: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** In ascending order. */
export function freeSlots({ rules, within, busy, now }: SlotRequest): Interval[] {
  const clock = zoneClock(rules.timezone)
  const earliest = Math.max(within.start, now + rules.minimumNoticeMinutes * MINUTE_MS)
  const blocked = blockedTimes(busy, rules.bufferMinutes * MINUTE_MS)
  const slots: Interval[] = []
  let at = 0
  // A clock that goes back over midnight shows a day again: one day more finds all candidates.
  const last = dayOf(clock.toLocal(within.end)) + DAY_MS
  for (let day = dayOf(clock.toLocal(earliest)); day <= last; day += DAY_MS) {
    if (!rules.days.includes(weekdayOf(day))) continue
    for (const slot of candidates(clock, day, rules)) {
      if (slot.start < earliest || slot.end > within.end) continue
      while (at < blocked.length && blocked[at]!.end <= slot.start) at++
      if (at === blocked.length || blocked[at]!.start >= slot.end) slots.push(slot)
    }
  }
  return slots
}

/** Whether a slot starts at this instant. */
export function isFreeSlot(request: Omit<SlotRequest, 'within'>, start: number): boolean {
  const end = start + request.rules.durationMinutes * MINUTE_MS
  return freeSlots({ ...request, within: { start, end } }).length > 0
}

/** The slots of a local day as if nothing was busy. Times that the clock skips are left out; of two passings the first counts. */
function* candidates(clock: ZoneClock, day: number, rules: SlotRules): Generator<Interval> {
  const { windowStartMinutes, windowEndMinutes, intervalMinutes } = rules
  const duration = rules.durationMinutes * MINUTE_MS
  const offset = clock.constantOffset(day, day + DAY_MS)
  const windowEnd = day + windowEndMinutes * MINUTE_MS
  const end = offset === null ? clock.reaches(windowEnd) : windowEnd - offset
  for (let minute = windowStartMinutes; minute < windowEndMinutes; minute += intervalMinutes) {
    const local = day + minute * MINUTE_MS
    const start = offset === null ? clock.firstInstant(local) : local - offset
    if (start === null || start + duration > end) continue
    const slot = { start, end: start + duration }
    if (offset !== null || !fallsBehind(clock, slot, day + windowStartMinutes * MINUTE_MS)) yield slot
  }
}

/** Whether the clock goes back during the slot to before the window. */
function fallsBehind(clock: ZoneClock, { start, end }: Interval, windowStart: number): boolean {
  const change = clock.changeBetween(start, end - 1)
  return change !== null && clock.toLocal(change) < windowStart
}

/** Busy times with their buffers, in ascending order, without overlaps. */
function blockedTimes(busy: readonly Interval[], buffer: number): Interval[] {
  const blocked: { start: number; end: number }[] = []
  const lasting = busy.filter(({ start, end }) => end > start)
  for (const { start, end } of lasting.toSorted((a, b) => a.start - b.start)) {
    const before = blocked.at(-1)
    if (before && start - buffer <= before.end) before.end = Math.max(before.end, end + buffer)
    else blocked.push({ start: start - buffer, end: end + buffer })
  }
  return blocked
}

function dayOf(local: number): number {
  return Math.floor(local / DAY_MS) * DAY_MS
}

/** Of a day that begins at `day`. 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day / DAY_MS + 4) % 7) + 7) % 7
}
