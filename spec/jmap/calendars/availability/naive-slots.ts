/** Free slots minute by minute, with nothing but the formatter of the runtime: what slots.ts is compared with. */
import fc from 'fast-check'
import type { Interval, SlotRequest } from '../../../../jmap/calendars/availability/slots.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440

/** A zone each for: no change, both hemispheres, half an hour, changes at midnight, offsets at both ends, a skipped day. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'America/Havana',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Apia',
]

/** Epoch ms of days around which clocks change, and of an ordinary one. */
const DAYS = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2026-04-05',
  '2026-10-04',
  '2011-12-30',
  '2026-06-17',
].map((day) => Date.parse(`${day}T00:00:00Z`))

interface Wall {
  readonly date: string
  readonly weekday: number
  readonly minute: number
}

export function naiveSlots({ rules, within, busy, now }: SlotRequest): Interval[] {
  const { durationMinutes: duration, intervalMinutes, windowStartMinutes: from, windowEndMinutes: to } = rules
  const first = Math.floor(within.start / MINUTE_MS) - 1_560
  const walls = wallsFrom(first, Math.ceil(within.end / MINUTE_MS) - first + 300, rules.timezone)
  const buffer = rules.bufferMinutes * MINUTE_MS
  const isBlocked = (minute: number) =>
    busy.some(
      ({ start, end }) => end > start && minute * MINUTE_MS < end + buffer && (minute + 1) * MINUTE_MS > start - buffer,
    )
  const slots: Interval[] = []
  const seen = new Set<string>()
  walls.forEach((wall, at) => {
    const name = `${wall.date} ${wall.minute}`
    const isFirst = !seen.has(name)
    seen.add(name)
    if (!isFirst || !rules.days.includes(wall.weekday)) return
    if (wall.minute < from || wall.minute >= to || (wall.minute - from) % intervalMinutes !== 0) return
    const start = (first + at) * MINUTE_MS
    const end = start + duration * MINUTE_MS
    if (start < within.start || end > within.end || start < now + rules.minimumNoticeMinutes * MINUTE_MS) return
    for (let i = at; i < at + duration; i++) {
      const during = walls[i]
      if (!during || during.date !== wall.date || during.minute < from || during.minute >= to) return
      if (isBlocked(first + i)) return
    }
    slots.push({ start, end })
  })
  return slots
}

function wallsFrom(first: number, count: number, timeZone: string): Wall[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return Array.from({ length: count }, (_, i) => {
    const [date = '', time = ''] = format.format((first + i) * MINUTE_MS).split(', ')
    const [day = 0, month = 0, year = 0] = date.split('/').map(Number)
    const [hour = 0, minute = 0] = time.split(':').map(Number)
    return { date, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay(), minute: hour * 60 + minute }
  })
}

/** Requests over up to `maxDays` days. All times are whole minutes. */
export function slotRequests(maxDays: number): fc.Arbitrary<SlotRequest> {
  const minutes = (min: number, max: number, step = 1) =>
    fc.integer({ min: Math.ceil(min / step), max: Math.floor(max / step) }).map((count) => count * step)
  const rules = fc.record({
    durationMinutes: minutes(5, 240, 5),
    intervalMinutes: minutes(5, 120, 5),
    timezone: fc.constantFrom(...ZONES),
    days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
    windowStartMinutes: fc.oneof(fc.constant(0), minutes(0, 1_400, 5)),
    windowEndMinutes: fc.oneof(fc.constant(1_440), minutes(5, 1_440, 5)),
    bufferMinutes: fc.oneof(fc.constant(0), minutes(0, 60, 5)),
    minimumNoticeMinutes: fc.oneof(fc.constant(0), minutes(0, 2_000)),
  })
  const around = fc.tuple(fc.constantFrom(...DAYS), minutes(-2_000, 600), minutes(60, maxDays * DAY_MINUTES))
  const busy = fc.array(fc.tuple(minutes(-600, maxDays * DAY_MINUTES), minutes(0, 600)), { maxLength: 12 })
  return fc
    .record({ rules, around, busy, notice: minutes(-3_000, 600) })
    .filter((made) => made.rules.windowStartMinutes < made.rules.windowEndMinutes)
    .map(({ rules, around: [day, before, length], busy, notice }) => {
      const start = day + before * MINUTE_MS
      return {
        rules,
        within: { start, end: start + length * MINUTE_MS },
        busy: busy.map(([at, lasts]) => {
          const from = start + at * MINUTE_MS
          return { start: from, end: from + lasts * MINUTE_MS }
        }),
        now: start + notice * MINUTE_MS,
      }
    })
}
