import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Guard } from '../../server/base/guard.ts'
import { POSTGRES_GUARD_MS } from '../../server/base/limits.ts'
import type { Tables } from '../schema/database.ts'
import { PostgresConnection } from './postgres-connection.ts'
import type { ReadingSession } from './postgres-reading.ts'

/** A session that reads under a guard: while a statement runs, the guard is asked, and the statement is cancelled when it refuses. */
export class GuardedConnection extends PostgresConnection {
  readonly #guard: Guard
  readonly #pool: pg.Pool
  readonly #session: ReadingSession

  /** @param pool has sessions that can cancel a statement of this one */
  constructor(session: ReadingSession, builder: Kysely<Tables>, guard: Guard, pool: pg.Pool) {
    super(() => session, builder)
    this.#session = session
    this.#guard = guard
    this.#pool = pool
  }

  protected override async run(query: pg.QueryConfig): Promise<pg.QueryResult> {
    let refusal: { readonly error: unknown } | null = null
    let cancelled: Promise<unknown> | null = null
    const timer = setInterval(() => {
      try {
        this.#guard.check()
      } catch (error) {
        refusal ??= { error }
        cancelled ??= this.#cancel()
      }
    }, POSTGRES_GUARD_MS)
    try {
      return await super.run(query)
    } catch (error) {
      throw (refusal as { readonly error: unknown } | null)?.error ?? error
    } finally {
      clearInterval(timer)
      // A cancellation that came late would hit the next statement.
      await cancelled
    }
  }

  async #cancel(): Promise<void> {
    try {
      await this.#pool.query('select pg_cancel_backend($1)', [await this.#session.process()])
    } catch {
      // The session or the server is lost: nothing runs there.
    }
  }
}
