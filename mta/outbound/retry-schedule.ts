/** When a message is attempted again, and when it is given up (RFC 5321 4.5.4.1). Pure. */
import { DELAY_NOTICE_MS, QUEUE_EXPIRY_MS, RETRY_JITTER, RETRY_SCHEDULE_MS } from '../../server/base/outbound-limits.ts'

export interface Queued {
  /** Epoch ms from which expiry counts. */
  readonly queuedAt: number
  /** Attempts made before this one. */
  readonly attempts: number
}

/** In milliseconds. */
export interface RetrySchedule {
  /** Waits between attempts, at least one; the last one repeats. */
  readonly waits: readonly number[]
  readonly expiry: number
}

export const DEFAULT_SCHEDULE: RetrySchedule = { waits: RETRY_SCHEDULE_MS, expiry: QUEUE_EXPIRY_MS }

/** Epoch ms of the next attempt; the last attempt is at the expiry. @param random 0 to 1 */
export function nextAttemptAt(
  { queuedAt, attempts }: Queued,
  now: number,
  random: number,
  { waits, expiry }: RetrySchedule,
): number {
  const delay = delayAfter(attempts, waits)
  const jittered = delay * (1 + RETRY_JITTER * (random * 2 - 1))
  return Math.min(now + Math.round(jittered), Math.max(queuedAt + expiry, now + waits[0]!))
}

/** Whether this attempt was the last: open recipients are given up. */
export function isExpired({ queuedAt }: Queued, now: number, { expiry }: RetrySchedule): boolean {
  return now >= queuedAt + expiry
}

/**
 * Whether a delay is reported after this attempt: once for each message, at the attempt that the schedule, apart from jitter, puts at
 * DELAY_NOTICE_MS. It follows from the number of attempts, so that no state has to be stored.
 */
export function reportsDelay({ attempts }: Queued, { waits }: RetrySchedule): boolean {
  let at = 0
  for (let attempt = 0; ; attempt++) {
    if (at >= DELAY_NOTICE_MS * (1 - RETRY_JITTER)) return attempt === attempts
    at += delayAfter(attempt, waits)
  }
}

function delayAfter(attempts: number, waits: readonly number[]): number {
  return waits[Math.min(attempts, waits.length - 1)]!
}
