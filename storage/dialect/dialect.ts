/** All that differs between the engines, and nothing else. Only `dialect/` and `search/` hold engine-specific SQL. */
import type { ColumnDataType, Kysely, RawBuilder } from 'kysely'
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

export type ColumnType = ColumnDataType | RawBuilder<unknown>

export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Compiles queries; never runs them. */
  readonly builder: Kysely<Tables>
  readonly column: { readonly int: ColumnType; readonly text: ColumnType; readonly bytes: ColumnType }
  /** Appended to a table that is its primary key. */
  readonly clusteredSuffix: string
  readonly beginWrite: string
  readonly beginRead: string
  readonly migrationLock: string
  /** `for update skip locked`, where writers run side by side. */
  readonly claimSuffix: string
  /** Tables of the search index, made with the first migration. */
  readonly searchTables: readonly string[]
  /** How many transactions may write side by side. */
  readonly writers: number
  /** Whether the same work may be tried again on a new transaction. */
  isRetryable(error: unknown): boolean
  isUniqueViolation(error: unknown): boolean
  /** The disk (or quota) is full. */
  isFull(error: unknown): boolean
  openWriter(): Promise<Connection>
  /** Lends a read connection for the time of `use`. */
  withReader<T>(use: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}
