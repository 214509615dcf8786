/** One commit of several units of work. A unit that fails does not affect the others. */
import type { Clock } from '../server/base/clock.ts'
import type { Dialect, Writer } from './dialect/dialect.ts'
import type { CommittedChange, Durability, Unit } from './ports.ts'
import { lockAccount } from './repos/accounts.ts'
import { ScopedSql } from './scoped-sql.ts'
import { UnitOfWork } from './unit-of-work.ts'

export interface Work {
  /** Ascending. */
  readonly accounts: readonly number[]
  readonly run: (unit: Unit) => Promise<unknown>
  readonly durability: Durability
  /** Runs as one unit of work with its neighbours that are also batched. */
  readonly batched: boolean
}

export interface BatchResult<W extends Work> {
  readonly done: readonly { readonly work: W; readonly value: unknown }[]
  readonly changes: readonly CommittedChange[]
  /** Work that failed by itself. */
  readonly failed: readonly { readonly work: W; readonly error: unknown }[]
  /** Why the commit failed as a whole, in the words of the engine: then nothing was done, and the work that is not in `failed` is open. */
  readonly abort: { readonly error: unknown } | null
}

export class BatchRunner {
  readonly #dialect: Dialect
  readonly #clock: Clock
  readonly #locksFirst: boolean

  /** @param locksFirst other lanes or nodes lock rows of accounts at the same time */
  constructor(dialect: Dialect, clock: Clock, locksFirst: boolean) {
    this.#dialect = dialect
    this.#clock = clock
    this.#locksFirst = locksFirst
  }

  /**
   * Runs all work without savepoints, since nearly always none fails. When one fails, it rolls back the transaction and runs the batch
   * again with a savepoint before each. Never rejects.
   */
  async commit<W extends Work>(connection: Writer, batch: readonly W[]): Promise<BatchResult<W>> {
    const failed: { work: W; error: unknown }[] = []
    try {
      const outcomes =
        (await this.#runWithoutSavepoints(connection, batch)) ??
        (await this.#runWithSavepoints(connection, batch, failed))
      await connection.commit()
      return { done: outcomes, changes: outcomes.flatMap(({ changes }) => changes), failed, abort: null }
    } catch (error) {
      await connection.rollback()
      return { done: [], changes: [], failed, abort: { error } }
    }
  }

  /** null: one failed, and everything was rolled back. */
  async #runWithoutSavepoints<W extends Work>(connection: Writer, batch: readonly W[]) {
    const outcomes = []
    await this.#begin(connection, batch)
    try {
      for (let next = 0; next < batch.length; ) {
        const group = groupAt(batch, next)
        outcomes.push(...(await this.#run(connection, group)))
        next += group.length
      }
      return outcomes
    } catch (error) {
      if (this.#endsTransaction(connection, error)) throw error
      await connection.rollback()
      return null
    }
  }

  async #runWithSavepoints<W extends Work>(
    connection: Writer,
    batch: readonly W[],
    failed: { work: W; error: unknown }[],
  ) {
    const outcomes = []
    await this.#begin(connection, batch)
    for (const work of batch) {
      await connection.exec('savepoint unit')
      try {
        outcomes.push(...(await this.#run(connection, [work])))
      } catch (error) {
        if (this.#endsTransaction(connection, error)) throw error
        await connection.exec('rollback to savepoint unit')
        failed.push({ work, error: this.#dialect.failureOf(error) })
      }
      await connection.exec('release savepoint unit')
    }
    return outcomes
  }

  /** Locks all rows in ascending order, so that no two batches wait for each other. */
  async #begin(connection: Writer, batch: readonly Work[]): Promise<void> {
    await connection.begin(batch.every(({ durability }) => durability === 'deferred') ? 'deferred' : 'durable')
    if (!this.#locksFirst || batch.length === 1) return
    const accounts = new Set(batch.flatMap((work) => work.accounts))
    const sql = new ScopedSql(connection, this.#dialect)
    for (const account of [...accounts].sort((a, b) => a - b)) await lockAccount(sql, account)
  }

  /** Runs one, or several batched ones as one unit of work, which locks their accounts together and writes their changes once. */
  async #run<W extends Work>(connection: Writer, group: readonly W[]) {
    const sql = new ScopedSql(connection, this.#dialect)
    try {
      const unit = new UnitOfWork(sql, this.#clock.now())
      const outcomes: { work: W; value: unknown; changes: CommittedChange[] }[] = []
      for (const work of group) {
        await unit.lock(work.accounts)
        outcomes.push({ work, value: await work.run(unit), changes: [] })
      }
      outcomes.at(-1)!.changes.push(...(await unit.finish()))
      return outcomes
    } finally {
      sql.end()
    }
  }

  /** Whether nothing of the transaction can be committed after this error. */
  #endsTransaction(connection: Writer, error: unknown): boolean {
    return !connection.inTransaction || this.#dialect.isRetryable(error) || this.#dialect.isDiskFault(error)
  }
}

/** One, with its next neighbours if all of them are batched. */
function groupAt<W extends Work>(batch: readonly W[], first: number): readonly W[] {
  let end = first + 1
  if (batch[first]!.batched) while (batch[end]?.batched) end++
  return batch.slice(first, end)
}
