/** SQLite through better-sqlite3: WAL, synchronous=FULL, one writer, a few readers, statements that stay prepared. */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { DummyDriver, Kysely, type SqlBool, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { errorMessage, Failure } from '../../server/base/errors.ts'
import { SQLITE_BUSY_MS, SQLITE_OLDEST } from '../../server/base/limits.ts'
import { READER_CACHE_KIB } from '../../server/base/reading-limits.ts'
import type { Tables } from '../schema/database.ts'
import { codeOf, type Dialect } from './dialect.ts'
import { Checkpoints, checkpointPages, isFull } from './sqlite-checkpoints.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteReaders } from './sqlite-readers.ts'

export interface SqliteOptions {
  readonly file: string
  /** For the threads beside the writer thread. The file must exist. */
  readonly readOnly?: boolean
  /** For a thread that reads large parts of the file, once each. */
  readonly scans?: boolean
  /** A malformed page fails the unit of work that meets it, and not the whole store. */
  readonly despiteDamage?: boolean
}

/** Only compiles. All stores have the same, so that a process compiles each statement once. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

export function openSqlite(options: SqliteOptions): Dialect {
  const version = sqliteVersion()
  if (!isNewEnough(version))
    throw new Failure('configuration', `SQLite ${version} is too old: ${SQLITE_OLDEST} or newer is needed`)
  if (!options.readOnly) prepareFile(options.file)
  const writers: SqliteConnection[] = []
  const readers = new SqliteReaders(() => new SqliteConnection(open(options, true), builder, 'begin'))
  return {
    kind: 'sqlite',
    builder,
    schemaWords: { int: 'integer', text: 'text', bytes: 'blob', clustered: 'without rowid' },
    migrationLock: 'select 1',
    writers: 1,
    isRetryable: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
    isDiskFault: (error) =>
      isDiskFault(error) && !(options.despiteDamage && codeOf(error).startsWith('SQLITE_CORRUPT')),
    failureOf,
    async openWriter() {
      if (options.readOnly) throw new Failure('configuration', 'this process is read-only')
      // `begin immediate` takes the write lock at once; a transaction that takes it later can be refused half-way.
      const database = open(options, false)
      const checkpoints = new Checkpoints(database, checkpointPages(dirname(options.file)))
      const writer = new SqliteConnection(database, builder, 'begin immediate', checkpoints)
      writers.push(writer)
      return writer
    },
    withReader: (use, guard) => readers.use(use, guard),
    // A call of a function in JavaScript takes a microsecond: one row of 256 makes it, by chance, since numbers of rows may leave out any
    // pattern. Naming the row keeps SQLite from asking once for all of them.
    mayGoOn: (row) => sql<SqlBool>`((random() + ${sql.ref(row)}) & 255 <> 0 or go_on())`,
    async close() {
      await readers.close()
      // The last connection to close moves the WAL's contents into the database.
      for (const writer of writers) writer.close()
    },
  }
}

/** A damaged search index (CORRUPT_VTAB) is no disk fault: it can be rebuilt, and mail must still be accepted. */
function isDiskFault(error: unknown): boolean {
  return !isFull(error) && /^SQLITE_(IOERR|CORRUPT(?!_VTAB)|NOTADB|READONLY)/.test(codeOf(error))
}

function failureOf(error: unknown): unknown {
  const code = codeOf(error)
  if (isFull(error)) return new Failure('storageFull', 'the disk is full', { cause: error })
  if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code))
    return new Failure('conflict', errorMessage(error), { cause: error })
  if (isDiskFault(error) || /^SQLITE_(BUSY|CANTOPEN|CORRUPT|NOMEM|PROTOCOL)/.test(code))
    return new Failure('storageUnavailable', `the database failed: ${errorMessage(error)}`, { cause: error })
  return error
}

/** @param version such as 3.51.3. Before that version, two connections with a WAL could corrupt a database. */
export function isNewEnough(version: string): boolean {
  const number = (text: string) => text.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
  return number(version) >= number(SQLITE_OLDEST)
}

function sqliteVersion(): string {
  const probe = new Database(':memory:')
  const { version } = probe.prepare('select sqlite_version() as version').get() as { version: string }
  probe.close()
  return version
}

/** Mode 0600: only the owner may read mail. SQLite gives the same mode to the files that it makes beside this one. */
function prepareFile(file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
    for (const suffix of ['', '-wal', '-shm']) if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600)
  } catch (error) {
    throw new Failure('configuration', `the database cannot be opened: ${errorMessage(error)}`, { cause: error })
  }
}

function open(options: SqliteOptions, readOnly: boolean): Database.Database {
  const database = new Database(options.file, { readonly: readOnly, timeout: SQLITE_BUSY_MS })
  try {
    if (!readOnly) {
      const mode = database.pragma('journal_mode = WAL', { simple: true })
      if (mode !== 'wal')
        throw new Failure('configuration', `SQLite cannot use a write-ahead log here: journal_mode stays ${mode}`)
      database.pragma('journal_size_limit = 67108864')
    }
    database.pragma('synchronous = FULL')
    // better-sqlite3 defaults to NORMAL in WAL mode, which loses acknowledged commits in a power failure. So it is also asserted.
    const synchronous = database.pragma('synchronous', { simple: true })
    if (synchronous !== 2) throw new Failure('configuration', `SQLite runs at synchronous=${synchronous}, not FULL`)
    database.pragma('foreign_keys = ON')
    // In KiB. The writer seldom reads what it wrote, and SQLite walks the table of its whole cache at the end of each commit.
    database.pragma(`cache_size = -${options.scans ? READER_CACHE_KIB : readOnly ? 65_536 : 16_384}`)
    // Not for the writer: it changes most pages that it reads, which copies them into its cache, and an import would map all of them in vain.
    database.pragma(`mmap_size = ${options.scans || !readOnly ? 0 : 268_435_456}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
