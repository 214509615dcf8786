/**
 * What the layers above see of storage: reading at one moment, writing in units of work, and what a commit did.
 * Nothing here names an engine; queries stand in repos/, which take a `Reader` or an `AccountUnit` and plain numbers.
 */
import type { BlobStore } from './blob-store.ts'
import type { StateMemo } from './state-memo.ts'
import type { Compilable, SqlValue, Statement } from './statement.ts'

/** Queries at one moment: what it sees does not change while it is open. */
export interface Reader {
  readonly sql: Sql
  /** What is remembered between reads; a unit of work has nothing of the kind. */
  readonly memo?: StateMemo
}

/** Reads that all see what was there when the first of them began. */
export interface Moment {
  read<T>(use: (reader: Reader) => Promise<T>): Promise<T>
  /** Gives back what it holds. A read after that begins another moment. */
  end(): Promise<void>
}

/** The part of a connection that repos use. */
export interface Sql {
  all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  query<R>(build: (db: QueryBuilder) => Compilable<R>): Promise<R[]>
  raw(sql: string, parameters?: readonly SqlValue[]): Promise<unknown[]>
  readonly engine: 'sqlite' | 'postgres'
}

export type QueryBuilder = import('kysely').Kysely<import('./schema/database.ts').Tables>

export type ChangeKind = 'c' | 'u' | 'd'

/** One account inside a unit of work: locked, so that its numbers and states are ours until the commit. */
export interface AccountUnit extends Reader {
  readonly account: number
  /** Of the organization it belongs to; its own number for an organization. */
  readonly organization: number
  /** Its row is kept so that its number is never used again; nothing may be put into it. */
  readonly isDeleted: boolean
  /** Epoch ms, the same for the whole unit. */
  readonly now: number
  /** A number for a new object of this account; never used before or again. */
  nextObject(): number
  /** Stages a row of the change log. `props`: names of the properties that changed, when known. */
  change(type: string, object: number, kind: ChangeKind, props?: readonly string[]): void
  /** Stages a new state of a type that has no objects to list, such as EmailDelivery. */
  mark(type: string): void
  /** After the commit listeners hear of this type as if it had changed here, though nothing has: for those that wait for a row. */
  ring(type: string): void
  /** Adds to the octets that the account's messages take. */
  addUsedBytes(delta: number): void
  readonly usedBytes: number
  /** After the unit of work has ended: the new state of a type that it changed. */
  committedState(type: string): number | undefined
}

/** What a commit did to an account: the newest sequence number of each type that changed. */
export interface CommittedChange {
  readonly account: number
  readonly kind: 'organization' | 'mailbox'
  readonly states: { readonly [type: string]: number }
}

/** When a commit is on the disk: before it is answered, or with the next one that is. */
export type Kept = 'durable' | 'soon'

export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  readonly blobs: BlobStore
  read<T>(use: (reader: Reader) => Promise<T>): Promise<T>
  /** Several reads at the same moment; its owner must end it. */
  moment(): Moment
  /**
   * Runs `work` in a transaction that holds the rows of `accounts`, together with others in one commit, and resolves after the
   * commit. `work` may run again on a new transaction, so it must not touch anything but the unit, and must not wait for the
   * network, parse or hash. Throwing rolls back this unit alone.
   * @param kept `soon`: what a power cut may undo, though no crash of the process does. Only for what nobody relies on then.
   */
  write<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>, kept?: Kept): Promise<T>
  /**
   * The same for work that has no use for a state of its own (`committedState`, a client's new state): what such units of one commit
   * change in an account gets one place in its change log, and its row is locked and written once for all of them.
   */
  join<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>): Promise<T>
  /** Calls `listener` after each commit of this process. Returns what stops it. */
  onCommit(listener: (changes: readonly CommittedChange[]) => void): () => void
  /**
   * Calls `listener` after commits of other processes on the same database, and with null when some may have gone unheard: then
   * everything is to be looked at anew. Only PostgreSQL has such a bell. Returns what stops it.
   */
  onElsewhere(listener: (changes: readonly CommittedChange[] | null) => void): () => void
  close(): Promise<void>
}

export interface Unit extends Reader {
  readonly now: number
  /** One of the accounts that were named. @throws NotLocked (not-locked.ts) */
  account(account: number): AccountUnit
  /** A new account, already locked. */
  createAccount(row: {
    kind: 'organization' | 'mailbox'
    organization: number | null
    name: string
  }): Promise<AccountUnit>
}
