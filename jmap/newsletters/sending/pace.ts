/** How many recipients of a newsletter may be queued now, and when more may (decisions D19, D31). */
import { WARM_UP_DAYS, WARM_UP_FIRST_DAY } from '../../../server/base/newsletter-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { findWarmUp, saveWarmUp } from '../../../storage/repos/newsletter-warm-up.ts'
import type { NewsletterRunTable } from '../../../storage/schema/tables.ts'
import type { Limits } from '../../type/limits.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

export interface Room {
  readonly count: number
  /** Epoch ms: when there is more, if this is none. */
  readonly moreAt: number
}

const UNLIMITED: Room = { count: Number.POSITIVE_INFINITY, moreAt: 0 }

/** Hours count from the start. Each hour's share may be queued at its beginning. */
export function roomOfHour(
  run: Pick<NewsletterRunTable, 'started_at' | 'hour' | 'hour_queued'>,
  { recipients, hours, now }: { readonly recipients: number; readonly hours: number; readonly now: number },
): Room {
  const start = run.started_at ?? now
  const hour = hourOf(run, now)
  const share = Math.ceil(recipients / hours)
  const used = run.hour === hour ? run.hour_queued : 0
  return { count: Math.max(0, share - used), moreAt: start + (hour + 1) * HOUR_MS }
}

export function hourOf({ started_at }: Pick<NewsletterRunTable, 'started_at'>, now: number): number {
  return Math.floor((now - (started_at ?? now)) / HOUR_MS)
}

/** Recipients that a domain may have on one of its days with newsletters, the first is 1. */
export function warmUpCap(day: number): number {
  return day >= WARM_UP_DAYS ? Number.POSITIVE_INFINITY : WARM_UP_FIRST_DAY * 2 ** (day - 1)
}

/** Decision D31: days count in UTC, and only those on which newsletters are sent. */
export async function roomOfDomain(unit: AccountUnit, limits: Limits, domain: number): Promise<Room> {
  if (!limits.hasNewsletterPace || !limits.hasNewsletterWarmUp) return UNLIMITED
  const today = Math.floor(unit.now / DAY_MS)
  const known = await findWarmUp(unit, unit.account, domain)
  const isToday = known?.day === today
  const cap = warmUpCap((known?.days ?? 0) + (isToday ? 0 : 1))
  return { count: Math.max(0, cap - (isToday ? known.recipients : 0)), moreAt: (today + 1) * DAY_MS }
}

/** Counts recipients that were queued. */
export async function noteWarmUp(unit: AccountUnit, domain: number, count: number): Promise<void> {
  const day = Math.floor(unit.now / DAY_MS)
  const known = await findWarmUp(unit, unit.account, domain)
  if (known?.day === day) await saveWarmUp(unit, { ...known, recipients: known.recipients + count })
  else await saveWarmUp(unit, { domain, day, recipients: count, days: (known?.days ?? 0) + 1 })
}

/** The smallest of some rooms. */
export function leastOf(rooms: readonly Room[]): Room {
  return rooms.reduce((least, room) => (room.count < least.count ? room : least), UNLIMITED)
}
