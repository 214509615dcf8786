/** Looks at a data folder after a crash: what is there, how often, whether it is whole, and whether the store agrees with itself. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../../server/base/clock.ts'
import { openPacks } from '../../../storage/blobs/packs.ts'
import { checkStore } from '../../../storage/check/check-store.ts'
import { openSqlite } from '../../../storage/dialect/sqlite.ts'
import { openStore } from '../../../storage/store.ts'
import { ATTEMPT_FIELD, attemptHash } from './attempts.ts'

export interface Verdict {
  readonly stored: number
  readonly lost: string[]
  readonly doubled: string[]
  readonly damaged: string[]
  /** Stored, but never attempted: nothing but a fault of the run itself. */
  readonly unknown: string[]
}

/** `ok`, or what SQLite finds. Recovers the log of the last run first, as the next start would. */
export function integrityOf(data: string): string {
  const database = new Database(join(data, 'posthouse.db'))
  try {
    database.prepare(`select rowid from email_fts where email_fts match '"x"' limit 1`).all()
    const found = database.pragma('integrity_check') as { integrity_check: string }[]
    const foreign = database.pragma('foreign_key_check') as unknown[]
    return found.length === 1 && found[0]!.integrity_check === 'ok' && foreign.length === 0
      ? 'ok'
      : JSON.stringify([found, foreign])
  } finally {
    database.close()
  }
}

/** What clients tried, and what they were told. */
export interface Told {
  readonly acknowledged: ReadonlySet<string>
  readonly attempted: ReadonlySet<string>
}

/** Every message by its attempt id, against what the clients were told. */
export function judgeMessages(data: string, log: Told): Verdict {
  const database = new Database(join(data, 'posthouse.db'), { readonly: true })
  const rows = database
    .prepare(
      'select b.data from email e join account_blob a on a.account = e.account and a.id = e.blob join blob b on b.hash = a.hash',
    )
    .iterate() as Iterable<{ data: Buffer | null }>
  const found = new Map<string, number>()
  const damaged: string[] = []
  for (const { data: bytes } of rows) {
    const text = bytes?.toString('latin1') ?? ''
    const id = new RegExp(`^${ATTEMPT_FIELD}: (.*)$`, 'm').exec(text)?.[1]?.trim()
    if (!id) continue
    found.set(id, (found.get(id) ?? 0) + 1)
    // Trace fields of the server stand before what was sent.
    const sent = text.slice(text.indexOf('From: Ada'))
    if (createHash('sha256').update(sent, 'latin1').digest('hex') !== attemptHash(id)) damaged.push(id)
  }
  database.close()
  return {
    stored: found.size,
    lost: [...log.acknowledged].filter((id) => !found.has(id)),
    doubled: [...found].filter(([, count]) => count > 1).map(([id]) => id),
    damaged,
    unknown: [...found.keys()].filter((id) => !log.attempted.has(id)),
  }
}

/** The consistency check, deep: every octet of every blob is read. */
export async function faultsOf(data: string): Promise<string[]> {
  const blobs = await openPacks({ folder: join(data, 'blobs'), readOnly: true })
  const store = await openStore({
    dialect: openSqlite({ file: join(data, 'posthouse.db') }),
    blobs,
    clock: systemClock,
  })
  try {
    return (await checkStore(store, { deep: true })).map(
      ({ account, kind, detail }) => `account ${account}: ${kind}: ${detail}`,
    )
  } finally {
    await store.close()
  }
}
