/**
 * The queue worker. The records of the core are the queue: the worker claims due submissions with a lease, attempts them, and reports. It
 * wakes at the time of the next submission, at a notification of a commit, and at least every QUEUE_SWEEP_MS. It holds no state that a crash
 * could lose.
 */

import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { AttemptReport } from '../../jmap/mail/submission/queue-report.ts'
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { collectYoungGarbage, PassingOctets } from '../../server/base/collect-garbage.ts'
import { errorMessage } from '../../server/base/errors.ts'
import { freePassing } from '../../server/base/free-memory.ts'
import { randomId } from '../../server/base/ids.ts'
import type { Logger } from '../../server/base/logger.ts'
import {
  QUEUE_ATTEMPT_MS,
  QUEUE_BEGIN_PER_TURN,
  QUEUE_BUSY_MS,
  QUEUE_CLAIM_ENOUGH,
  QUEUE_CLAIM_MAX,
  QUEUE_LEASE_MS,
  QUEUE_PASSING_BULK,
  QUEUE_PASSING_BYTES,
  QUEUE_REPORT_CALLS,
  QUEUE_REPORT_MS,
  QUEUE_REPORT_RETRY_MS,
  QUEUE_STOP_MS,
  QUEUE_SWEEP_MS,
} from '../../server/base/outbound-limits.ts'
import { nextTurn } from '../../server/base/turns.ts'
import { Batcher } from '../smtp/batcher.ts'
import type { Attempted } from './attempt.ts'
import { ConcurrencyLimits } from './concurrency-limits.ts'
import { Leases } from './leases.ts'
import { isBeingWritten } from './pending-writes.ts'

export interface QueueWorkerOptions {
  readonly core: Pick<
    Core,
    'claimSubmissions' | 'renewSubmissions' | 'reportAttempts' | 'nextSubmissionAt' | 'onStateChange'
  >
  /** Never rejects. */
  readonly attempt: (submission: QueuedSubmission, signal: AbortSignal) => Promise<Attempted>
  readonly clock: Clock
  readonly log: Logger
}

export class QueueWorker {
  readonly #options: QueueWorkerOptions
  readonly #owner = randomId('worker')
  readonly #running = new Map<Promise<void>, AbortController>()
  readonly #limits: ConcurrencyLimits
  readonly #reports: Batcher<AttemptReport, undefined>
  readonly #leases: Leases
  #unsubscribe: () => void = () => {}
  #cancelTimer: () => void = () => {}
  #state: 'new' | 'running' | 'stopped' = 'new'
  #claiming: Promise<void> | null = null
  /** Submissions may have become due during the claim. */
  #claimAgain = false
  /** Room became free during the claim, which did not know of it. */
  #isRoomFreed = false
  /**
   * Epoch ms until which notifications are ignored: the last claim found only submissions without room, and each claim reads all of them.
   */
  #ignoresNotificationsUntil = 0
  readonly #passing = new PassingOctets(QUEUE_PASSING_BYTES)
  #bulkPassed = 0

