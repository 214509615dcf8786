/** Opens a store: the engine, its migrations, the blob store, the commit queue. */
import type { Clock } from '../server/base/clock.ts'
import type { BlobStore } from './blob-store.ts'
import { CommitQueue } from './commit-queue.ts'
import type { Connection, Dialect } from './dialect/dialect.ts'
import { migrate } from './migrations/index.ts'
import type { CommittedChange, Store } from './ports.ts'
import { sqlOver } from './sql.ts'

export interface StoreOptions {
  readonly dialect: Dialect
  readonly blobs: BlobStore
  readonly clock: Clock
  /** Without writers: for a thread that only reads. */
  readonly readOnly?: boolean
}

export async function openStore({ dialect, blobs, clock, readOnly }: StoreOptions): Promise<Store> {
  const listeners = new Set<(changes: readonly CommittedChange[]) => void>()
  const lanes: Connection[] = []
  if (!readOnly) {
    for (let i = 0; i < dialect.writers; i++) lanes.push(await dialect.openWriter())
    await migrate(dialect, lanes[0]!)
  }
  const queue = new CommitQueue(dialect, lanes, clock, (changes) => {
    for (const listener of listeners) listener(changes)
  })
  let closing: Promise<void> | null = null
  return {
    engine: dialect.kind,
    blobs,
    read: (use) =>
      dialect.withReader(async (connection) => {
        await connection.exec(dialect.beginRead)
        try {
          return await use({ sql: sqlOver(connection, dialect) })
        } finally {
          await connection.exec('commit').catch(() => {})
        }
      }),
    write: (accounts, work) => queue.submit(accounts, work),
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closing ??= (async () => {
        await queue.drain()
        await dialect.close()
        await blobs.close()
      })()
      return closing
    },
  }
}
