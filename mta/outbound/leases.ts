/**
 * The leases of what a worker has under way: short, so that others soon take over from a process that is gone, and renewed for as long as
 * an attempt runs. An attempt whose lease has passed to another is broken off; its report would change nothing.
 */

import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { HeldSubmission } from '../../jmap/mail/submission/queue-leases.ts'
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import { QUEUE_LEASE_MS, QUEUE_RENEW_MS, QUEUE_REST_MS } from '../../server/base/outbound-limits.ts'

interface Held {
  readonly key: HeldSubmission
  readonly controller: AbortController
  /** Epoch ms at which the lease was given, or given anew. */
  since: number
}

export interface LeasesOptions {
  readonly core: Pick<Core, 'renewSubmissions'>
  readonly clock: Clock
  readonly log: Logger
}

export class Leases {
  readonly #options: LeasesOptions
  readonly #held = new Set<Held>()
  #cancelTimer: (() => void) | null = null
  #renewing: Promise<void> | null = null
  #restUntil = Number.NEGATIVE_INFINITY

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Keeps a lease until the returned function is called. */
  hold({ account, submission, destination, lease }: QueuedSubmission, controller: AbortController): () => void {
    const since = this.#options.clock.now()
    const held: Held = { key: { account, submission, destination, lease }, controller, since }
    this.#held.add(held)
    this.#later()
    return () => {
      this.#held.delete(held)
      if (this.#held.size > 0) return
      this.#cancelTimer?.()
      this.#cancelTimer = null
    }
  }

  /**
   * To be asked before each claim: milliseconds to wait with it. What this process holds is renewed first, as it may have stood
   * still for long. After the core could not be asked, all workers first make good what they have to report and renew.
   */
  async rest(): Promise<number> {
    const rest = this.#restUntil - this.#options.clock.now()
    if (rest > 0) return rest
    await this.#renew()
    return Math.max(0, this.#restUntil - this.#options.clock.now())
  }

  /** The core could not be asked. */
  failed(): void {
    this.#restUntil = this.#options.clock.now() + QUEUE_REST_MS
  }

  #later(): void {
    this.#cancelTimer ??= this.#options.clock.after(QUEUE_RENEW_MS, async () => {
      this.#cancelTimer = null
      await this.#renew()
      if (this.#held.size > 0) this.#later()
    })
  }

  /** Of those that are not new. Never rejects. */
  async #renew(): Promise<void> {
    await this.#renewing
    const now = this.#options.clock.now()
    const old = [...this.#held].filter(({ since }) => now - since >= QUEUE_RENEW_MS)
    if (old.length === 0) return
    this.#renewing = this.#renewAll(old, now).finally(() => {
      this.#renewing = null
    })
    await this.#renewing
  }

  async #renewAll(old: readonly Held[], now: number): Promise<void> {
    const { core, clock, log } = this.#options
    try {
      const kept = new Set(
        (
          await core.renewSubmissions(
            old.map(({ key }) => key),
            QUEUE_LEASE_MS,
          )
        ).map(nameOf),
      )
      for (const held of old) {
        if (kept.has(nameOf(held.key))) held.since = now
        else this.#lose(held)
      }
    } catch (error) {
      log.error({ error: errorMessage(error) }, 'leases could not be renewed')
      this.failed()
      for (const held of old) if (clock.now() - held.since >= QUEUE_LEASE_MS) this.#lose(held)
    }
  }

  #lose(held: Held): void {
    if (!this.#held.delete(held)) return
    this.#options.log.warn({ submission: held.key.submission }, 'a lease was lost: the attempt is broken off')
    held.controller.abort()
  }
}

function nameOf({ account, submission, destination }: HeldSubmission): string {
  return `${account} ${submission} ${destination}`
}
