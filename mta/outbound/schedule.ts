/** When a message is tried again, and when it is given up (RFC 5321 4.5.4.1). Pure. */
import { DELAY_NOTICE_MS, QUEUE_EXPIRY_MS, RETRY_JITTER, RETRY_SCHEDULE_MS } from '../../server/base/outbound-limits.ts'

export interface Queued {
  /** Epoch ms from which expiry counts. */
  readonly queuedAt: number
  /** Attempts made before this one. */
  readonly attempts: number
}

/** When it is tried again: milliseconds. */
export interface RetrySchedule {
  /** Until each next attempt; the last one repeats. At least one. */
  readonly waits: readonly number[]
  readonly expiry: number
}

export const USUAL_SCHEDULE: RetrySchedule = { waits: RETRY_SCHEDULE_MS, expiry: QUEUE_EXPIRY_MS }

/** Epoch ms of the attempt after this one; the last one falls on the expiry. @param random 0 to 1. */
export function nextAttemptAt(
  { queuedAt, attempts }: Queued,
  now: number,
  random: number,
  { waits, expiry }: RetrySchedule,
): number {
  const delay = delayAfter(attempts, waits)
  const moved = delay * (1 + RETRY_JITTER * (random * 2 - 1))
  return Math.min(now + Math.round(moved), Math.max(queuedAt + expiry, now + waits[0]!))
}

/** Whether this attempt was the last: what it left open is given up. */
export function isExpired({ queuedAt }: Queued, now: number, { expiry }: RetrySchedule): boolean {
  return now >= queuedAt + expiry
}

/**
 * Whether a delay is told after this attempt: once for a message, at the attempt that the schedule, give or take the jitter, puts
 * at DELAY_NOTICE_MS. It follows from the number of attempts alone, so that nothing need be remembered.
 */
export function tellsDelay({ attempts }: Queued, { waits }: RetrySchedule): boolean {
  let at = 0
  for (let attempt = 0; ; attempt++) {
    if (at >= DELAY_NOTICE_MS * (1 - RETRY_JITTER)) return attempt === attempts
    at += delayAfter(attempt, waits)
  }
}

function delayAfter(attempts: number, waits: readonly number[]): number {
  return waits[Math.min(attempts, waits.length - 1)]!
}
