/**
 * The queue worker. The core's records are the queue: the worker claims what is due, with a lease, tries it, and reports. It wakes at
 * the time of the next submission, at the bell that a commit rings, and on a sweep as the floor; it keeps nothing that a crash
 * could lose.
 */

import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { AttemptReport } from '../../jmap/mail/submission/queue-report.ts'
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import { randomId } from '../../server/base/ids.ts'
import type { Logger } from '../../server/base/logger.ts'
import {
  QUEUE_ATTEMPT_MS,
  QUEUE_BUSY_MS,
  QUEUE_CLAIM_ENOUGH,
  QUEUE_CLAIM_MAX,
  QUEUE_LEASE_MS,
  QUEUE_REPORT_CALLS,
  QUEUE_REPORT_MS,
  QUEUE_REPORT_RETRY_MS,
  QUEUE_STOP_MS,
  QUEUE_SWEEP_MS,
} from '../../server/base/outbound-limits.ts'
import { Batcher } from '../smtp/batcher.ts'
import { Leases } from './leases.ts'
import { UnderWay } from './under-way.ts'

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

export class QueueWorker {
  readonly #options: QueueWorkerOptions
  readonly #owner = randomId('worker')
  readonly #running = new Map<Promise<void>, AbortController>()
  readonly #underWay = new UnderWay()
  readonly #reports: Batcher<AttemptReport, undefined>
  readonly #leases: Leases
  #unsubscribe: () => void = () => {}
  #cancelTimer: () => void = () => {}
  #state: 'new' | 'running' | 'stopped' = 'new'
  #claiming: Promise<void> | null = null
  /** Something may have fallen due while it was claiming. */
  #again = false
  /** While it was claiming there came to be room, which that claim did not know of. */
  #isRoomFreed = false
  /** Bells are not heard before: the last look found nothing but what has no room, and each look goes over all of that. */
  #deafUntil = 0

  constructor(options: QueueWorkerOptions) {
    this.#options = options
    this.#leases = new Leases(options)
    this.#reports = new Batcher(
      async (reports) => {
        await options.core.reportAttempts(reports)
        return reports.map(() => undefined)
      },
      { calls: QUEUE_REPORT_CALLS },
    )
  }

  start(): void {
    this.#state = 'running'
    this.#unsubscribe = this.#options.core.onStateChange(({ changed }) => {
      if ('EmailSubmission' in changed) this.#hear()
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
      if (this.#again || this.#isRoomFreed) this.wake()
    })
  }

  /** A bell: something may be due, or have another time. */
  #hear(): void {
    const wait = this.#deafUntil - this.#options.clock.now()
    if (wait <= 0) this.wake()
    else this.#lookIn(wait)
  }

  #freed(): void {
    if (this.#claiming) this.#isRoomFreed = true
    else this.wake()
  }

  /** Claims no more and waits for attempts under way; those that take too long are broken off and reported as deferred. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'stopped'
    this.#unsubscribe()
    this.#cancelTimer()
    await this.#claiming
    const cancel = this.#options.clock.after(QUEUE_STOP_MS, () => {
      for (const controller of this.#running.values()) controller.abort()
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
        const room = Math.min(QUEUE_CLAIM_MAX, this.#underWay.free)
        // An attempt that ends and makes room wakes it.
        if (room === 0) return
        const rest = await this.#leases.rest()
        if (rest > 0) return this.#lookIn(rest)
        const claimed = await core.claimSubmissions(this.#owner, room, QUEUE_LEASE_MS, this.#underWay.room())
        for (const submission of claimed) this.#begin(submission)
        const isFreed = this.#isRoomFreed
        this.#isRoomFreed = false
        // A claim that found enough has not looked at all; but more of what is full now it would not get.
        const isEnough = claimed.length >= Math.min(room, QUEUE_CLAIM_ENOUGH)
        if (isEnough) this.#again ||= claimed.some((submission) => !this.#underWay.isFull(submission))
        else if (isFreed) this.#again = true
        else if (this.#underWay.isAnyFull) this.#deafUntil = clock.now() + QUEUE_BUSY_MS
      }
      const next = await core.nextSubmissionAt()
      if (next !== null) wait = Math.min(wait, next > clock.now() ? next - clock.now() : QUEUE_BUSY_MS)
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

  #begin(submission: QueuedSubmission): void {
    const { clock, attempt } = this.#options
    const controller = new AbortController()
    const cancel = clock.after(QUEUE_ATTEMPT_MS, () => controller.abort())
    const release = this.#leases.hold(submission, controller)
    this.#underWay.add(submission)
    const work = attempt(submission, controller.signal)
      .then((report) => {
        if (this.#underWay.tried(submission)) this.#freed()
        return this.#report(report, clock.now() + QUEUE_REPORT_MS)
      })
      .finally(() => {
        cancel()
        release()
        this.#running.delete(work)
        if (this.#underWay.remove(submission)) this.#freed()
      })
    this.#running.set(work, controller)
  }

  /** Reports until the core takes it, or it is too late. Meanwhile the lease is renewed, and nothing is claimed. */
  async #report(report: AttemptReport, until: number): Promise<void> {
    const { clock, log } = this.#options
    for (;;) {
      try {
        await this.#reports.add(report)
        if (report.retryAt !== null) this.#hear()
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
