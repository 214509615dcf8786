/**
 * Group commit without a timer: while one commit runs, the next batch collects; every waiter is answered after its COMMIT
 * (spec/measured.md, Group commit). On SQLite there is one lane; on PostgreSQL several, each with its own session.
 * A unit that fails, fails alone. After a disk fault nothing more is accepted: what the disk holds is then unknown
 * (promise D3).
 */
import type { Clock } from '../server/base/clock.ts'
import { Failure } from '../server/base/errors.ts'
import { COMMIT_BATCH_MAX, COMMIT_RETRIES } from '../server/base/limits.ts'
import type { Dialect, Writer } from './dialect/dialect.ts'
import type { CommittedChange, Kept, Unit } from './ports.ts'
import { lockAccount } from './repos/accounts.ts'
import { LentSql } from './sql.ts'
import { UnitOfWork } from './unit-of-work.ts'

interface Pending {
  /** Ascending. */
  readonly accounts: readonly number[]
  readonly work: (unit: Unit) => Promise<unknown>
  readonly kept: Kept
  readonly joins: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
}

interface Lane {
  readonly connection: Writer
  /** What it is committing. */
  batch: readonly Pending[]
}

type Failed = { pending: Pending; error: unknown }
type Outcome = { readonly pending: Pending; readonly value: unknown; readonly changes: CommittedChange[] }

export class CommitQueue {
  readonly #dialect: Dialect
  readonly #clock: Clock
  readonly #committed: (changes: readonly CommittedChange[]) => void
  readonly #lanes: readonly Lane[]
  #queue: Pending[] = []
  #scheduled = false
  /** Why nothing is accepted any more. */
  #refusing: Failure | null = null
  #idle: (() => void)[] = []

  /** @param committed is told what each commit changed, before those who wait for it are */
  constructor(
    dialect: Dialect,
    lanes: readonly Writer[],
    clock: Clock,
    committed: (changes: readonly CommittedChange[]) => void,
  ) {
    this.#dialect = dialect
    this.#clock = clock
    this.#committed = committed
    this.#lanes = lanes.map((connection) => ({ connection, batch: [] }))
    if (lanes.length === 0) this.#refusing = new Failure('configuration', 'this store is for reading only')
  }

