/** When a message is tried again, and when it is given up (RFC 5321 4.5.4.1). Pure. */
import { DELAY_NOTICE_MS, QUEUE_EXPIRY_MS, RETRY_JITTER, RETRY_SCHEDULE_MS } from '../../server/base/outbound-limits.ts'

export interface Queued {
  /** Epoch ms from which expiry counts. */
  readonly queuedAt: number
  /** Attempts made before this one. */
  readonly attempts: number
}

/** Epoch ms of the attempt after this one; the last one falls on the expiry. @param random 0 to 1. */
export function nextAttemptAt({ queuedAt, attempts }: Queued, now: number, random: number): number {
  const delay = delayAfter(attempts)
  const moved = delay * (1 + RETRY_JITTER * (random * 2 - 1))
  return Math.min(now + Math.round(moved), Math.max(queuedAt + QUEUE_EXPIRY_MS, now + RETRY_SCHEDULE_MS[0]))
}

/** Whether this attempt was the last: what it left open is given up. */
export function isExpired({ queuedAt }: Queued, now: number): boolean {
  return now >= queuedAt + QUEUE_EXPIRY_MS
}

/**
 * Whether a delay is told after this attempt: once for a message, at the attempt that the schedule, give or take the jitter, puts
 * at DELAY_NOTICE_MS. It follows from the number of attempts alone, so that nothing need be remembered.
 */
export function tellsDelay({ attempts }: Queued): boolean {
  let at = 0
  for (let attempt = 0; ; attempt++) {
    if (at >= DELAY_NOTICE_MS * (1 - RETRY_JITTER)) return attempt === attempts
    at += delayAfter(attempt)
  }
}

function delayAfter(attempts: number): number {
  return RETRY_SCHEDULE_MS[Math.min(attempts, RETRY_SCHEDULE_MS.length - 1)]!
}
