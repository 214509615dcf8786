/**
 * The queue worker. The core's records are the queue: the worker claims what is due, with a lease, tries it, and reports. It wakes at
 * the time of the next submission, at the bell that a commit rings, and on a sweep as the floor; it keeps nothing that a crash
 * could lose.
 */

import type { AttemptReport, Core, QueuedSubmission, QueueRoom } from '../../jmap/core.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import { randomId } from '../../server/base/ids.ts'
import type { Logger } from '../../server/base/logger.ts'
import {
  QUEUE_ATTEMPT_MS,
  QUEUE_BYTES,
  QUEUE_CLAIM_MAX,
  QUEUE_CLAIM_MIN,
  QUEUE_CONCURRENCY,
  QUEUE_LEASE_MS,
  QUEUE_PER_DESTINATION,
  QUEUE_PER_ORGANIZATION,
  QUEUE_REPORT_MS,
  QUEUE_REPORT_RETRY_MS,
  QUEUE_STOP_MS,
  QUEUE_SWEEP_MS,
} from '../../server/base/outbound-limits.ts'
import { Batcher } from '../smtp/batcher.ts'
import { Leases } from './leases.ts'

export interface QueueWorkerOptions {
  readonly core: Pick<
    Core,
    'claimSubmissions' | 'renewSubmissions' | 'reportAttempts' | 'nextSubmissionAt' | 'onStateChange'
  >
  /** Never rejects. */
  readonly attempt: (submission: QueuedSubmission, signal: AbortSignal) => Promise<AttemptReport>
  readonly clock: Clock
  readonly log: Logger
}

/** Milliseconds before it looks again at what is due and could not be claimed: its destination or organization has its share. */
const BUSY_MS = 250

export class QueueWorker {
  readonly #options: QueueWorkerOptions
  readonly #owner = randomId('worker')
  readonly #running = new Map<
    Promise<void>,
    { readonly controller: AbortController; readonly submission: QueuedSubmission }
  >()
  readonly #reports: Batcher<AttemptReport, undefined>
  readonly #leases: Leases
  #unsubscribe: () => void = () => {}
  #cancelTimer: () => void = () => {}
  #state: 'new' | 'running' | 'stopped' = 'new'
  #claiming: Promise<void> | null = null
  /** Something may have fallen due while it was claiming. */
  #again = false

  constructor(options: QueueWorkerOptions) {
    this.#options = options
    this.#leases = new Leases(options)
    this.#reports = new Batcher(async (reports) => {
      await options.core.reportAttempts(reports)
      return reports.map(() => undefined)
    })
  }

  start(): void {
    this.#state = 'running'
    this.#unsubscribe = this.#options.core.onStateChange(({ changed }) => {
      if ('EmailSubmission' in changed) this.wake()
    })
    this.wake()
  }

  /** Looks at the queue now. */
  wake(): void {
    if (this.#state !== 'running') return
    this.#again = true
    if (this.#claiming) return
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = null
      // A bell that rang after the last claim and before the timer was set rang for what neither of them has seen.
      if (this.#again) this.wake()
    })
  }

  /** Claims no more and waits for attempts under way; those that take too long are broken off and reported as deferred. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'stopped'
    this.#unsubscribe()
    this.#cancelTimer()
    await this.#claiming
    const cancel = this.#options.clock.after(QUEUE_STOP_MS, () => {
      for (const { controller } of this.#running.values()) controller.abort()
    })
    await Promise.all(this.#running.keys())
    cancel()
  }

  async #claimAll(): Promise<void> {
    const { core, clock, log } = this.#options
    let wait = QUEUE_SWEEP_MS
    try {
      while (this.#again && this.#state === 'running') {
        this.#again = false
        const room = Math.min(QUEUE_CLAIM_MAX, QUEUE_CONCURRENCY - this.#running.size)
        // Every attempt that ends wakes it.
        if (room < QUEUE_CLAIM_MIN || this.#bytesUnderWay() > QUEUE_BYTES) return
        const rest = await this.#leases.rest()
        if (rest > 0) return this.#lookIn(rest)
        const claimed = await core.claimSubmissions(this.#owner, room, QUEUE_LEASE_MS, this.#room())
        for (const submission of claimed) this.#begin(submission)
        if (claimed.length === room) this.#again = true
      }
      const next = await core.nextSubmissionAt()
      if (next !== null) wait = Math.min(wait, next > clock.now() ? next - clock.now() : BUSY_MS)
    } catch (error) {
      log.error({ error: errorMessage(error) }, 'the queue could not be read')
      this.#leases.failed()
    }
    this.#lookIn(wait)
  }

  #lookIn(ms: number): void {
    this.#cancelTimer()
    if (this.#state === 'running') this.#cancelTimer = this.#options.clock.after(ms, () => this.wake())
  }

  #bytesUnderWay(): number {
    let bytes = 0
    for (const { submission } of this.#running.values()) bytes += submission.bytes.length
    return bytes
  }

  /** reliability.md Q4: what is slow, and who sends a lot, leaves room for the others. */
  #room(): QueueRoom {
    const destinations = new Map<string, number>()
    const organizations = new Map<number, number>()
    for (const { submission } of this.#running.values()) {
      destinations.set(submission.destination, (destinations.get(submission.destination) ?? 0) + 1)
      organizations.set(submission.organization, (organizations.get(submission.organization) ?? 0) + 1)
    }
    return {
      perDestination: QUEUE_PER_DESTINATION,
      perOrganization: QUEUE_PER_ORGANIZATION,
      destinations: [...destinations],
      organizations: [...organizations],
    }
  }

  #begin(submission: QueuedSubmission): void {
    const { clock, attempt } = this.#options
    const controller = new AbortController()
    const cancel = clock.after(QUEUE_ATTEMPT_MS, () => controller.abort())
    const release = this.#leases.hold(submission, controller)
    const work = attempt(submission, controller.signal)
      .then((report) => this.#report(report, clock.now() + QUEUE_REPORT_MS))
      .finally(() => {
        cancel()
        release()
        this.#running.delete(work)
        this.wake()
      })
    this.#running.set(work, { controller, submission })
  }

  /** Reports until the core takes it, or it is too late. Meanwhile the lease is renewed, and nothing is claimed. */
  async #report(report: AttemptReport, until: number): Promise<void> {
    const { clock, log } = this.#options
    for (;;) {
      try {
        await this.#reports.add(report)
        return
      } catch (error) {
        log.error({ submission: report.submission, error: errorMessage(error) }, 'an attempt could not be reported')
        this.#leases.failed()
        if (clock.now() >= until || this.#state === 'stopped') return
        await new Promise<void>((resolve) => clock.after(QUEUE_REPORT_RETRY_MS, resolve))
      }
    }
  }
}
