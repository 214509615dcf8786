/** Checks a data folder after a crash: which messages exist, how often, whether they are whole, and whether the store is consistent. */
import { Buffer } from 'node:buffer'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import { objectTypes } from '../../../jmap/type/registry.ts'
import { systemClock } from '../../../server/base/clock.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { checkStore } from '../../../storage/check/check-store.ts'
import { openSqlite } from '../../../storage/dialect/sqlite.ts'
import type { Reader, Store } from '../../../storage/ports.ts'
import { findBlob } from '../../../storage/repos/blobs.ts'
import { openStore } from '../../../storage/store.ts'
import { ATTEMPT_FIELD, attemptMessage } from './attempts.ts'
import { type KnownChanges, wrongChanges } from './jmap-writer.ts'

export const DATABASE = 'posthouse.db'

/** Copies the database with its log as the crash left it, so that the check leaves the recovery to the server's next start. */
export function copyDatabase(data: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(to, DATABASE + suffix), { force: true })
  for (const suffix of ['', '-wal'])
    if (existsSync(join(data, DATABASE + suffix))) cpSync(join(data, DATABASE + suffix), join(to, DATABASE + suffix))
}

/** `ok`, or the faults that SQLite finds. Recovers the log first, as the next start would. */
export function integrityOf(data: string): string {
  const database = new Database(join(data, DATABASE))
  try {
    const found = database.pragma('integrity_check') as { integrity_check: string }[]
    const foreign = database.pragma('foreign_key_check') as unknown[]
    return found.length === 1 && found[0]!.integrity_check === 'ok' && foreign.length === 0
      ? 'ok'
      : JSON.stringify([found, foreign])
  } finally {
    database.close()
  }
}

/** Attempts of clients, and their acknowledgements. */
export interface Told {
  readonly acknowledged: ReadonlySet<string>
  readonly attempted: ReadonlySet<string>
}

export interface Verdict {
  readonly stored: number
  /** Messages whose octets are outside of the database. */
  readonly inPacks: number
  readonly lost: string[]
  readonly doubled: string[]
  readonly damaged: string[]
  /** Stored but never attempted: a fault of the run itself. */
  readonly unknown: string[]
  /** Acknowledged changes that are missing. */
  readonly wrong: string[]
  /** Faults of the consistency check, which reads every octet of every blob. */
  readonly faults: string[]
  /** Blobs in packs without a row, left by interrupted work; the sweep removes them. */
  readonly strayBlobs: number
}

/** Opens the store as the next start would, and compares every message with the acknowledgements. */
export async function judge(data: string, told: Told, changes?: KnownChanges): Promise<Verdict> {
  const blobs = await openPacks({ folder: join(data, 'blobs'), readOnly: true })
  const store = await openStore({ dialect: openSqlite({ file: join(data, DATABASE) }), blobs, clock: systemClock })
  try {
    const faults = await checkStore(store, objectTypes(createStandardRegistry()), { deep: true })
    return {
      ...(await store.read((reader) => judgeMessages(reader, store, told))),
      faults: faults.map(({ account, kind, detail }) => `account ${account}: ${kind}: ${detail}`),
      wrong: changes ? await wrongChanges(store, changes) : [],
      strayBlobs: await countStray(store),
    }
  } finally {
    await store.close()
  }
}

type Messages = Omit<Verdict, 'wrong' | 'faults' | 'strayBlobs'>

async function judgeMessages(reader: Reader, store: Store, told: Told): Promise<Messages> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('email')
      .innerJoin('account_blob', (join) =>
        join.onRef('account_blob.account', '=', 'email.account').onRef('account_blob.id', '=', 'email.blob'),
      )
      .select('account_blob.hash'),
  )
  const found = new Map<string, number>()
  const damaged: string[] = []
  let inPacks = 0
  for (const { hash } of rows) {
    const blob = await findBlob(reader, hash)
    if (blob?.location) inPacks++
    // The consistency check reports unreadable blobs.
    const bytes = blob?.location ? await store.blobs.read(blob.location).catch(() => null) : blob?.data
    const text = Buffer.from(bytes ?? []).toString('latin1')
    const id = new RegExp(`^${ATTEMPT_FIELD}: (.*)$`, 'm').exec(text)?.[1]?.trim()
    if (!id) continue
    found.set(id, (found.get(id) ?? 0) + 1)
    // Trace fields of the server precede the sent message.
    if (!text.endsWith(attemptMessage(id).toString('latin1'))) damaged.push(id)
  }
  return {
    stored: found.size,
    inPacks,
    lost: [...told.acknowledged].filter((id) => !found.has(id)),
    doubled: [...found].filter(([, count]) => count > 1).map(([id]) => id),
    damaged,
    unknown: [...found.keys()].filter((id) => !told.attempted.has(id)),
  }
}

async function countStray(store: Store): Promise<number> {
  const rows = await store.read((reader) => reader.sql.query((db) => db.selectFrom('blob').select('location')))
  const referred = new Set(rows.map(({ location }) => location))
  let stray = 0
  for await (const { location } of store.blobs.list()) if (!referred.has(location)) stray++
  return stray
}
