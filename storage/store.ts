/** Opens a store: engine, migrations, commit queue, blob store. */
import type { Clock } from '../server/base/clock.ts'
import type { Failure } from '../server/base/errors.ts'
import type { Guard } from '../server/base/guard.ts'
import type { BlobStore } from './blob-store.ts'
import { CommitQueue } from './commit-queue.ts'
import type { Dialect, Notifier, Writer } from './dialect/dialect.ts'
import { type DiskSpace, ROOM_ELSEWHERE } from './disk-space.ts'
import { migrate, requireNewestSchema } from './migrations/migrate.ts'
import type { CommittedChange, Durability, Reader, ReadSnapshot, Store, Unit } from './ports.ts'
import { ScopedSnapshot } from './read-snapshot.ts'
import { ScopedSql } from './scoped-sql.ts'
import { SnapshotStates, StateMemo } from './state-memo.ts'

export interface StoreOptions {
  readonly dialect: Dialect
  readonly blobs: BlobStore
  readonly clock: Clock
  /** By default there is always room. */
  readonly space?: DiskSpace
  /** Called once when the disk of the database has failed: nothing is written any more (promise D3). */
  readonly onDiskFault?: (failure: Failure) => void
  /** Opens no writers: for a thread that only reads. */
  readonly readOnly?: boolean
}

/** @throws Failure `configuration` (data of another version, invalid settings), `storageUnavailable` (no database) */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dialect } = options
  try {
    const writers: Writer[] = []
    if (options.readOnly) await requireNewestSchema(dialect)
    else {
      for (let i = 0; i < dialect.writers; i++) writers.push(await dialect.openWriter())
      await migrate(dialect, writers[0]!)
    }
    return new OpenStore(options, writers)
  } catch (error) {
    await dialect.close()
    throw dialect.failureOf(error)
  }
}

class OpenStore implements Store {
  readonly engine: Store['engine']
  readonly blobs: BlobStore
  readonly #dialect: Dialect
  readonly #space: DiskSpace
  readonly #memo = new StateMemo()
  readonly #queue: CommitQueue
  readonly #listeners = new Set<(changes: readonly CommittedChange[]) => void>()
  readonly #remoteListeners = new Set<(changes: readonly CommittedChange[] | null) => void>()
  readonly #notifier: Notifier | null
  #closing: Promise<void> | null = null

  constructor(options: StoreOptions, writers: readonly Writer[]) {
    const { dialect, blobs, clock, readOnly, space = ROOM_ELSEWHERE, onDiskFault = () => {} } = options
    this.engine = dialect.kind
    this.blobs = blobs
    this.#dialect = dialect
    this.#space = space
    // Writers in this process are also notified of other commits.
    const hear = readOnly ? undefined : dialect.openNotifier
    this.#notifier =
      hear?.((changes) => {
        for (const listener of this.#remoteListeners) listener(changes)
      }) ?? null
    const onCommit = (changes: readonly CommittedChange[]) => {
      this.#notifier?.notify(changes)
      for (const listener of this.#listeners) listener(changes)
    }
    this.#queue = new CommitQueue(dialect, writers, clock, { onCommit, onDiskFault })
  }

  async read<T>(use: (reader: Reader) => Promise<T>, guard?: Guard): Promise<T> {
    try {
      return await this.#withReader(use, guard)
    } catch (error) {
      throw this.#dialect.failureOf(error)
    }
  }

  snapshot(guard?: Guard): ReadSnapshot {
    return new ScopedSnapshot(
      (use) => this.#withReader(use, guard),
      (error) => this.#dialect.failureOf(error),
    )
  }

  write<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>, durability?: Durability): Promise<T> {
    return this.#queue.submit(accounts, work, { ...(durability && { durability }) })
  }

  writeBatched<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.#queue.submit(accounts, work, { batched: true })
  }

  writeInBackground<T>(
    accounts: readonly number[],
    work: (unit: Unit) => Promise<T>,
    durability: Durability = 'deferred',
  ): Promise<T> {
    return this.#queue.submit(accounts, work, { durability, isBackground: true })
  }

  onCommit(listener: (changes: readonly CommittedChange[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onRemoteCommit(listener: (changes: readonly CommittedChange[] | null) => void): () => void {
    this.#remoteListeners.add(listener)
    return () => this.#remoteListeners.delete(listener)
  }

  hasRoom(bytes: number): boolean {
    return this.#space.hasRoom(bytes)
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#queue.close()
      await this.#notifier?.close()
      await this.#dialect.close()
      await this.blobs.close()
    })()
    return this.#closing
  }

  #withReader<T>(use: (reader: Reader) => Promise<T>, guard?: Guard): Promise<T> {
    return this.#dialect.withReader(async (connection) => {
      const sql = new ScopedSql(connection, this.#dialect)
      try {
        return await use({ sql, memo: new SnapshotStates(this.#memo) })
      } finally {
        sql.end()
      }
    }, guard)
  }
}
