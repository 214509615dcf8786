import { Failure } from '../../server/base/errors.ts'
import { type Guard, UNGUARDED } from '../../server/base/guard.ts'
import { SQLITE_MAX_READERS } from '../../server/base/limits.ts'
import type { Connection } from './dialect.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** A pool of read connections. Each serves one reader at a time, whose transaction is one snapshot. */
export class SqliteReaders {
  readonly #open: () => SqliteConnection
  readonly #idle: SqliteConnection[] = []
  readonly #waiting: PromiseWithResolvers<SqliteConnection>[] = []
  #count = 0
  #closed: PromiseWithResolvers<void> | null = null

  constructor(open: () => SqliteConnection) {
    this.#open = open
  }

  async use<T>(use: (connection: Connection) => Promise<T>, guard: Guard = UNGUARDED): Promise<T> {
    if (this.#closed) throw new Failure('shuttingDown', 'the store is closed')
    const connection = this.#idle.pop() ?? (await this.#next())
    let isUsable = false
    try {
      await connection.begin()
      connection.guard = guard
      try {
        return await use(connection)
      } finally {
        connection.guard = UNGUARDED
        await connection.rollback()
        isUsable = !connection.inTransaction
      }
    } finally {
      this.#release(connection, isUsable)
    }
  }

  /** Resolves when the open readers have ended. Readers that wait for a connection are rejected. */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = Promise.withResolvers()
      for (const waiting of this.#waiting.splice(0)) waiting.reject(new Failure('shuttingDown', 'the store is closed'))
      for (const connection of this.#idle.splice(0)) this.#discard(connection)
      if (this.#count === 0) this.#closed.resolve()
    }
    return this.#closed.promise
  }

  #next(): SqliteConnection | Promise<SqliteConnection> {
    if (this.#count < SQLITE_MAX_READERS) {
      const connection = this.#open()
      this.#count++
      return connection
    }
    const waiting = Promise.withResolvers<SqliteConnection>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  #release(connection: SqliteConnection, isUsable: boolean): void {
    if (this.#closed || !isUsable) {
      this.#discard(connection)
      return
    }
    const waiting = this.#waiting.shift()
    if (waiting) waiting.resolve(connection)
    else this.#idle.push(connection)
  }

  #discard(connection: SqliteConnection): void {
    connection.close()
    this.#count--
    if (this.#closed) {
      if (this.#count === 0) this.#closed.resolve()
      return
    }
    // The next reader that waits gets a new connection.
    const waiting = this.#waiting.shift()
    if (!waiting) return
    try {
      const fresh = this.#open()
      this.#count++
      waiting.resolve(fresh)
    } catch (error) {
      waiting.reject(error)
    }
  }
}