  constructor(options: QueueWorkerOptions) {
    this.#options = options
    this.#leases = new Leases(options)
    this.#limits = new ConcurrencyLimits(options.clock)
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
      if ('EmailSubmission' in changed) this.#onNotification()
    })
    this.wake()
  }

  /** Claims due submissions now. */
  wake(): void {
    if (this.#state !== 'running') return
    this.#claimAgain = true
    if (this.#claiming) return
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = null
      // A notification between the last claim and the timer concerns submissions that neither of them has seen.
      if (this.#claimAgain || this.#isRoomFreed) this.wake()
    })
  }

  /** Submissions may be due, or have another time. */
  #onNotification(): void {
    const wait = this.#ignoresNotificationsUntil - this.#options.clock.now()
    if (wait <= 0) this.wake()
    else this.#wakeAfter(wait)
  }

  #onRoomFreed(): void {
    if (this.#claiming) this.#isRoomFreed = true
    else this.wake()
  }

  /** Stops claiming and waits for the attempts; those that take too long are aborted and reported as deferred. */
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
    let isMeagre = false
    try {
      while (this.#claimAgain && this.#state === 'running') {
        this.#claimAgain = false
        const room = Math.min(QUEUE_CLAIM_MAX, this.#limits.free)
        // The end of an attempt wakes the worker. A stalled destination makes room too, which needs a timer.
        if (room === 0) return this.#wakeAfter(QUEUE_BUSY_MS)
        const pause = await this.#leases.pause()
        if (pause > 0) return this.#wakeAfter(pause)
        const claimed = await core.claimSubmissions(this.#owner, room, QUEUE_LEASE_MS, this.#limits.room())
        this.#beginAll(claimed)
        const isFreed = this.#isRoomFreed
        this.#isRoomFreed = false
        // A claim that found enough has not read the whole queue. Another one is useful unless all that it found is at its limit now.
        const isEnough = claimed.length >= Math.min(room, QUEUE_CLAIM_ENOUGH)
        isMeagre = !isEnough && !isFreed
        if (isEnough) this.#claimAgain ||= claimed.some((submission) => !this.#limits.isFull(submission))
        else if (isFreed || this.#limits.mayHaveMore(claimed)) this.#claimAgain = true
      }
      const next = await core.nextSubmissionAt()
      if (next !== null) wait = Math.min(wait, next > clock.now() ? next - clock.now() : QUEUE_BUSY_MS)
      if (wait === QUEUE_BUSY_MS && isMeagre) this.#ignoresNotificationsUntil = clock.now() + QUEUE_BUSY_MS
    } catch (error) {
      log.error({ error: errorMessage(error) }, 'the queue could not be read')
      this.#leases.failed()
    }
    this.#wakeAfter(wait)
  }

  #wakeAfter(ms: number): void {
    this.#cancelTimer()
    if (this.#state === 'running') this.#cancelTimer = this.#options.clock.after(ms, () => this.wake())
  }

  /** Those of a large claim begin in turns of the event loop: signing all of them at once would delay the reading of replies. */
  #beginAll(claimed: readonly QueuedSubmission[]): void {
    let turn = Promise.resolve()
    for (const [i, submission] of claimed.entries()) {
      if (i > 0 && i % QUEUE_BEGIN_PER_TURN === 0) turn = turn.then(nextTurn)
      this.#begin(submission, i < QUEUE_BEGIN_PER_TURN ? null : turn)
    }
  }

  /** @param turn when the attempt begins; null: now */
  #begin(submission: QueuedSubmission, turn: Promise<void> | null): void {
    const { clock, attempt } = this.#options
    const controller = new AbortController()
    const cancel = clock.after(QUEUE_ATTEMPT_MS, () => controller.abort())
    const release = this.#leases.hold(submission, controller)
    this.#limits.add(submission)
    const attempted = turn
      ? turn.then(() => attempt(submission, controller.signal))
      : attempt(submission, controller.signal)
    const work = attempted
      .then(({ report, contact }) => {
        if (this.#limits.attempted(submission, contact)) this.#onRoomFreed()
        return this.#report(report, clock.now() + QUEUE_REPORT_MS)
      })
      .finally(() => {
        cancel()
        release()
        this.#running.delete(work)
        if (this.#limits.remove(submission)) this.#onRoomFreed()
        this.#letGo(submission)
      })
    this.#running.set(work, controller)
  }

  /** A message of a newsletter was made for this attempt only. */
  #letGo({ isBulk, bytes }: QueuedSubmission): void {
    const { length } = bytes
    if (!isBulk || isBeingWritten(bytes) || !freePassing(bytes)) this.#passing.add(length)
    if (isBulk && ++this.#bulkPassed % QUEUE_PASSING_BULK === 0) collectYoungGarbage()
  }

  /** Reports until the core has stored the report, or the time is over. Meanwhile the lease is renewed, and nothing is claimed. */
  async #report(report: AttemptReport, until: number): Promise<void> {
    const { clock, log } = this.#options
    for (;;) {
      try {
        await this.#reports.add(report)
        if (report.retryAt !== null) this.#onNotification()
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
