/** Opens a store: the engine, its migrations, the blob store, the commit queue. */
import type { Clock } from '../server/base/clock.ts'
import type { BlobStore } from './blob-store.ts'
import { CommitQueue } from './commit-queue.ts'
import type { Bell, Dialect, Writer } from './dialect/dialect.ts'
import { migrate, requireNewestSchema } from './migrations/migrate.ts'
import type { CommittedChange, Kept, Moment, Reader, Store, Unit } from './ports.ts'
import { LentMoment } from './read-snapshot.ts'
import { LentSql } from './scoped-sql.ts'
import { StateMemo } from './state-memo.ts'

export interface StoreOptions {
  readonly dialect: Dialect
  readonly blobs: BlobStore
  readonly clock: Clock
  /** Without writers: for a thread that only reads. */
  readonly readOnly?: boolean
}

/** @throws Failure `configuration` (a newer schema, settings that cannot be), `storageUnavailable` (no database there) */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dialect } = options
  try {
    const lanes: Writer[] = []
    if (options.readOnly) await requireNewestSchema(dialect)
    else {
      for (let i = 0; i < dialect.writers; i++) lanes.push(await dialect.openWriter())
      await migrate(dialect, lanes[0]!)
    }
    return new OpenStore(options, lanes)
  } catch (error) {
    await dialect.close()
    throw dialect.failureOf(error)
  }
}

class OpenStore implements Store {
  readonly engine: Store['engine']
  readonly blobs: BlobStore
  readonly #dialect: Dialect
  readonly #memo = new StateMemo()
  readonly #queue: CommitQueue
  readonly #listeners = new Set<(changes: readonly CommittedChange[]) => void>()
  readonly #elsewhere = new Set<(changes: readonly CommittedChange[] | null) => void>()
  readonly #bell: Bell | null
  #closing: Promise<void> | null = null

  constructor({ dialect, blobs, clock }: StoreOptions, lanes: readonly Writer[]) {
    this.engine = dialect.kind
    this.blobs = blobs
    this.#dialect = dialect
    this.#bell =
      dialect.openBell?.((changes) => {
        for (const listener of this.#elsewhere) listener(changes)
      }) ?? null
    this.#queue = new CommitQueue(dialect, lanes, clock, (changes) => {
      this.#bell?.ring(changes)
      for (const listener of this.#listeners) listener(changes)
    })
  }

  async read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    try {
      return await this.#lend(use)
    } catch (error) {
      throw this.#dialect.failureOf(error)
    }
  }

  moment(): Moment {
    return new LentMoment(
      (use) => this.#lend(use),
      (error) => this.#dialect.failureOf(error),
    )
  }

  write<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>, kept: Kept = 'durable'): Promise<T> {
    return this.#queue.submit(accounts, work, { kept })
  }

  join<T>(accounts: readonly number[], work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.#queue.submit(accounts, work, { joins: true })
  }

  onCommit(listener: (changes: readonly CommittedChange[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onElsewhere(listener: (changes: readonly CommittedChange[] | null) => void): () => void {
    this.#elsewhere.add(listener)
    return () => this.#elsewhere.delete(listener)
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#queue.close()
      await this.#bell?.close()
      await this.#dialect.close()
      await this.blobs.close()
    })()
    return this.#closing
  }

  #lend<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#dialect.withReader(async (connection) => {
      const sql = new LentSql(connection, this.#dialect)
      try {
        return await use({ sql, memo: this.#memo })
      } finally {
        sql.end()
      }
    })
  }
}
