/** PostgreSQL through pg: a pool for reading, several writers, statements prepared by name. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SqlBool,
  sql,
} from 'kysely'
import pg from 'pg'
import { Failure } from '../../server/base/errors.ts'
import {
  POSTGRES_CONNECT_MS,
  POSTGRES_KEEPALIVE_MS,
  POSTGRES_POOL_SIZE,
  POSTGRES_WRITERS,
} from '../../server/base/limits.ts'
import type { Tables } from '../schema/database.ts'
import type { Dialect } from './dialect.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { failureOf, isRetryable } from './postgres-errors.ts'
import { GuardedConnection } from './postgres-guarded.ts'
import { PostgresNotifier } from './postgres-notifier.ts'
import { ReadingSession } from './postgres-reading.ts'
import { PostgresWriter } from './postgres-writer.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** Milliseconds after which the server ends a statement that reads. Default: it does not. */
  readonly readMs?: number
}

// Times and sizes are int8, which pg returns as text by default. All values are below 2^53.
const INT8 = 20
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** Only compiles. All stores have the same, so that a process compiles each statement once. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

export function openPostgres(options: PostgresOptions): Dialect {
  const session = {
    connectionString: options.url,
    types,
    // Without it, the loss of a server that does not close its connections would never be noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: POSTGRES_KEEPALIVE_MS,
    connectionTimeoutMillis: POSTGRES_CONNECT_MS,
  }
  const limit = options.readMs === undefined ? {} : { statement_timeout: options.readMs }
  const pool = new pg.Pool({ ...session, ...limit, max: POSTGRES_POOL_SIZE, pipeline: true })
  // A lost connection is replaced at the next use. The pool reports idle ones, a client in use reports itself; an error event without
  // a listener would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const writers: PostgresWriter[] = []
  let closed = false
  return {
    kind: 'postgres',
    builder,
    // COLLATE "C" orders by octets, as SQLite's BINARY does.
    schemaWords: { int: 'bigint', text: 'text collate "C"', bytes: 'bytea', clustered: '' },
    migrationLock: 'select pg_advisory_xact_lock(7093116001)',
    writers: POSTGRES_WRITERS,
    isRetryable,
    // The PostgreSQL server handles disk faults itself: it stops if their content is uncertain.
    isDiskFault: () => false,
    failureOf,
    async openWriter() {
      const writer = new PostgresWriter(() => connectWriter(session), builder)
      writers.push(writer)
      return writer
    },
    mayGoOn: () => sql<SqlBool>`true`,
    async withReader(use, guard) {
      if (closed) throw new Failure('shuttingDown', 'the store is closed')
      const reading = new ReadingSession(pool)
      try {
        return await use(
          guard ? new GuardedConnection(reading, builder, guard, pool) : new PostgresConnection(() => reading, builder),
        )
      } finally {
        reading.end()
      }
    },
    openNotifier: (onRemoteCommit) => new PostgresNotifier(() => connectNotifier(session), onRemoteCommit),
    async close() {
      closed = true
      await Promise.all(writers.map((writer) => writer.close()))
      await pool.end()
    },
  }
}

/** Notifications are not fsynced, since nothing relies on them. */
function connectNotifier(session: pg.ClientConfig): Promise<pg.Client> {
  return connect(session, 'set synchronous_commit = off')
}

/**
 * What is acknowledged must be on disk, whatever the server's default is. Stronger settings (for replicas) are the choice of the
 * server's owner.
 */
function connectWriter(session: pg.ClientConfig): Promise<pg.Client> {
  return connect(
    session,
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  )
}

/** @param setUp the session's first statement */
async function connect(session: pg.ClientConfig, setUp: string): Promise<pg.Client> {
  const client = new pg.Client(session)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(setUp)
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return client
}
