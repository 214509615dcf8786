/** The instants of events, by their zones. Floating events take the zone of whoever asks. */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { type Duration, NO_DURATION, parseDuration, parseLocal } from '../jscalendar/date-times.ts'
import { isExcluded, patched } from '../jscalendar/overrides.ts'
import { instantOfLocal } from './wall-time.ts'

const DAY_MS = 86_400_000

export const UTC = 'Etc/UTC'

/** Epoch ms; `end` is exclusive. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** What an event's times depend on. */
export interface Timed {
  readonly start: string
  readonly duration?: string | undefined
  readonly timeZone?: string | null | undefined
}

/** @param floating the zone of an event without one */
export function intervalOf(event: Timed, floating: string): Interval {
  const local = parseLocal(event.start) ?? 0
  return intervalAt(local, durationOf(event.duration), event.timeZone ?? floating)
}

/** RFC 5545 3.3.6: days by the clock on the wall, then hours by the clock in the hand. */
export function intervalAt(local: number, { days, ms }: Duration, zone: string): Interval {
  const start = instantOfLocal(local, zone)
  return { start, end: (days === 0 ? start : instantOfLocal(local + days * DAY_MS, zone)) + ms }
}

export function durationOf(duration: string | null | undefined): Duration {
  return (typeof duration === 'string' && parseDuration(duration)) || NO_DURATION
}

/** The times of an instance after its override; null: it is excluded. */
export function instanceTimes(
  event: Timed & JsonObject,
  recurrenceId: string,
  patch: JsonObject | undefined,
): Timed | null {
  const plain = { start: recurrenceId, duration: event.duration, timeZone: event.timeZone }
  if (patch === undefined) return plain
  if (isExcluded(patch)) return null
  const { start, duration, timeZone } = patched({ start: recurrenceId, ...definedTimes(event) }, patch)
  return {
    start: typeof start === 'string' ? start : recurrenceId,
    duration: typeof duration === 'string' ? duration : undefined,
    timeZone: typeof timeZone === 'string' ? timeZone : null,
  }
}

function definedTimes({ duration, timeZone }: Timed): JsonObject {
  return { ...(typeof duration === 'string' && { duration }), ...(typeof timeZone === 'string' && { timeZone }) }
}

/** Bounds of all instances of an event: none starts before `start` or ends after `end`. */
export interface Span extends Interval {
  /** It or one of its instances has no zone: the bounds are wall times as if in UTC. */
  readonly isFloating: boolean
}

/** The end of a rule that goes on for ever, or whose end is not worth computing. */
const NEVER = 253_402_300_799_999

export function spanOf(event: Timed & JsonObject): Span {
  const own = intervalOf(event, UTC)
  const rule = event['recurrenceRule']
  let { start, end } = own
  let isFloating = !event.timeZone
  if (isObject(rule)) {
    const until = typeof rule['until'] === 'string' ? parseLocal(rule['until']) : null
    end =
      until === null ? NEVER : Math.max(end, intervalAt(until, durationOf(event.duration), event.timeZone ?? UTC).end)
  }
  const overrides = event['recurrenceOverrides']
  for (const [recurrenceId, patch] of Object.entries(isObject(overrides) ? overrides : {})) {
    const times = isObject(patch) ? instanceTimes(event, recurrenceId, patch) : null
    if (!times) continue
    const interval = intervalOf(times, UTC)
    start = Math.min(start, interval.start)
    end = Math.max(end, interval.end)
    isFloating ||= !times.timeZone
  }
  return { start, end: Math.min(end, NEVER), isFloating }
}
