/**
 * Group commit without a timer: while one commit runs, the next batch collects; every waiter is answered after its COMMIT
 * (performance.md, layout 2). On SQLite there is one lane; on PostgreSQL several, each with its own connection.
 * A unit that fails rolls back to its savepoint and fails alone. After an I/O error at commit nothing more is accepted:
 * what the disk holds is then unknown (reliability.md D3).
 */
import type { Clock } from '../server/base/clock.ts'
import { errorMessage, Failure, isFailure } from '../server/base/errors.ts'
import { COMMIT_BATCH_MAX, COMMIT_RETRIES } from '../server/base/limits.ts'
import type { Connection, Dialect } from './dialect/dialect.ts'
import type { CommittedChange, Unit } from './ports.ts'
import { sqlOver } from './sql.ts'
import { UnitOfWork } from './unit-of-work.ts'

interface Pending {
  readonly accounts: readonly number[]
  readonly work: (unit: Unit) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
}

type Failed = { pending: Pending; error: unknown }
type Outcome = { pending: Pending; value: unknown; changes: CommittedChange[] }

export class CommitQueue {
  readonly #dialect: Dialect
  readonly #clock: Clock
  readonly #committed: (changes: readonly CommittedChange[]) => void
  readonly #lanes: Lane[]
  #queue: Pending[] = []
  #scheduled = false
  #broken: Failure | null = null
  #idle: (() => void)[] = []

  constructor(
    dialect: Dialect,
    lanes: readonly Connection[],
    clock: Clock,
    committed: (changes: readonly CommittedChange[]) => void,
  ) {
    this.#dialect = dialect
    this.#clock = clock
    this.#committed = committed
    this.#lanes = lanes.map((connection) => ({ connection, busy: false }))
  }

