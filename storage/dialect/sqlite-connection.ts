import type Database from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { SQLITE_KEPT_STATEMENTS } from '../../server/base/limits.ts'
import type { Kept } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'
import type { Writer } from './dialect.ts'

/** A session over better-sqlite3: statements stay prepared, and nothing runs outside of a transaction that SQLite has ended. */
export class SqliteConnection implements Writer {
  readonly #database: Database.Database
  readonly #builder: Kysely<Tables>
  readonly #begin: string
  readonly #prepared = new Map<string, Database.Statement>()
  readonly #texts = new Map<string, Database.Statement>()
  #begun = false
  #kept: Kept = 'durable'
  /** What ended the transaction before its time. */
  #ended: unknown = null

  /** @param begin the statement that begins this session's transactions */
  constructor(database: Database.Database, builder: Kysely<Tables>, begin: 'begin' | 'begin immediate') {
    this.#database = database
    this.#builder = builder
    this.#begin = begin
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

  async begin(kept: Kept = 'durable'): Promise<void> {
    this.#ended = null
    if (kept !== this.#kept) {
      // In a write-ahead log a commit that is synced brings all before it to the disk. The pragma counts outside of transactions only.
      this.#database.pragma(`synchronous = ${kept === 'soon' ? 'NORMAL' : 'FULL'}`)
      this.#kept = kept
    }
    this.#text(this.#begin).run()
    this.#begun = true
  }

  async commit(): Promise<void> {
    this.#run(this.#text('commit'), [])
    this.#begun = false
  }

  async rollback(): Promise<void> {
    this.#begun = false
    if (!this.#database.inTransaction) return
    try {
      this.#text('rollback').run()
    } catch {
      // The next `begin` will say that this session is of no use.
    }
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  close(): void {
    this.#database.close()
  }

  #run(prepared: Database.Statement, parameters: readonly SqlValue[]): unknown[] {
    // SQLite rolls back by itself on some errors; what follows would be kept statement by statement.
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

  /** Texts repeat in a few shapes; the newest of them stay prepared. */
  #text(text: string): Database.Statement {
    let prepared = this.#texts.get(text)
    if (prepared) return prepared
    prepared = this.#prepare(text)
    if (this.#texts.size >= SQLITE_KEPT_STATEMENTS) this.#texts.delete(this.#texts.keys().next().value!)
    this.#texts.set(text, prepared)
    return prepared
  }

  /**
   * SQLite's planner looks at the value of a bare `limit ?`, and of a bare `= ?` where there is an order, and therefore compiles the
   * statement anew whenever it may have changed: at every run, since better-sqlite3 clears what was bound after each. It does not look
   * into an expression; the plus sign before a value does nothing.
   */
  #prepare(text: string): Database.Statement {
    const steady = text.replaceAll(/\blimit \?/g, 'limit cast(? as integer)').replaceAll(' = ?', ' = +?')
    return this.#database.prepare(steady)
  }
}
