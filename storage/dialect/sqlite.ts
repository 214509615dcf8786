/** SQLite through better-sqlite3: WAL, synchronous=FULL, one writer, a few readers, prepared statements kept. */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { Failure } from '../../server/base/errors.ts'
import { SQLITE_MAX_READERS, SQLITE_OLDEST } from '../../server/base/limits.ts'
import type { Tables } from '../schema/tables.ts'
import { FTS5_TABLES } from '../search/fts5.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'
import type { Connection, Dialect } from './dialect.ts'

export interface SqliteOptions {
  readonly file: string
  /** Only reads are wanted: the main thread beside a writer thread. The file must exist. */
  readonly readOnly?: boolean
  /** Only the power-loss control sets this to NORMAL, to prove that the test can fail. */
  readonly synchronous?: 'FULL' | 'NORMAL'
}

export function openSqlite(options: SqliteOptions): Dialect {
  refuseOldEngine()
  if (!options.readOnly && !existsSync(options.file)) closeSync(openSync(options.file, 'a', 0o600))
  const builder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  let writer: SqliteConnection | null = null
  const readers = new ReaderPool(options, builder)
  return {
    kind: 'sqlite',
    builder,
    column: { int: 'integer', text: 'text', bytes: sql`blob` },
    clusteredSuffix: ' without rowid',
    beginWrite: 'begin immediate',
    beginRead: 'begin',
    migrationLock: 'select 1',
    claimSuffix: '',
    searchTables: FTS5_TABLES,
    writers: 1,
    isRetryable: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
    isUniqueViolation: (error) => /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(codeOf(error)),
    isFull: (error) => codeOf(error) === 'SQLITE_FULL',
    async openWriter() {
      if (options.readOnly) throw new Failure('configuration', 'this process only reads')
      writer = new SqliteConnection(open(options, false), builder)
      // The -wal and -shm files take the mode of the main file only when SQLite makes them after this.
      chmodSync(options.file, 0o600)
      return writer
    },
    withReader: (use) => readers.use(use),
    async close() {
      readers.close()
      writer?.database.close()
    },
  }
}

function refuseOldEngine(): void {
  // Two connections and a WAL could corrupt a database before 3.51.3 (reliability.md, known traps).
  const probe = new Database(':memory:')
  const { version } = probe.prepare('select sqlite_version() as version').get() as { version: string }
  probe.close()
  const number = (text: string) => text.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
  if (number(version) < number(SQLITE_OLDEST))
    throw new Failure('configuration', `SQLite ${version} is too old: ${SQLITE_OLDEST} or newer is needed`)
}

function open(options: SqliteOptions, readOnly: boolean): Database.Database {
  const database = new Database(options.file, { readonly: readOnly, timeout: 5_000 })
  if (!readOnly) {
    database.pragma('journal_mode = WAL')
    // Larger than SQLite's 1000 pages: a checkpoint per 16 MB instead of 4 keeps its fsyncs out of most commits.
    database.pragma('wal_autocheckpoint = 4000')
    database.pragma('journal_size_limit = 67108864')
  }
  const synchronous = options.synchronous ?? 'FULL'
  database.pragma(`synchronous = ${synchronous}`)
  // better-sqlite3 defaults to NORMAL in WAL mode, which loses acknowledged rows on power loss: set, then asserted.
  const actual = database.pragma('synchronous', { simple: true })
  if (actual !== (synchronous === 'FULL' ? 2 : 1))
    throw new Failure('configuration', `SQLite runs at synchronous=${actual}`)
  database.pragma('foreign_keys = ON')
  database.pragma('cache_size = -65536')
  database.pragma('mmap_size = 268435456')
  return database
}

const TRANSACTION = /^(begin|commit|rollback|savepoint|release)\b/

class SqliteConnection implements Connection {
  readonly database: Database.Database
  readonly #builder: Kysely<Tables>
  readonly #prepared = new Map<string, Database.Statement>()
  readonly #texts = new Map<string, Database.Statement>()

  constructor(database: Database.Database, builder: Kysely<Tables>) {
    this.database = database
    this.#builder = builder
  }

  async all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    const compiled = statement.compiledFor(this.#builder)
    let prepared = this.#prepared.get(compiled.key)
    if (!prepared) {
      prepared = this.database.prepare(compiled.sql)
      this.#prepared.set(compiled.key, prepared)
    }
    return rowsOf(prepared, compiled.bind(parameters)) as R[]
  }

  async query<R>(query: Compilable<R>): Promise<R[]> {
    const { sql: text, parameters } = query.compile()
    return rowsOf(this.#text(text), parameters as SqlValue[]) as R[]
  }

  async raw(text: string, parameters: readonly SqlValue[] = []): Promise<unknown[]> {
    return rowsOf(this.#text(text), parameters)
  }

  async exec(text: string): Promise<void> {
    // Beginning and ending transactions is most of what comes here: those stay prepared, too.
    if (TRANSACTION.test(text)) rowsOf(this.#text(text), [])
    else this.database.exec(text)
  }

  /** Queries built per call repeat in a few shapes; the newest of them stay prepared. */
  #text(text: string): Database.Statement {
    let prepared = this.#texts.get(text)
    if (!prepared) {
      if (this.#texts.size >= 200) this.#texts.delete(this.#texts.keys().next().value!)
      prepared = this.database.prepare(text)
      this.#texts.set(text, prepared)
    }
    return prepared
  }
}

function rowsOf(prepared: Database.Statement, parameters: readonly SqlValue[]): unknown[] {
  if (prepared.reader) return prepared.all(...parameters)
  prepared.run(...parameters)
  return []
}

/** Read connections: each is lent to one reader at a time, so that its snapshot is one moment's. */
class ReaderPool {
  readonly #options: SqliteOptions
  readonly #builder: Kysely<Tables>
  readonly #idle: SqliteConnection[] = []
  readonly #waiting: ((connection: SqliteConnection) => void)[] = []
  #open = 0

  constructor(options: SqliteOptions, builder: Kysely<Tables>) {
    this.#options = options
    this.#builder = builder
  }

  async use<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? (await this.#next())
    try {
      return await use(connection)
    } finally {
      const waiter = this.#waiting.shift()
      if (waiter) waiter(connection)
      else this.#idle.push(connection)
    }
  }

  #next(): SqliteConnection | Promise<SqliteConnection> {
    if (this.#open < SQLITE_MAX_READERS) {
      const connection = new SqliteConnection(open(this.#options, true), this.#builder)
      this.#open++
      return connection
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  close(): void {
    for (const connection of this.#idle) connection.database.close()
    this.#idle.length = 0
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
