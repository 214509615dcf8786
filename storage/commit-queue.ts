/**
 * Group commit without a timer: while one commit runs, the next batch collects, and every unit of work is answered after its COMMIT. On
 * SQLite there is one lane; on PostgreSQL there are several, each with a session of its own. After a disk fault the queue accepts
 * nothing more, since it is unknown what the disk holds (promise D3); the process ends then.
 */
import type { Clock } from '../server/base/clock.ts'
import { Failure } from '../server/base/errors.ts'
import { COMMIT_RETRIES } from '../server/base/limits.ts'
import { BatchRunner } from './commit-batch.ts'
import type { Dialect, Writer } from './dialect/dialect.ts'
import { type PendingUnit, PendingUnits } from './pending-units.ts'
import type { CommittedChange, Durability, Unit } from './ports.ts'

interface Pending extends PendingUnit {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
}

interface Lane {
  readonly connection: Writer
  /** The units that it is committing. */
  batch: readonly Pending[]
}

export interface SubmitOptions {
  /** `durable` by default. */
  readonly durability?: Durability
  /** Runs as one unit of work with its neighbours that are also batched. */
  readonly batched?: boolean
  /** All others go first. */
  readonly isBackground?: boolean
}

export interface CommitListeners {
  /** Called with the changes of each commit, before the commit's units are answered. */
  readonly onCommit: (changes: readonly CommittedChange[]) => void
  /** Called once, after the units of the commit that failed have been rejected. */
  readonly onDiskFault: (failure: Failure) => void
}

export class CommitQueue {
  readonly #dialect: Dialect
  readonly #listeners: CommitListeners
  readonly #lanes: readonly Lane[]
  readonly #runner: BatchRunner
  readonly #pending = new PendingUnits<Pending>()
  #scheduled = false
  /** Why nothing is accepted any more. */
  #refusal: Failure | null = null
  #onIdle: (() => void)[] = []

  constructor(dialect: Dialect, writers: readonly Writer[], clock: Clock, listeners: CommitListeners) {
    this.#dialect = dialect
    this.#listeners = listeners
    this.#lanes = writers.map((connection) => ({ connection, batch: [] }))
    this.#runner = new BatchRunner(dialect, clock, writers.length > 1)
    if (writers.length === 0) this.#refusal = new Failure('configuration', 'this store is read-only')
  }

  submit<T>(
    accounts: readonly number[],
    run: (unit: Unit) => Promise<T>,
    { durability = 'durable', batched = false, isBackground = false }: SubmitOptions = {},
  ): Promise<T> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    return new Promise<T>((resolve, reject) => {
      const ascending = [...new Set(accounts)].sort((a, b) => a - b)
      const settle = { resolve: resolve as (value: unknown) => void, reject }
      this.#pending.add({ accounts: ascending, run, durability, batched, isBackground, ...settle, attempts: 0 })
      this.#schedule()
    })
  }

  /** Accepts nothing more. Resolves when everything that was accepted has been answered. */
  async close(): Promise<void> {
    this.#refusal ??= new Failure('shuttingDown', 'the store is closed')
    while (!this.#pending.isEmpty || this.#lanes.some(({ batch }) => batch.length > 0))
      await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Starts commits at the end of this turn of the event loop, so that everything that arrived in one poll shares a commit. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      for (const lane of this.#lanes) if (lane.batch.length === 0) this.#start(lane)
      if (this.#lanes.every(({ batch }) => batch.length === 0)) for (const resolve of this.#onIdle.splice(0)) resolve()
    })
  }

  #start(lane: Lane): void {
    lane.batch = this.#takeBatch()
    if (lane.batch.length === 0) return
    void this.#commit(lane).finally(() => {
      lane.batch = []
      // The callers that were just answered may submit their next units in this turn.
      this.#schedule()
    })
  }

  #takeBatch(): readonly Pending[] {
    const committing = this.#lanes.flatMap(({ batch }) => batch.flatMap(({ accounts }) => accounts))
    return this.#pending.take(this.#lanes.length, new Set(committing))
  }

  async #commit({ connection, batch }: Lane): Promise<void> {
    const { done, changes, failed, abort } = await this.#runner.commit(connection, batch)
    this.#report(changes)
    for (const { work, error } of failed) work.reject(error)
    for (const { work, value } of done) work.resolve(value)
    if (abort === null) return
    const settled = new Set(failed.map(({ work }) => work))
    this.#retryOrReject(
      batch.filter((pending) => !settled.has(pending)),
      abort.error,
    )
  }

  #report(changes: readonly CommittedChange[]): void {
    if (changes.length === 0) return
    try {
      this.#listeners.onCommit(changes)
    } catch (error) {
      // A listener that fails must not turn a durable commit into a failure.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  #retryOrReject(open: readonly Pending[], error: unknown): void {
    const failure = this.#dialect.failureOf(error)
    const again = this.#dialect.isRetryable(error) ? open.filter(({ attempts }) => attempts < COMMIT_RETRIES) : []
    for (const pending of open) if (!again.includes(pending)) pending.reject(failure)
    for (const pending of again) pending.attempts++
    this.#pending.putBack(again)
    if (this.#dialect.isDiskFault(error)) this.#refuse(failure as Failure)
  }

  #refuse(failure: Failure): void {
    const isFirst = this.#refusal === null
    this.#refusal = failure
    for (const pending of this.#pending.takeAll()) pending.reject(failure)
    if (isFirst) this.#listeners.onDiskFault(failure)
  }
}