  submit<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>): Promise<T> {
    if (this.#broken) return Promise.reject(this.#broken)
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ accounts, work, resolve: resolve as (value: unknown) => void, reject, attempts: 0 })
      this.#schedule()
    })
  }

  /** Resolves when nothing waits and nothing runs. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#lanes.some((lane) => lane.busy)) {
      await new Promise<void>((resolve) => this.#idle.push(resolve))
    }
  }

  /** At the end of this turn of the event loop, so that all that came in with one poll shares one commit. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      for (const lane of this.#lanes) if (!lane.busy && this.#queue.length > 0) void this.#run(lane)
    })
  }

  async #run(lane: Lane): Promise<void> {
    lane.busy = true
    while (this.#queue.length > 0) {
      // Fewer accounts per lane mean fewer waits between lanes: each takes its fair share of what is queued.
      const share = this.#lanes.length === 1 ? COMMIT_BATCH_MAX : Math.ceil(this.#queue.length / this.#lanes.length)
      const batch = this.#take(Math.min(COMMIT_BATCH_MAX, share))
      await this.#commit(lane.connection, batch)
      // One commit has just ended: whoever it answered may be about to send the next.
      await new Promise((resolve) => setImmediate(resolve))
    }
    lane.busy = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** The oldest unit, and with it first those that lock the same accounts: they would only wait in another lane. */
  #take(limit: number): Pending[] {
    if (this.#lanes.length === 1) return this.#queue.splice(0, limit)
    const first = this.#queue[0]!.accounts[0]
    const same = this.#queue.filter((pending) => pending.accounts[0] === first)
    const rest = this.#queue.filter((pending) => pending.accounts[0] !== first)
    const batch = [...same, ...rest].slice(0, Math.max(limit, Math.min(same.length, COMMIT_BATCH_MAX)))
    const taken = new Set(batch)
    this.#queue = this.#queue.filter((pending) => !taken.has(pending))
    return batch.sort((a, b) => (a.accounts[0] ?? 0) - (b.accounts[0] ?? 0))
  }

  /**
   * First all units one after the other, without savepoints, as nearly always none fails. When one does, the transaction is rolled
   * back and the batch runs again, each unit behind a savepoint of its own.
   */
  async #commit(connection: Connection, batch: readonly Pending[]): Promise<void> {
    const failed: Failed[] = []
    try {
      const done = (await this.#runPlain(connection, batch)) ?? (await this.#runGuarded(connection, batch, failed))
      await connection.exec('commit')
      this.#settle(done, failed)
    } catch (error) {
      await connection.exec('rollback').catch(() => {})
      this.#abandon(batch, failed, error)
    }
  }

  #settle(done: readonly Outcome[], failed: readonly Failed[]): void {
    for (const { pending, error } of failed) pending.reject(error)
    const changes = done.flatMap((outcome) => outcome.changes)
    if (changes.length > 0) this.#committed(changes)
    for (const { pending, value } of done) pending.resolve(value)
  }

  /** null when a unit failed: all is rolled back. */
  async #runPlain(connection: Connection, batch: readonly Pending[]): Promise<Outcome[] | null> {
    const done: Outcome[] = []
    await connection.exec(this.#dialect.beginWrite)
    try {
      for (const pending of batch) done.push(await this.#work(connection, pending))
      return done
    } catch (error) {
      if (this.#endsBatch(error)) throw error
      await connection.exec('rollback')
      return null
    }
  }

  async #runGuarded(connection: Connection, batch: readonly Pending[], failed: Failed[]): Promise<Outcome[]> {
    const done: Outcome[] = []
    await connection.exec(this.#dialect.beginWrite)
    for (const pending of batch) {
      await connection.exec('savepoint unit')
      try {
        done.push(await this.#work(connection, pending))
      } catch (error) {
        if (this.#endsBatch(error)) throw error
        await connection.exec('rollback to savepoint unit')
        failed.push({ pending, error: this.#translate(error ?? new Error('failed')) })
      }
      await connection.exec('release savepoint unit')
    }
    return done
  }

  async #work(connection: Connection, pending: Pending): Promise<Outcome> {
    const unit = new UnitOfWork(sqlOver(connection, this.#dialect), this.#clock.now())
    await unit.lock(pending.accounts)
    const value = await pending.work(unit)
    return { pending, value, changes: await unit.finish() }
  }

  /** Whether no unit of the transaction can be saved. */
  #endsBatch(error: unknown): boolean {
    return this.#dialect.isRetryable(error) || this.#endsTransaction(error)
  }

  /** The transaction as a whole is gone: answer those that had failed by themselves, try the rest again or give up. */
  #abandon(batch: readonly Pending[], failed: readonly Failed[], error: unknown): void {
    const settled = new Set(failed.map(({ pending }) => pending))
    for (const { pending, error: own } of failed) pending.reject(own)
    const open = batch.filter((pending) => !settled.has(pending))
    if (this.#dialect.isRetryable(error)) {
      const again = open.filter((pending) => ++pending.attempts <= COMMIT_RETRIES)
      for (const pending of open) if (!again.includes(pending)) pending.reject(this.#translate(error))
      this.#queue.unshift(...again)
      return
    }
    const failure = this.#translate(error)
    if (isFailure(failure, 'storageUnavailable') && this.#dialect.kind === 'sqlite') this.#broken = failure
    for (const pending of open) pending.reject(failure)
  }

  #endsTransaction(error: unknown): boolean {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return code.startsWith('SQLITE_IOERR') || code === 'SQLITE_FULL' || code === 'SQLITE_CORRUPT' || code === '53100'
  }

  #translate(error: unknown): unknown {
    if (this.#dialect.isFull(error)) return new Failure('storageFull', 'the disk is full', { cause: error })
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const engine =
      /^(SQLITE_IOERR|SQLITE_CORRUPT|SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_NOTADB|SQLITE_BUSY|57P|08|ECONN|40)/
    if (engine.test(code))
      return new Failure('storageUnavailable', `the database failed: ${errorMessage(error)}`, { cause: error })
    return error
  }
}

interface Lane {
  readonly connection: Connection
  busy: boolean
}
