import type Database from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { type Guard, UNGUARDED } from '../../server/base/guard.ts'
import { SQLITE_KEPT_STATEMENTS } from '../../server/base/limits.ts'
import type { Durability } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'
import type { Writer } from './dialect.ts'
import type { Checkpoints } from './sqlite-checkpoints.ts'

/** A session over better-sqlite3. Statements stay prepared, and no call of a transaction runs after SQLite has ended it. */
export class SqliteConnection implements Writer {
  readonly #database: Database.Database
  readonly #builder: Kysely<Tables>
  readonly #begin: string
  /** null: this session only reads. */
  readonly #checkpoints: Checkpoints | null
  readonly #prepared = new Map<string, Database.Statement>()
  readonly #texts = new Map<string, Database.Statement>()
  /** Is asked by statements that read many rows. */
  guard: Guard = UNGUARDED
  #begun = false
  #durability: Durability = 'durable'
  /** The error with which SQLite ended the transaction. */
  #ended: unknown = null

  /** @param begin the statement that begins transactions of this session */
  constructor(
    database: Database.Database,
    builder: Kysely<Tables>,
    begin: 'begin' | 'begin immediate',
    checkpoints: Checkpoints | null = null,
  ) {
    this.#checkpoints = checkpoints
    this.#database = database
    this.#builder = builder
    this.#begin = begin
    // better-sqlite3 has no sqlite3_interrupt: only a function that the statement calls can end it.
    database.function('go_on', () => {
      this.guard.check()
      return 1
    })
  }

  async all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    const compiled = statement.compiledFor(this.#builder)
    let prepared = this.#prepared.get(compiled.key)
    if (!prepared) {
      prepared = this.#prepare(compiled.sql)
      this.#prepared.set(compiled.key, prepared)
    }
    return this.#run(prepared, compiled.bind(parameters)) as R[]
  }

  async query<R>(query: Compilable<R>): Promise<R[]> {
    const { sql: text, parameters } = query.compile()
    return this.#run(this.#text(text), parameters as SqlValue[]) as R[]
  }

  async raw(text: string, parameters: readonly SqlValue[] = []): Promise<unknown[]> {
    return this.#run(this.#text(text), parameters)
  }

  async exec(text: string): Promise<void> {
    this.#run(this.#text(text), [])
  }

  async begin(durability: Durability = 'durable'): Promise<void> {
    this.#ended = null
    this.#checkpoints?.runIfDue()
    if (durability !== this.#durability) {
      // A synced commit syncs all earlier ones with it: they are in the same log. The pragma works only outside of transactions.
      this.#database.pragma(`synchronous = ${durability === 'deferred' ? 'NORMAL' : 'FULL'}`)
      this.#durability = durability
    }
    this.#text(this.#begin).run()
    this.#begun = true
  }

  async commit(): Promise<void> {
    this.#run(this.#text('commit'), [])
    this.#begun = false
    this.#checkpoints?.committed()
  }

  async rollback(): Promise<void> {
    this.#begun = false
    if (!this.#database.inTransaction) return
    try {
      this.#text('rollback').run()
    } catch {
      // The next `begin` fails if the session cannot be used any more.
    }
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  close(): void {
    this.#database.close()
  }

  #run(prepared: Database.Statement, parameters: readonly SqlValue[]): unknown[] {
    // SQLite rolls back by itself on some errors. Each later statement would be committed by itself.
    if (this.#ended !== null) throw this.#ended
    try {
      if (prepared.reader) return prepared.all(...parameters)
      prepared.run(...parameters)
      return []
    } catch (error) {
      if (this.#begun && !this.#database.inTransaction) this.#ended = error
      throw error
    }
  }

  /** Few different texts are used; the newest stay prepared. */
  #text(text: string): Database.Statement {
    let prepared = this.#texts.get(text)
    if (prepared) return prepared
    prepared = this.#prepare(text)
    if (this.#texts.size >= SQLITE_KEPT_STATEMENTS) this.#texts.delete(this.#texts.keys().next().value!)
    this.#texts.set(text, prepared)
    return prepared
  }

  /**
   * SQLite's planner uses the value that is bound to a plain `limit ?`, or to a plain `= ?` in a query with an order. It therefore
   * compiles the statement again when the value may have changed, which is at every run, since better-sqlite3 clears the bound values
   * after each. It does not use values in expressions. The plus sign before a value changes nothing else.
   */
  #prepare(text: string): Database.Statement {
    const steady = text.replaceAll(/\blimit \?/g, 'limit cast(? as integer)').replaceAll(' = ?', ' = +?')
    return this.#database.prepare(steady)
  }
}
