/**
 * The number of concurrent attempts that a worker makes at each destination (promise Q4). It is found as TCP finds its window (AIMD): an answer
 * adds one slot, silence halves them. A destination that has not answered, or no longer answers, gets few slots, and is not tried for a while
 * after each silence.
 */
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import {
  QUEUE_BULK_LEAVES,
  QUEUE_DESTINATIONS_KNOWN,
  QUEUE_PER_DESTINATION,
  QUEUE_PER_NEW_DESTINATION,
  QUEUE_PROBES_FAILING,
  QUEUE_SILENCE_REST_MAX_MS,
  QUEUE_SILENCE_REST_MS,
  QUEUE_STALLED_MS,
} from '../../server/base/outbound-limits.ts'
import { LimitedCount } from './limited-counts.ts'

/** Milliseconds after an answer for which a destination counts as in use. */
const IN_USE_MS = 1_000

/** The result of an attempt for its destination. `answered`: it replied to the message. `silent`: a timeout passed. `none`: neither. */
export type Contact = 'answered' | 'silent' | 'none'

interface Destination {
  readonly name: string
  /** Attempts under way, and when each began, epoch ms. The first is the oldest. */
  readonly attempts: Map<QueuedSubmission, number>
  readonly count: LimitedCount
  /** Those of newsletters, which leave slots to other mail. */
  readonly bulk: LimitedCount
  /** Concurrent attempts while it answers. */
  slots: number
  /** Whether it answers: its last result was an answer, within QUEUE_STALLED_MS if attempts are under way. */
  isProven: boolean
  hasAnswered: boolean
  /** Epoch ms of the last answer, and of the last silence that was counted. */
  answeredAt: number
  silentAt: number
  /** Silences since the last answer. */
  silences: number
  /** Epoch ms until which nothing is attempted. */
  restsUntil: number
}

export class Destinations {
  /** In the order of their last use. */
  readonly #known = new Map<string, Destination>()

  begin(submission: QueuedSubmission, now: number): void {
    const destination = this.#use(submission.destination)
    destination.attempts.set(submission, now)
    destination.count.add(1)
    if (submission.isBulk) destination.bulk.add(1)
  }

  /** The attempt is over. @returns whether the destination has room again that had none */
  end(submission: QueuedSubmission, contact: Contact, now: number): boolean {
    const destination = this.#use(submission.destination)
    const began = destination.attempts.get(submission) ?? now
    const wasFull = destination.count.isFull
    destination.attempts.delete(submission)
    if (contact === 'answered') answered(destination, now)
    // A timeout of several concurrent attempts counts once.
    if (contact === 'silent' && began >= destination.silentAt) silent(destination, now)
    destination.count.add(-1)
    const isBulkFreed = submission.isBulk && destination.bulk.add(-1)
    this.#forget()
    return ((wasFull && !destination.count.isFull) || isBulkFreed) && destination.restsUntil <= now
  }

  isProven(name: string): boolean {
    return this.#known.get(name)?.isProven ?? false
  }

  isFull({ destination: name, isBulk }: Pick<QueuedSubmission, 'destination' | 'isBulk'>, now: number): boolean {
    const destination = this.#known.get(name)
    if (!destination) return false
    return destination.restsUntil > now || destination.count.isFull || (isBulk && destination.bulk.isFull)
  }

  attemptsAt(name: string): Iterable<QueuedSubmission> {
    return this.#known.get(name)?.attempts.keys() ?? []
  }

  /** Destinations that have not answered for QUEUE_STALLED_MS although attempts are under way. They no longer count as proven. */
  stalled(now: number): string[] {
    const stalled: string[] = []
    for (const destination of this.#known.values()) {
      const [oldest] = destination.attempts.values()
      if (!destination.isProven || oldest === undefined) continue
      if (now - Math.max(oldest, destination.answeredAt) < QUEUE_STALLED_MS) continue
      shrink(destination)
      stalled.push(destination.name)
    }
    return stalled
  }

  /**
   * Free slots of the destinations in use, and of those that rest. `all`: also of all that answer.
   * @param kind `bulk`: for newsletters
   */
  room(now: number, all: boolean, kind: 'any' | 'bulk' = 'any'): [name: string, free: number][] {
    const room: [string, number][] = []
    const known = [...this.#known.values()]
    const failing = known.filter(isFailing)
    // Destinations that failed leave room for those that were not tried yet.
    const mayRetry = failing.reduce((sum, { attempts }) => sum + attempts.size, 0) < QUEUE_PROBES_FAILING
    for (const destination of known) {
      const waits = destination.restsUntil > now || (!mayRetry && isFailing(destination))
      if (!waits && !isInUse(destination, now) && !(all && destination.isProven)) continue
      const { name, count, bulk } = destination
      room.push([name, waits ? 0 : kind === 'any' ? count.free : Math.min(count.free, bulk.free)])
    }
    return room
  }

  /** Destinations in use that answer. `all`: also those not in use. */
  proven(now: number, all: boolean): string[] {
    const proven = [...this.#known.values()].filter((one) => one.isProven && (all || isInUse(one, now)))
    return proven.map(({ name }) => name)
  }

  #use(name: string): Destination {
    const destination = this.#known.get(name) ?? unknown(name)
    this.#known.delete(name)
    this.#known.set(name, destination)
    return destination
  }

  #forget(): void {
    for (const [name, { attempts }] of this.#known) {
      if (this.#known.size <= QUEUE_DESTINATIONS_KNOWN) return
      if (attempts.size === 0) this.#known.delete(name)
    }
  }
}

function unknown(name: string): Destination {
  const never = Number.NEGATIVE_INFINITY
  return {
    name,
    attempts: new Map(),
    count: new LimitedCount(QUEUE_PER_NEW_DESTINATION),
    bulk: new LimitedCount(bulkSlots(QUEUE_PER_NEW_DESTINATION)),
    slots: QUEUE_PER_NEW_DESTINATION,
    isProven: false,
    hasAnswered: false,
    answeredAt: never,
    silentAt: never,
    silences: 0,
    restsUntil: never,
  }
}

function isInUse({ attempts, answeredAt }: Destination, now: number): boolean {
  return attempts.size > 0 || now - answeredAt < IN_USE_MS
}

function isFailing({ isProven, silences }: Destination): boolean {
  return !isProven && silences > 0
}

function answered(destination: Destination, now: number): void {
  destination.slots = Math.min(QUEUE_PER_DESTINATION, destination.slots + 1)
  destination.isProven = true
  destination.hasAnswered = true
  destination.answeredAt = now
  destination.silences = 0
  destination.restsUntil = now
  setLimit(destination, destination.slots)
}

function silent(destination: Destination, now: number): void {
  shrink(destination)
  destination.silentAt = now
  destination.silences++
  // A single silence of a destination that answered before does not stop the attempts.
  const inVain = destination.hasAnswered ? destination.silences - 2 : destination.silences - 1
  if (inVain < 0) return
  destination.restsUntil = now + Math.min(QUEUE_SILENCE_REST_MAX_MS, QUEUE_SILENCE_REST_MS * 2 ** inVain)
}

function shrink(destination: Destination): void {
  destination.isProven = false
  destination.slots = Math.max(QUEUE_PER_NEW_DESTINATION, Math.floor(destination.slots / 2))
  setLimit(destination, QUEUE_PER_NEW_DESTINATION)
}

function setLimit({ count, bulk }: Destination, slots: number): void {
  count.limit = slots
  bulk.limit = bulkSlots(slots)
}

function bulkSlots(slots: number): number {
  return Math.max(1, Math.floor(slots * (1 - QUEUE_BULK_LEAVES)))
}
