/** Stores for tests on both engines: `forEachEngine(t, ...)` runs the same behaviours on SQLite and on PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import type { BlobStore } from '../../storage/blob-store.ts'
import { openPostgres } from '../../storage/dialect/postgres.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import type { Store } from '../../storage/ports.ts'
import { openStore } from '../../storage/store.ts'
import { memoryBlobs } from './memory-blobs.ts'
import { freshDatabase, stopOwnPostgres } from './postgres.ts'

export type EngineName = 'sqlite' | 'postgres'

export interface TestStore {
  readonly store: Store
  readonly clock: ManualClock
  readonly engine: EngineName
}

/** A fresh store that is closed and removed after the test `t`. */
export async function freshStore(t: Test, engine: EngineName, blobs: BlobStore = memoryBlobs()): Promise<TestStore> {
  const clock = new ManualClock()
  if (engine === 'postgres') {
    const { url, drop } = await freshDatabase()
    const store = await openStore({ dialect: openPostgres({ url }), blobs, clock })
    t.teardown(async () => {
      await store.close()
      await drop()
    })
    return { store, clock, engine }
  }
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  const store = await openStore({ dialect: openSqlite({ file: join(folder, 'posthouse.db') }), blobs, clock })
  t.teardown(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { store, clock, engine }
}

/** Runs a set of tests once per engine. */
export async function forEachEngine(t: Test, tests: (t: Test, engine: EngineName) => Promise<void>): Promise<void> {
  t.teardown(stopOwnPostgres)
  for (const engine of ['sqlite', 'postgres'] as const) await t.test(engine, (inner) => tests(inner, engine))
}
