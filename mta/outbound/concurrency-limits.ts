/**
 * Counts the submissions and octets that a worker is working on. What has reached its limit gets nothing more until a third of the limit is
 * free again: so the worker claims many messages at a time, and seldom.
 */

import type { QueueRoom } from '../../jmap/mail/submission/queue.ts'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import {
  QUEUE_BYTES,
  QUEUE_CONCURRENCY,
  QUEUE_PER_DESTINATION,
  QUEUE_PER_ORGANIZATION,
} from '../../server/base/outbound-limits.ts'

/** Counts by key; `full` holds the keys that have reached the limit since a third of it was last free. */
class LimitedCounts<K> {
  readonly #limit: number
  readonly #counts = new Map<K, number>()
  readonly full = new Set<K>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether this change makes a third of the limit free. */
  add(key: K, change: number): boolean {
    const count = (this.#counts.get(key) ?? 0) + change
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
    if (count >= this.#limit) this.full.add(key)
    const refillAt = (this.#limit * 2) / 3
    if (count <= refillAt) this.full.delete(key)
    return count <= refillAt && count - change > refillAt
  }

  of(key: K): number {
    return this.#counts.get(key) ?? 0
  }

  /** The counts; a full key counts as its limit. */
  entries(): (readonly [K, number])[] {
    return [...this.#counts].map(([key, count]) => [key, this.full.has(key) ? this.#limit : count])
  }
}

export class ConcurrencyLimits {
  readonly #total = new LimitedCounts<null>(QUEUE_CONCURRENCY)
  readonly #bytes = new LimitedCounts<null>(QUEUE_BYTES)
  readonly #destinations = new LimitedCounts<string>(QUEUE_PER_DESTINATION)
  readonly #organizations = new LimitedCounts<number>(QUEUE_PER_ORGANIZATION)

  add(submission: QueuedSubmission): void {
    this.#countSending(submission, 1)
    this.#countHeld(submission, 1)
  }

  /** The attempt has ended, and its report is still to be stored: it no longer counts for destination and organization. Whether room became free. */
  attempted(submission: QueuedSubmission): boolean {
    return this.#countSending(submission, -1)
  }

  /** The report is stored too. Whether room became free. */
  remove(submission: QueuedSubmission): boolean {
    return this.#countHeld(submission, -1)
  }

  /** Messages that may be claimed now. */
  get free(): number {
    const isFull = this.#total.full.size + this.#bytes.full.size > 0
    return isFull ? 0 : QUEUE_CONCURRENCY - this.#total.of(null)
  }

  /** Whether a claim may find nothing only because a destination or an organization has reached its limit. */
  get isAnyFull(): boolean {
    return this.#destinations.full.size + this.#organizations.full.size > 0
  }

  /** Whether further submissions to its destination, or of its organization, have to wait. */
  isFull({ destination, organization }: QueuedSubmission): boolean {
    return this.#destinations.full.has(destination) || this.#organizations.full.has(organization)
  }

  /** Promise Q4: a slow destination, and an organization that sends much, leave room for the others. */
  room(): QueueRoom {
    return {
      perDestination: QUEUE_PER_DESTINATION,
      perOrganization: QUEUE_PER_ORGANIZATION,
      destinations: this.#destinations.entries(),
      organizations: this.#organizations.entries(),
    }
  }

  #countSending({ destination, organization }: QueuedSubmission, change: 1 | -1): boolean {
    const freed = [this.#destinations.add(destination, change), this.#organizations.add(organization, change)]
    return freed.includes(true)
  }

  #countHeld({ bytes }: QueuedSubmission, change: 1 | -1): boolean {
    const freed = [this.#total.add(null, change), this.#bytes.add(null, change * bytes.length)]
    return freed.includes(true)
  }
}