  submit<T>(
    accounts: readonly number[],
    work: (unit: Unit) => Promise<T>,
    { kept = 'durable', joins = false }: { readonly kept?: Kept; readonly joins?: boolean } = {},
  ): Promise<T> {
    if (this.#refusing) return Promise.reject(this.#refusing)
    return new Promise<T>((resolve, reject) => {
      const ascending = [...new Set(accounts)].sort((a, b) => a - b)
      const settle = { resolve: resolve as (v: unknown) => void, reject }
      this.#queue.push({ accounts: ascending, work, kept, joins, ...settle, attempts: 0 })
      this.#schedule()
    })
  }

  /** Takes nothing more; resolves when all that was taken has been answered. */
  async close(): Promise<void> {
    this.#refusing ??= new Failure('shuttingDown', 'the store is closed')
    while (this.#queue.length > 0 || this.#lanes.some(({ batch }) => batch.length > 0))
      await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** At the end of this turn of the event loop, so that all that came in with one poll shares one commit. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      for (const lane of this.#lanes) if (lane.batch.length === 0) this.#start(lane)
      if (this.#lanes.every(({ batch }) => batch.length === 0)) for (const resolve of this.#idle.splice(0)) resolve()
    })
  }

  #start(lane: Lane): void {
    lane.batch = this.#take()
    if (lane.batch.length === 0) return
    void this.#commit(lane.connection, lane.batch).finally(() => {
      lane.batch = []
      // One commit has just ended: whoever it answered may be about to send the next.
      this.#schedule()
    })
  }

  /**
   * The oldest units that can go now. An account is in one lane at a time: in another its units would only wait for the row, and
   * so would all that share their commit.
   */
  #take(): readonly Pending[] {
    if (this.#lanes.length === 1) return this.#queue.splice(0, COMMIT_BATCH_MAX)
    const share = Math.ceil(this.#queue.length / this.#lanes.length)
    const taken = new Set(this.#lanes.flatMap(({ batch }) => batch.flatMap(({ accounts }) => accounts)))
    const own = new Set<number>()
    const batch: Pending[] = []
    const rest: Pending[] = []
    for (const pending of this.#queue) {
      const { accounts } = pending
      const room = batch.length < share || (accounts.length > 0 && accounts.every((account) => own.has(account)))
      if (batch.length < COMMIT_BATCH_MAX && room && !accounts.some((account) => taken.has(account))) {
        batch.push(pending)
        for (const account of accounts) own.add(account)
      } else {
        rest.push(pending)
        // Nor may younger units of the same accounts overtake it.
        for (const account of accounts) taken.add(account)
      }
    }
    this.#queue = rest
    return batch
  }

  /**
   * First all units one after the other, without savepoints, as nearly always none fails. When one does, the transaction is rolled
   * back and the batch runs again, each unit behind a savepoint of its own.
   */
  async #commit(connection: Writer, batch: readonly Pending[]): Promise<void> {
    const failed: Failed[] = []
    let done: Outcome[]
    try {
      done = (await this.#runPlain(connection, batch)) ?? (await this.#runGuarded(connection, batch, failed))
      await connection.commit()
    } catch (error) {
      await connection.rollback()
      this.#abandon(batch, failed, error)
      return
    }
    this.#tell(done.flatMap(({ changes }) => changes))
    for (const { pending, error } of failed) pending.reject(error)
    for (const { pending, value } of done) pending.resolve(value)
  }

  #tell(changes: readonly CommittedChange[]): void {
    if (changes.length === 0) return
    try {
      this.#committed(changes)
    } catch (error) {
      // A bell that fails must not turn what is durable into a failure.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  /** null when a unit failed: all is rolled back. */
  async #runPlain(connection: Writer, batch: readonly Pending[]): Promise<Outcome[] | null> {
    const done: Outcome[] = []
    await this.#begin(connection, batch)
    try {
      for (let next = 0; next < batch.length; ) {
        const joined = joinedFrom(batch, next)
        done.push(...(await this.#work(connection, joined)))
        next += joined.length
      }
      return done
    } catch (error) {
      if (this.#endsBatch(connection, error)) throw error
      await connection.rollback()
      return null
    }
  }

  async #runGuarded(connection: Writer, batch: readonly Pending[], failed: Failed[]): Promise<Outcome[]> {
    const done: Outcome[] = []
    await this.#begin(connection, batch)
    for (const pending of batch) {
      await connection.exec('savepoint unit')
      try {
        done.push(...(await this.#work(connection, [pending])))
      } catch (error) {
        if (this.#endsBatch(connection, error)) throw error
        await connection.exec('rollback to savepoint unit')
        failed.push({ pending, error: this.#dialect.failureOf(error) })
      }
      await connection.exec('release savepoint unit')
    }
    return done
  }

  /** Takes all rows in ascending order, where other lanes and nodes take some too: so that no two wait for each other. */
  async #begin(connection: Writer, batch: readonly Pending[]): Promise<void> {
    await connection.begin(batch.every(({ kept }) => kept === 'soon') ? 'soon' : 'durable')
    if (this.#lanes.length === 1 || batch.length === 1) return
    const accounts = new Set(batch.flatMap((pending) => pending.accounts))
    const sql = new LentSql(connection, this.#dialect)
    for (const account of [...accounts].sort((a, b) => a - b)) await lockAccount(sql, account)
  }

  /** One unit, or several that join: they hold their accounts together, and what they changed is written once. */
  async #work(connection: Writer, joined: readonly Pending[]): Promise<Outcome[]> {
    const sql = new LentSql(connection, this.#dialect)
    try {
      const unit = new UnitOfWork(sql, this.#clock.now())
      const outcomes: Outcome[] = []
      for (const pending of joined) {
        await unit.lock(pending.accounts)
        outcomes.push({ pending, value: await pending.work(unit), changes: [] })
      }
      outcomes.at(-1)!.changes.push(...(await unit.finish()))
      return outcomes
    } finally {
      sql.end()
    }
  }

  /** Whether no unit of the transaction can be saved. */
  #endsBatch(connection: Writer, error: unknown): boolean {
    return !connection.inTransaction || this.#dialect.isRetryable(error) || this.#dialect.isDiskFault(error)
  }

  /** The transaction as a whole is gone: answer those that had failed by themselves, try the rest again or give up. */
  #abandon(batch: readonly Pending[], failed: readonly Failed[], error: unknown): void {
    const settled = new Set(failed.map(({ pending }) => pending))
    for (const { pending, error: own } of failed) pending.reject(own)
    const open = batch.filter((pending) => !settled.has(pending))
    const failure = this.#dialect.failureOf(error)
    const again = this.#dialect.isRetryable(error) ? open.filter(({ attempts }) => attempts < COMMIT_RETRIES) : []
    for (const pending of open) if (!again.includes(pending)) pending.reject(failure)
    for (const pending of again) pending.attempts++
    this.#queue.unshift(...again)
    if (this.#dialect.isDiskFault(error)) this.#refuse(failure as Failure)
  }

  #refuse(failure: Failure): void {
    this.#refusing = failure
    for (const pending of this.#queue.splice(0)) pending.reject(failure)
  }
}

function joinedFrom(batch: readonly Pending[], first: number): readonly Pending[] {
  let end = first + 1
  if (batch[first]!.joins) while (batch[end]?.joins) end++
  return batch.slice(first, end)
}
