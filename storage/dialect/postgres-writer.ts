/**
 * The writing session. The server, or the network, may end it at any moment: then everything that is asked of the transaction under
 * way fails, and only the next `begin` opens a session anew. Were one opened in between, the rest of the transaction would be kept
 * statement by statement, and its `commit` would succeed with nothing to commit.
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
  /** The server's number of the transaction under way. */
  #transaction: string | null = null

  /** @param connect gives a session that is ready for queries */
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
      // What was kept open since the last time may have been cut unnoticed. A fresh session that fails is another matter.
      if (!had || !(error instanceof SessionLost)) throw error
      await this.#start()
    }
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction
    // With the session gone before the word was given, there is nothing to ask: this rejects at once.
    this.#current()
    try {
      const { command } = await this.run({ text: 'commit' })
      // In a transaction that has failed, COMMIT rolls back and says so only here.
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
      // A session that cannot even do this is not used again.
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
    if (!this.#client) await patiently(POSTGRES_RECONNECT_MS, () => this.#open())
    // The number is what tells, after a lost session, whether its commit had been carried out.
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

  /** What became of a transaction whose commit was asked for and never answered. */
  async #outcomeOf(transaction: string): Promise<'committed' | 'aborted'> {
    try {
      return await patiently(POSTGRES_OUTCOME_MS, async () => {
        if (!this.#client) await this.#open()
        const result = await this.run({
          text: 'select pg_xact_status($1::text::xid8) as status',
          values: [transaction],
        })
        const { status } = result.rows[0] as { status: string | null }
        if (status === 'committed' || status === 'aborted') return status
        // In progress: the old session has not noticed yet that nobody listens.
        throw new SessionLost(`transaction ${transaction} is ${status ?? 'forgotten'}`)
      })
    } catch (error) {
      const message = `whether the last commit was carried out is unknown: ${errorMessage(error)}`
      throw new Failure('storageUnavailable', message, { cause: error })
    }
  }
}

/** Tries until it succeeds, fails with more than a lost session, or the time is over. The clock is the other machine's, so it is the real one. */
async function patiently<T>(ms: number, attempt: () => Promise<T>): Promise<T> {
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
