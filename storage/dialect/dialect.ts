/** Everything that differs between the engines. Only `dialect/`, `search/` and migrations of the search index hold engine-specific SQL. */
import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Guard } from '../../server/base/guard.ts'
import type { CommittedChange, Durability } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'

/** One SQL session. Calls on it never overlap. */
export interface Connection {
  /** Rows of a prepared statement. */
  all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  /** Rows of a query that was built for this call. */
  query<R>(query: Compilable<R>): Promise<R[]>
  /** Rows of SQL text with positional parameters, in the engine's own SQL. */
  raw(sql: string, parameters?: readonly SqlValue[]): Promise<unknown[]>
  /** One statement without parameters or rows. */
  exec(sql: string): Promise<void>
}

/**
 * A session that writes, one transaction after the other. When the engine ends a transaction by itself (the session is lost, the disk
 * is full), all further calls of that transaction fail: none of them may run outside of it.
 */
export interface Writer extends Connection {
  /** Begins a transaction. It is the only call that opens a lost session again. */
  begin(durability?: Durability): Promise<void>
  /** Resolves once the transaction is as durable as `begin` asked for. When it rejects, nothing was committed, or that is unknown (then the error is not retryable). */
  commit(): Promise<void>
  /** Rolls the transaction back if it is still open. Never rejects. */
  rollback(): Promise<void>
  /** False once the engine has ended the transaction by itself. */
  readonly inTransaction: boolean
}

/** Notifications between the processes on one database. Some may be lost; the receiver is then called with null. */
export interface Notifier {
  /** Sends what a commit changed to the other processes. Never rejects, never waits. */
  notify(changes: readonly CommittedChange[]): void
  /** Sends unsent notifications, if that is possible soon. */
  close(): Promise<void>
}

export interface Dialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Compiles queries; never runs them. */
  readonly builder: Kysely<Tables>
  /** The engine's words for those of migrations (storage/migrations/migration.ts). */
  readonly schemaWords: { readonly [word in 'int' | 'text' | 'bytes' | 'clustered']: string }
  readonly migrationLock: string
  /** How many transactions can write at the same time. */
  readonly writers: number
  /** Whether the same work may run again in a new transaction, since nothing of it was committed. */
  isRetryable(error: unknown): boolean
  /** Whether the content of the disk is unknown after this error: then nothing more may be accepted (promise D3). */
  isDiskFault(error: unknown): boolean
  /** An error of the engine as a Failure; any other error as it is. */
  failureOf(error: unknown): unknown
  /** Need not open the session yet where `begin` can. */
  openWriter(): Promise<Writer>
  /**
   * Calls `use` with a read connection in a transaction that reads one snapshot.
   * @param guard ends statements that run, by its own error
   */
  withReader<T>(use: (connection: Connection) => Promise<T>, guard?: Guard): Promise<T>
  /** As in storage/ports.ts. */
  mayGoOn(row: string): RawBuilder<SqlBool>
  /**
   * Present where several processes may write to one database. `onRemoteCommit` is called with the commits of others, or with null when
   * some may have been missed.
   */
  openNotifier?(onRemoteCommit: (changes: readonly CommittedChange[] | null) => void): Notifier
  /** Waits for the readers that are open. */
  close(): Promise<void>
}

/** The engine's own code of an error; '' without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
