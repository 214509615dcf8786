import type pg from 'pg'
import { POSTGRES_POOL_SIZE } from '../../server/base/limits.ts'
import { isLoss } from './postgres-errors.ts'

const BEGIN = 'begin isolation level repeatable read read only'

/**
 * A transaction that reads one snapshot. It begins together with its first statement, and nobody waits for its end: each round trip to
 * the server takes as long as a statement.
 */
export class ReadingSession {
  readonly #pool: pg.Pool
  #client: Promise<pg.PoolClient> | null = null

  /** @param pool of clients that send statements without waiting for earlier ones */
  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#client) return (await this.#client).query(query)
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    this.#client = promise
    // Nobody may be waiting for it.
    promise.catch(() => {})
    try {
      const { client, result } = await this.#begin(query)
      resolve(client)
      return await result
    } catch (error) {
      reject(error)
      throw error
    }
  }

  /** The server's number of the session; null: there is none yet. */
  async process(): Promise<number | null> {
    const client = await this.#client
    // Sent by the server when the session began (BackendKeyData); the types of pg leave it out.
    return client ? (client as unknown as { readonly processID: number }).processID : null
  }

  end(): void {
    this.#client?.then(
      (client) =>
        // A client that cannot end its transaction is not used again.
        client.query('commit').then(
          () => client.release(),
          () => client.release(true),
        ),
      // It never began.
      () => {},
    )
  }

  /** Clients of the pool that turn out to be lost are discarded. */
  async #begin(query: pg.QueryConfig): Promise<{ client: pg.PoolClient; result: Promise<pg.QueryResult> }> {
    for (let left = POSTGRES_POOL_SIZE; ; left--) {
      const client = await this.#pool.connect()
      const begun = client.query(BEGIN)
      const result = client.query(query)
      // It fails too when the transaction does not begin.
      result.catch(() => {})
      try {
        await begun
        return { client, result }
      } catch (error) {
        client.release(true)
        if (left === 0 || !isLoss(error)) throw error
      }
    }
  }
}
