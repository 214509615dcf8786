/**
 * The leases of a worker's submissions. They are short, so that other workers soon take over from a process that has ended, and are renewed
 * while an attempt runs. An attempt whose lease another worker has taken is aborted: its report would be ignored.
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
  /** Epoch ms at which the lease began or was renewed. */
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
  /** Epoch ms. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Renews a lease until the returned function is called. */
  hold({ account, submission, destination, lease }: QueuedSubmission, controller: AbortController): () => void {
    const since = this.#options.clock.now()
    const held: Held = { key: { account, submission, destination, lease }, controller, since }
    this.#held.add(held)
    this.#scheduleRenewal()
    return () => {
      this.#held.delete(held)
      if (this.#held.size > 0) return
      this.#cancelTimer?.()
      this.#cancelTimer = null
    }
  }

  /**
   * Milliseconds to wait before a claim. Leases are renewed first, as the process may have been suspended for long. After a failure of the
   * core, claims pause: workers report and renew first.
   */
  async pause(): Promise<number> {
    const pause = this.#pausedUntil - this.#options.clock.now()
    if (pause > 0) return pause
    await this.#renew()
    return Math.max(0, this.#pausedUntil - this.#options.clock.now())
  }

  /** A call of the core failed. */
  failed(): void {
    this.#pausedUntil = this.#options.clock.now() + QUEUE_REST_MS
  }

  #scheduleRenewal(): void {
    this.#cancelTimer ??= this.#options.clock.after(QUEUE_RENEW_MS, async () => {
      this.#cancelTimer = null
      await this.#renew()
      if (this.#held.size > 0) this.#scheduleRenewal()
    })
  }

  /** Renews the leases that are not new. Never rejects. */
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
        ).map(leaseKey),
      )
      for (const held of old) {
        if (kept.has(leaseKey(held.key))) held.since = now
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
    this.#options.log.warn({ submission: held.key.submission }, 'a lease was lost: the attempt is aborted')
    held.controller.abort()
  }
}

function leaseKey({ account, submission, destination }: HeldSubmission): string {
  return `${account} ${submission} ${destination}`
}
