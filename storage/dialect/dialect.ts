/** All that differs between the engines, and nothing else. Only `dialect/` and `search/` hold engine-specific SQL. */
import type { ColumnDataType, Kysely, RawBuilder } from 'kysely'
import type { CommittedChange, Kept } from '../ports.ts'
import type { Tables } from '../schema/tables.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'

/** One SQL session. Calls on it never overlap. */
export interface Connection {
  /** Rows of a prepared statement. */
  all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  /** Rows of a query built for this call. */
  query<R>(query: Compilable<R>): Promise<R[]>
  /** Rows of plain text with positional parameters, for the engine's own SQL. */
  raw(sql: string, parameters?: readonly SqlValue[]): Promise<unknown[]>
  /** One statement without parameters or rows. */
  exec(sql: string): Promise<void>
}

/**
 * A session that writes, one transaction after the other. When the engine ends a transaction by itself (the session is lost, the
 * disk is full), whatever is still asked of it fails: nothing may run outside of the transaction that it was meant for.
 */
export interface Writer extends Connection {
  /** Begins a transaction; the only call that opens a lost session anew. @param kept `soon`: it may be durable only with a later one */
  begin(kept?: Kept): Promise<void>
  /** Resolves once all is durable, unless that may come later. When it rejects, nothing was kept, or it is unknown (then the error is not retryable). */
  commit(): Promise<void>
  /** Gives the transaction up, if there is still one. Never rejects. */
  rollback(): Promise<void>
  /** False once the engine has ended the transaction by itself. */
  readonly inTransaction: boolean
}

/** Between the processes on one database. What it carries may be lost; then everybody is told to look again. */
export interface Bell {
  /** Tells the others what a commit changed. Never rejects, never waits. */
  ring(changes: readonly CommittedChange[]): void
  /** Says what is still to be said, if it can be said soon. */
  close(): Promise<void>
}

export type ColumnType = ColumnDataType | RawBuilder<unknown>

export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Compiles queries; never runs them. */
  readonly builder: Kysely<Tables>
  readonly column: { readonly int: ColumnType; readonly text: ColumnType; readonly bytes: ColumnType }
  /** Appended to a table that is its primary key. */
  readonly clusteredSuffix: string
  readonly migrationLock: string
  /** How many transactions may write side by side. */
  readonly writers: number
  /** Whether the same work may be tried again on a new transaction: nothing of it was kept. */
  isRetryable(error: unknown): boolean
  /** Whether it is unknown, after this, what the disk holds: nothing more may be accepted (promise D3). */
  isDiskFault(error: unknown): boolean
  /** What the engine says about itself as a Failure; anything else as it is. */
  failureOf(error: unknown): unknown
  /** Opens nothing yet where `begin` can. */
  openWriter(): Promise<Writer>
  /** Lends a read connection, in a transaction that sees one moment, for the time of `use`. */
  withReader<T>(use: (connection: Connection) => Promise<T>): Promise<T>
  /** Where several processes may write to one database. `heard` is given others' commits, or null when some may have gone unheard. */
  openBell?(heard: (changes: readonly CommittedChange[] | null) => void): Bell
  /** Waits for the readers that are lent. */
  close(): Promise<void>
}

/** The engine's own code of an error, '' without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
