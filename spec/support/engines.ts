/** Stores for tests on both engines: `forEachEngine(t, ...)` runs the same behaviours on SQLite and on PostgreSQL. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ManualClock } from '../../server/base/clock.ts'
import type { BlobStore } from '../../storage/blob-store.ts'
import type { Dialect } from '../../storage/dialect/dialect.ts'
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

/** A database: a file that SQLite creates, or an empty database of PostgreSQL. */
export interface TestDatabase {
  /** The file, or the URL. */
  readonly at: string
  /** A dialect over it; several may be open at once, like several nodes. */
  open(): Dialect
}

/** Database of the shared PostgreSQL, and file of SQLite, with the schema only: copying them is faster than creating the schema. */
export const TEMPLATES = { postgres: 'SPEC_POSTGRES_TEMPLATE', sqlite: 'SPEC_SQLITE_TEMPLATE' }

/** Removed after the test `t`. @param template see TEMPLATES; without it the database is empty */
export async function freshPlace(
  t: Pick<Test, 'teardown'>,
  engine: EngineName,
  template?: string,
): Promise<TestDatabase> {
  if (engine === 'postgres') {
    const { url, drop } = await freshDatabase(template)
    t.teardown(drop)
    return { at: url, open: () => openPostgres({ url }) }
  }
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'posthouse.db')
  if (template !== undefined) copyFileSync(template, file)
  return { at: file, open: () => openSqlite({ file }) }
}

/** As freshPlace, with the schema and without rows. */
export function placeWithSchema(t: Pick<Test, 'teardown'>, engine: EngineName): Promise<TestDatabase> {
  return freshPlace(t, engine, process.env[TEMPLATES[engine]])
}

/**
 * A fresh store that is closed and removed after the test `t`.
 * @param around puts something between the store and its engine, such as a fault
 */
export async function freshStore(
  t: Pick<Test, 'teardown'>,
  engine: EngineName,
  given?: BlobStore,
  around: (dialect: Dialect) => Dialect = (dialect) => dialect,
): Promise<TestStore> {
  const clock = new ManualClock()
  const blobs = given ?? memoryBlobs(() => clock.now())
  const place = await placeWithSchema(t, engine)
  const store = await openStore({ dialect: around(place.open()), blobs, clock })
  // Teardowns run last in, first out: the place still exists.
  t.teardown(() => store.close())
  return { store, clock, engine }
}

/** Runs a set of tests once per engine. */
export async function forEachEngine(t: Test, tests: (t: Test, engine: EngineName) => Promise<void>): Promise<void> {
  t.teardown(stopOwnPostgres)
  for (const engine of ['sqlite', 'postgres'] as const) await t.test(engine, (inner) => tests(inner, engine))
}
