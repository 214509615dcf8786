/**
 * The interface of storage for the layers above: reading a snapshot, writing in units of work, and the changes that a commit made.
 * Nothing here names an engine. Queries are in repos/, which take a `Reader` or an `AccountUnit` and plain numbers.
 */
import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Guard } from '../server/base/guard.ts'
import type { BlobStore } from './blob-store.ts'
import type { Tables } from './schema/database.ts'
import type { SnapshotStates } from './state-memo.ts'
import type { Compilable, SqlValue, Statement } from './statement.ts'

/** Reads one snapshot: what it sees does not change while it is open. */
export interface Reader {
  readonly sql: Sql
  /** States that earlier reads looked up. A unit of work has none, since its own changes have no numbers yet. */
  readonly memo?: SnapshotStates
}

/** Several reads of one snapshot, which the first of them opens. */
export interface ReadSnapshot {
  read<T>(use: (reader: Reader) => Promise<T>): Promise<T>
  /** Closes the snapshot. A later read opens another one. */
  end(): Promise<void>
}

/** The part of a connection that repos use. */
export interface Sql {
  all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  query<R>(build: (db: QueryBuilder) => Compilable<R>): Promise<R[]>
  raw(sql: string, parameters?: readonly SqlValue[]): Promise<unknown[]>
  /**
   * A condition that is always true, for queries that may read many rows: by it the guard of the read can end the statement.
   * @param row a column with a number that differs from row to row, such as `email.id`
   */
  mayGoOn(row: string): RawBuilder<SqlBool>
  readonly engine: 'sqlite' | 'postgres'
}

export type QueryBuilder = Kysely<Tables>

/** Created, updated, destroyed. */
export type ChangeKind = 'c' | 'u' | 'd'

/** One account in a unit of work. It is locked: nothing else changes its numbers and states before the commit. */
export interface AccountUnit extends Reader {
  readonly account: number
  /** Number of the account's organization; of an organization its own number. */
  readonly organization: number
  /** The account was deleted. Its row stays, so that its number is not used again, but nothing may be added to it. */
  readonly isDeleted: boolean
  /** Epoch ms, the same for the whole unit. */
  readonly now: number
  /** Sequence number of the account's newest change before the unit. */
  readonly seq: number
  /** Number for a new object of this account, which is never used again. */
  nextObject(): number
  /** Stages a row of the change log. `props`: names of the changed properties, when known. */
  change(type: string, object: number, kind: ChangeKind, props?: readonly string[]): void
  /** Stages a new state of a type whose objects are not in the change log, such as EmailDelivery. */
  advanceState(type: string): void
  /** From the commit on, changes of the type since earlier states cannot be calculated: objects are gone that the change log does not name yet. */
  endHistory(type: string): void
  /** Reports the type to commit listeners as if it had changed, though it has not. It wakes workers that wait for a row. */
  notify(type: string): void
  /** Adds to the octets of the account's messages. */
  addUsedBytes(delta: number): void
  readonly usedBytes: number
  /** The new state of a type that the unit of work changed, once it has been committed. */
  committedState(type: string): number | undefined
}

/** What a commit changed in an account: the newest sequence number of each changed type. */
export interface CommittedChange {
  readonly account: number
  readonly kind: 'organization' | 'mailbox'
  readonly states: { readonly [type: string]: number }
}

/** When a commit is on disk: before it is answered, or together with the next `durable` one. */
export type Durability = 'durable' | 'deferred'

export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  readonly blobs: BlobStore
  /** @param guard is asked while statements run */
  read<T>(use: (reader: Reader) => Promise<T>, guard?: Guard): Promise<T>
  /** The caller must end it. @param guard is asked while statements run */
  snapshot(guard?: Guard): ReadSnapshot
  /**
   * Runs `work` in a transaction that locks the rows of `accounts`, in one commit with other units of work, and resolves after the
   * commit. `work` may run again in another transaction, so it must change nothing but the unit; it holds the locks, so it must not
   * wait for the network, parse or hash. When it throws, only this unit is rolled back.
   * @param durability `deferred`: a power failure may undo the commit, a crash of the process does not
   */
  write<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>, durability?: Durability): Promise<T>
  /**
   * Like `write`, for work that needs no state of its own (`committedState`). Such units of one commit run as one: each account's row
   * is locked and written once, and changes of the same object are one row of the change log.
   */
  writeBatched<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>): Promise<T>
  /**
   * Like `write`, for work that nobody waits for: it is committed by itself, when no other unit of work waits. Where others come without an end,
   * one is committed after each BACKGROUND_AFTER_COMMITS of them.
   * @param durability `deferred` by default
   */
  writeInBackground<T>(
    accounts: readonly number[],
    work: (unit: Unit) => Promise<T>,
    durability?: Durability,
  ): Promise<T>
  /** Calls `listener` after each commit of this process. Returns a function that removes it. */
  onCommit(listener: (changes: readonly CommittedChange[]) => void): () => void
  /**
   * Calls `listener` after commits of other processes on the same database, or with null when some may have been missed: anything may
   * have changed then. Only PostgreSQL has such notifications. Returns a function that removes it.
   */
  onRemoteCommit(listener: (changes: readonly CommittedChange[] | null) => void): () => void
  /** Whether `bytes` octets of content may be added: a reserve of the disk stays free (promise D4). */
  hasRoom(bytes: number): boolean
  close(): Promise<void>
}

export interface Unit extends Reader {
  readonly now: number
  /** One of the locked accounts. @throws NotLocked (not-locked.ts) */
  account(account: number): AccountUnit
  /** A new account, locked from the start. `organization` null: it is its own organization. */
  createAccount(row: {
    kind: 'organization' | 'mailbox'
    organization: number | null
    name: string
  }): Promise<AccountUnit>
}
