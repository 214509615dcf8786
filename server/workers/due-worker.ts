/**
 * A worker whose queue is the core's records: it claims due rows with a lease, works on them and claims again. It holds nothing that a
 * crash could lose: the leases of a worker that dies end, as do those of failed tasks, and the tasks are claimed again.
 */
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import { randomId } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'

export interface DueWork<Task extends { readonly lease: string }> {
  /** Epoch ms when the next row may be claimed; null: nothing waits. */
  nextAt(): Promise<number | null>
  /** Leases up to `limit` due tasks. */
  claim(owner: string, limit: number, leaseMs: number): Promise<readonly Task[]>
  /** Works on one task and reports. If it rejects, the lease ends and the task is claimed again. */
  run(task: Task): Promise<void>
  /** Renews leases for `leaseMs` from now. Without it, a lease is longer than any task. */
  renew?(leases: readonly string[], leaseMs: number): Promise<void>
}

export interface DueWorkerOptions<Task extends { readonly lease: string }> {
  /** Name of the work, for leases and the log. */
  readonly name: string
  readonly work: DueWork<Task>
  /** Subscribes to changes that make more work due, for as long as the worker runs. Returns a function that unsubscribes. */
  readonly listen?: (worker: Wakeable) => () => void
  /** A stop does not wait for tasks under way: they take long, and are claimed again when their leases end. */
  readonly isAbandonedByStop?: boolean
  /** Tasks under way at a time. */
  readonly concurrency: number
  readonly leaseMs: number
  /** Milliseconds between two claims without a notification. */
  readonly sweepMs: number
  /** Milliseconds before the next claim if another worker holds the due tasks. */
  readonly busyMs: number
  readonly clock: Clock
  readonly logger: Logger
}

export interface Wakeable {
  /** Claims now, or when the running claim ends. */
  wake(): void
  /** Claims in `ms` milliseconds at the latest. */
  wakeIn(ms: number): void
}

/** Renewals within the time of a lease: two of them may fail. */
const RENEWALS_PER_LEASE = 3

export class DueWorker<Task extends { readonly lease: string }> implements Wakeable {
  readonly #options: DueWorkerOptions<Task>
  readonly #owner: string
  readonly #tasks = new Map<Promise<void>, Task>()
  /** Epoch ms of the next claim, or Infinity. */
  #claimAt = Number.POSITIVE_INFINITY
  #cancelTimer: () => void = () => {}
  #cancelRenewal: (() => void) | null = null
  #stopListening: () => void = () => {}
  #running = false
  #turn: Promise<void> | null = null
  #again = false

  constructor(options: DueWorkerOptions<Task>) {
    this.#options = options
    this.#owner = randomId(options.name)
  }

  get isRunning(): boolean {
    return this.#running
  }

  start(): void {
    this.#running = true
    this.#cancelRenewal = null
    this.#stopListening = this.#options.listen?.(this) ?? (() => {})
    this.wake()
  }

  /** Starts no more tasks. Resolves when running tasks are done, unless they are abandoned. */
  async stop(): Promise<void> {
    if (!this.#running) return
    this.#running = false
    this.#stopListening()
    this.#cancelTimer()
    this.#claimAt = Number.POSITIVE_INFINITY
    if (!this.#options.isAbandonedByStop) await this.settled()
    this.#cancelRenewal?.()
    this.#cancelRenewal = () => {}
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#turn || this.#tasks.size > 0) await Promise.all([this.#turn, ...this.#tasks.keys()])
  }

  wake(): void {
    if (!this.#running) return
    this.#again = true
    if (this.#turn) return
    this.#turn = this.#takeTurns().finally(() => {
      this.#turn = null
      if (this.#again) this.wake()
    })
  }

  wakeIn(ms: number): void {
    const { clock } = this.#options
    const at = clock.now() + ms
    if (!this.#running || at >= this.#claimAt) return
    this.#cancelTimer()
    this.#claimAt = at
    this.#cancelTimer = clock.after(ms, () => {
      this.#claimAt = Number.POSITIVE_INFINITY
      this.wake()
    })
  }

  async #takeTurns(): Promise<void> {
    const { name, sweepMs, logger } = this.#options
    let wait = sweepMs
    try {
      while (this.#again && this.#running) {
        this.#again = false
        wait = Math.min(sweepMs, await this.#claimDue())
      }
    } catch (error) {
      logger.error({ worker: name, error: errorMessage(error) }, 'due work could not be read')
      wait = sweepMs
    }
    this.wakeIn(wait)
  }

  /** Claims due tasks and starts them; returns the milliseconds until there may be more. */
  async #claimDue(): Promise<number> {
    const { work, concurrency, leaseMs, busyMs, clock } = this.#options
    const room = concurrency - this.#tasks.size
    // Each task that ends wakes the worker.
    if (room <= 0) return Number.POSITIVE_INFINITY
    const next = await work.nextAt()
    if (next === null) return Number.POSITIVE_INFINITY
    if (next > clock.now()) return next - clock.now()
    if (!this.#running) return Number.POSITIVE_INFINITY
    const tasks = await work.claim(this.#owner, room, leaseMs)
    for (const task of tasks) this.#begin(task)
    if (tasks.length > 0) this.#again = true
    return busyMs
  }

  #begin(task: Task): void {
    const { name, work, logger } = this.#options
    const running = work
      .run(task)
      .catch((error: unknown) => logger.error({ worker: name, error: errorMessage(error) }, 'work failed'))
      .finally(() => {
        this.#tasks.delete(running)
        this.wake()
      })
    this.#tasks.set(running, task)
    this.#renewLater()
  }

  #renewLater(): void {
    const { name, work, leaseMs, clock, logger } = this.#options
    if (!work.renew || this.#cancelRenewal) return
    const cancel = clock.after(leaseMs / RENEWALS_PER_LEASE, async () => {
      const leases = [...new Set([...this.#tasks.values()].map(({ lease }) => lease))]
      try {
        if (leases.length > 0) await work.renew!(leases, leaseMs)
      } catch (error) {
        logger.error({ worker: name, error: errorMessage(error) }, 'leases could not be renewed')
      }
      // The worker was stopped meanwhile: no more renewals.
      if (this.#cancelRenewal !== cancel) return
      this.#cancelRenewal = null
      if (this.#tasks.size > 0) this.#renewLater()
    })
    this.#cancelRenewal = cancel
  }
}
