/**
 * The writing session. The server or the network may end it at any time. All further calls of the open transaction fail then, and only
 * the next `begin` opens a new session. If a session were opened in between, each later statement of the transaction would be
 * committed by itself, and `commit` would succeed with nothing to commit.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { errorMessage, Failure } from '../../server/base/errors.ts'
import {
  POSTGRES_OUTCOME_MS,
  POSTGRES_PAUSE_MAX_MS,
  POSTGRES_PAUSE_MS,
  POSTGRES_RECONNECT_MS,
} from '../../server/base/limits.ts'
import type { Tables } from '../schema/database.ts'
import type { Writer } from './dialect.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { isLoss, SessionLost } from './postgres-errors.ts'

export class PostgresWriter extends PostgresConnection implements Writer {
  readonly #connect: () => Promise<pg.Client>
  #client: pg.Client | null = null
  /** The server's number of the open transaction. */
  #transaction: string | null = null

  /** @param connect opens a session that is ready for queries */
  constructor(connect: () => Promise<pg.Client>, builder: Kysely<Tables>) {
    super(() => this.#current(), builder)
    this.#connect = connect
  }

  async begin(): Promise<void> {
    this.#transaction = null
    const had = this.#client !== null
    try {
      await this.#start()
    } catch (error) {
      // A session that was open since the last transaction may have been lost unnoticed. The loss of a new session is an error.
      if (!had || !(error instanceof SessionLost)) throw error
      await this.#start()
    }
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction
    // If the session was lost before COMMIT was sent, nothing was committed: this throws.
    this.#current()
    try {
      const { command } = await this.run({ text: 'commit' })
      // In a failed transaction COMMIT rolls back, which only the command tag shows.
      if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
    } catch (error) {
      if (!(error instanceof SessionLost) || (await this.#outcomeOf(transaction!)) === 'aborted') throw error
    } finally {
      this.#transaction = null
    }
  }

  async rollback(): Promise<void> {
    const open = this.#transaction !== null && this.#client !== null
    this.#transaction = null
    if (!open) return
    try {
      await this.run({ text: 'rollback' })
    } catch {
      // A session that cannot roll back is not used again.
      this.#drop()
    }
  }

  get inTransaction(): boolean {
    return this.#transaction !== null && this.#client !== null
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {})
    this.#client = null
  }

  protected override async run(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = this.#client
    try {
      return await super.run(query)
    } catch (error) {
      if (!isLoss(error)) throw error
      if (client === this.#client) this.#drop()
      throw error instanceof SessionLost ? error : new SessionLost(errorMessage(error), { cause: error })
    }
  }

  async #start(): Promise<void> {
    if (!this.#client) await retryWhileLost(POSTGRES_RECONNECT_MS, () => this.#open())
    // After a lost session, the number shows whether its COMMIT was carried out.
    const text = 'begin; select pg_current_xact_id()::text as id'
    const results = (await this.run({ text })) as unknown as pg.QueryResult<{ id: string }>[]
    this.#transaction = results[1]!.rows[0]!.id
  }

  async #open(): Promise<void> {
    const client = await this.#connect()
    const forget = () => {
      if (this.#client === client) this.#client = null
    }
    client.on('error', forget)
    client.on('end', forget)
    this.#client = client
  }

  #current(): pg.Client {
    if (this.#client === null) throw new SessionLost('the session with the database was lost')
    return this.#client
  }

  #drop(): void {
    const client = this.#client
    this.#client = null
    client?.end().catch(() => {})
  }

  /** Outcome of a transaction whose COMMIT was sent and not answered. */
  async #outcomeOf(transaction: string): Promise<'committed' | 'aborted'> {
    try {
      return await retryWhileLost(POSTGRES_OUTCOME_MS, async () => {
        if (!this.#client) await this.#open()
        const result = await this.run({
          text: 'select pg_xact_status($1::text::xid8) as status',
          values: [transaction],
        })
        const { status } = result.rows[0] as { status: string | null }
        if (status === 'committed' || status === 'aborted') return status
        // In progress: the server has not noticed the loss of the old session yet.
        throw new SessionLost(`transaction ${transaction} is ${status ?? 'forgotten'}`)
      })
    } catch (error) {
      const message = `it is unknown whether the last commit was carried out: ${errorMessage(error)}`
      throw new Failure('storageUnavailable', message, { cause: error })
    }
  }
}

/** Retries while sessions are lost, until the time is over. It goes by the system's clock, since the other machine does. */
async function retryWhileLost<T>(ms: number, attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + ms
  for (let wait = POSTGRES_PAUSE_MS; ; wait = Math.min(2 * wait, POSTGRES_PAUSE_MAX_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLoss(error) || performance.now() + wait > end) throw error
      await pause(wait)
    }
  }
}
