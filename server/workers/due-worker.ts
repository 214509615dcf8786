/**
 * Turn-taking of the workers whose queue is the core's records: look at what is due, lease it, work on it, look again. It keeps nothing
 * that a crash could lose: a worker that dies leaves its leases to the next, and what fails comes again when its lease runs out.
 */
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import { randomId } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'

export interface DueWork<Task extends { readonly lease: string }> {
  /** Epoch ms when the next may be claimed; null: nothing waits. */
  nextAt(): Promise<number | null>
  /** Leases up to `limit` of what is due. */
  claim(owner: string, limit: number, leaseMs: number): Promise<readonly Task[]>
  /** Works on one and reports. When it rejects, the lease runs out and the work comes again. */
  run(task: Task): Promise<void>
  /** Makes leases last `leaseMs` from now. Without it a lease is longer than any task. */
  renew?(leases: readonly string[], leaseMs: number): Promise<void>
}

export interface DueWorkerOptions<Task extends { readonly lease: string }> {
  /** What it works on, for leases and the log. */
  readonly name: string
  readonly work: DueWork<Task>
  /** Tasks under way at a time. */
  readonly concurrency: number
  readonly leaseMs: number
  /** Milliseconds between two looks when nothing wakes it. */
  readonly sweepMs: number
  /** Milliseconds before it looks again at what is due and could not be claimed: another worker has it. */
  readonly busyMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/** Renewals within the time of a lease: two may fail. */
const RENEWALS_PER_LEASE = 3

export class DueWorker<Task extends { readonly lease: string }> {
  readonly #options: DueWorkerOptions<Task>
  readonly #owner: string
  readonly #tasks = new Map<Promise<void>, Task>()
  /** Epoch ms of the next look, or Infinity. */
  #lookAt = Number.POSITIVE_INFINITY
  #cancelLook: () => void = () => {}
  #cancelRenewal: (() => void) | null = null
  #running = false
  #turn: Promise<void> | null = null
  #again = false

  constructor(options: DueWorkerOptions<Task>) {
    this.#options = options
    this.#owner = randomId(options.name)
  }

  start(): void {
    this.#running = true
    this.#cancelRenewal = null
    this.wake()
  }

  /** Begins nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    if (!this.#running) return
    this.#end()
    await this.settled()
    this.abandon()
  }

  /** Begins nothing more, and leaves what is under way to the ends of its leases. */
  abandon(): void {
    this.#end()
    this.#cancelRenewal?.()
    this.#cancelRenewal = () => {}
  }

  #end(): void {
    this.#running = false
    this.#cancelLook()
    this.#lookAt = Number.POSITIVE_INFINITY
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#turn || this.#tasks.size > 0) await Promise.all([this.#turn, ...this.#tasks.keys()])
  }

  /** Looks now, or as soon as the look under way is over. */
  wake(): void {
    if (!this.#running) return
    this.#again = true
    if (this.#turn) return
    this.#turn = this.#takeTurns().finally(() => {
      this.#turn = null
      if (this.#again) this.wake()
    })
  }

  /** Looks in `ms` milliseconds at the latest. */
  wakeIn(ms: number): void {
    const { clock } = this.#options
    const at = clock.now() + ms
    if (!this.#running || at >= this.#lookAt) return
    this.#cancelLook()
    this.#lookAt = at
    this.#cancelLook = clock.after(ms, () => {
      this.#lookAt = Number.POSITIVE_INFINITY
      this.wake()
    })
  }

  async #takeTurns(): Promise<void> {
    const { name, sweepMs, logger } = this.#options
    let wait = sweepMs
    try {
      while (this.#again && this.#running) {
        this.#again = false
        wait = Math.min(sweepMs, await this.#look())
      }
    } catch (error) {
      logger.error({ worker: name, error: errorMessage(error) }, 'work that is due could not be read')
      wait = sweepMs
    }
    this.wakeIn(wait)
  }

  /** Begins what is due; milliseconds until there may be more. */
  async #look(): Promise<number> {
    const { work, concurrency, leaseMs, busyMs, clock } = this.#options
    const room = concurrency - this.#tasks.size
    // Each one that ends wakes it.
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
      // When it was abandoned meanwhile, that was the last.
      if (this.#cancelRenewal !== cancel) return
      this.#cancelRenewal = null
      if (this.#tasks.size > 0) this.#renewLater()
    })
    this.#cancelRenewal = cancel
  }
}
