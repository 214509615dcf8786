/**
 * What a worker has under way, counted. Who has reached its share gets nothing more before a third of it is free again: claims are
 * then for many messages at a time, and there are few of them.
 */

import type { QueueRoom } from '../../jmap/mail/submission/queue.ts'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import {
  QUEUE_BYTES,
  QUEUE_CONCURRENCY,
  QUEUE_PER_DESTINATION,
  QUEUE_PER_ORGANIZATION,
} from '../../server/base/outbound-limits.ts'

/** Counts by a key; `full` holds what has reached its share since it last had a third of it free. */
class Shares<K> {
  readonly #most: number
  readonly #counts = new Map<K, number>()
  readonly full = new Set<K>()

  constructor(most: number) {
    this.#most = most
  }

  /** Whether a third of it has become free by this. */
  add(key: K, by: number): boolean {
    const count = (this.#counts.get(key) ?? 0) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
    if (count >= this.#most) this.full.add(key)
    const refill = (this.#most * 2) / 3
    if (count <= refill) this.full.delete(key)
    return count <= refill && count - by > refill
  }

  of(key: K): number {
    return this.#counts.get(key) ?? 0
  }

  /** What is full has all it may have. */
  taken(): (readonly [K, number])[] {
    return [...this.#counts].map(([key, count]) => [key, this.full.has(key) ? this.#most : count])
  }
}

export class UnderWay {
  readonly #total = new Shares<null>(QUEUE_CONCURRENCY)
  readonly #bytes = new Shares<null>(QUEUE_BYTES)
  readonly #destinations = new Shares<string>(QUEUE_PER_DESTINATION)
  readonly #organizations = new Shares<number>(QUEUE_PER_ORGANIZATION)

  add(submission: QueuedSubmission): void {
    this.#countSending(submission, 1)
    this.#countHeld(submission, 1)
  }

  /** It has been tried, and is no load to anybody else: what came of it is still to be recorded. Whether there is room now for what there was none for. */
  tried(submission: QueuedSubmission): boolean {
    return this.#countSending(submission, -1)
  }

  /** It is recorded too. Whether there is room again. */
  remove(submission: QueuedSubmission): boolean {
    return this.#countHeld(submission, -1)
  }

  /** Messages that may be claimed now. */
  get free(): number {
    const isFull = this.#total.full.size + this.#bytes.full.size > 0
    return isFull ? 0 : QUEUE_CONCURRENCY - this.#total.of(null)
  }

  /** Whether a claim may find nothing only because somebody has all he may have. */
  get isAnyFull(): boolean {
    return this.#destinations.full.size + this.#organizations.full.size > 0
  }

  /** Whether more of its kind has to wait. */
  isFull({ destination, organization }: QueuedSubmission): boolean {
    return this.#destinations.full.has(destination) || this.#organizations.full.has(organization)
  }

  /** Promise Q4: what is slow, and who sends a lot, leaves room for the others. */
  room(): QueueRoom {
    return {
      perDestination: QUEUE_PER_DESTINATION,
      perOrganization: QUEUE_PER_ORGANIZATION,
      destinations: this.#destinations.taken(),
      organizations: this.#organizations.taken(),
    }
  }

  #countSending({ destination, organization }: QueuedSubmission, by: 1 | -1): boolean {
    const freed = [this.#destinations.add(destination, by), this.#organizations.add(organization, by)]
    return freed.includes(true)
  }

  #countHeld({ bytes }: QueuedSubmission, by: 1 | -1): boolean {
    const freed = [this.#total.add(null, by), this.#bytes.add(null, by * bytes.length)]
    return freed.includes(true)
  }
}
