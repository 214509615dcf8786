/** PostgreSQL through pg: a pool for reading, several writers side by side, statements prepared by name. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import { Failure } from '../../server/base/errors.ts'
import {
  POSTGRES_CONNECT_MS,
  POSTGRES_KEEPALIVE_MS,
  POSTGRES_POOL_SIZE,
  POSTGRES_WRITERS,
} from '../../server/base/limits.ts'
import type { Tables } from '../schema/tables.ts'
import type { Dialect } from './dialect.ts'
import { PostgresBell } from './postgres-bell.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { failureOf, isLoss, isRetryable } from './postgres-errors.ts'
import { PostgresWriter } from './postgres-writer.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
}

// Times and sizes are int8; pg would hand them out as text. All of ours are below 2^53.
const INT8 = 20
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

export function openPostgres(options: PostgresOptions): Dialect {
  const session = {
    connectionString: options.url,
    types,
    // A server that is gone without a word is noticed at all, minutes later.
    keepAlive: true,
    keepAliveInitialDelayMillis: POSTGRES_KEEPALIVE_MS,
    connectionTimeoutMillis: POSTGRES_CONNECT_MS,
  }
  const pool = new pg.Pool({ ...session, max: POSTGRES_POOL_SIZE })
  // A connection that is cut, idle (told by the pool) or lent (told by itself), is replaced at the next use; without a listener it
  // would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const writers: PostgresWriter[] = []
  let closed = false
  const builder = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return {
    kind: 'postgres',
    builder,
    // COLLATE "C": the same order as SQLite's BINARY (spec/decisions/0006-storage.md).
    column: { int: 'bigint', text: sql`text collate "C"`, bytes: 'bytea' },
    clusteredSuffix: '',
    migrationLock: 'select pg_advisory_xact_lock(7093116001)',
    writers: POSTGRES_WRITERS,
    isRetryable,
    // The server answers for its disks: it stops by itself when it cannot know what they hold.
    isDiskFault: () => false,
    failureOf,
    async openWriter() {
      const writer = new PostgresWriter(() => connectWriter(session), builder)
      writers.push(writer)
      return writer
    },
    async withReader(use) {
      if (closed) throw new Failure('shuttingDown', 'the store is closed')
      const client = await beginReading(pool)
      try {
        return await use(new PostgresConnection(() => client, builder))
      } finally {
        // One that cannot end its transaction is not used again.
        await client.query('commit').then(
          () => client.release(),
          () => client.release(true),
        )
      }
    },
    openBell: (heard) => new PostgresBell(() => connectBell(session), heard),
    async close() {
      closed = true
      await Promise.all(writers.map((writer) => writer.close()))
      await pool.end()
    },
  }
}

/** A client in a transaction that sees one moment. Pooled ones that turn out to be cut are left behind. */
async function beginReading(pool: pg.Pool): Promise<pg.PoolClient> {
  for (let left = POSTGRES_POOL_SIZE; ; left--) {
    const client = await pool.connect()
    try {
      await client.query('begin isolation level repeatable read read only')
      return client
    } catch (error) {
      client.release(true)
      if (left === 0 || !isLoss(error)) throw error
    }
  }
}

/** Nobody waits for what a bell says to be on disk. */
async function connectBell(session: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(session)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('set synchronous_commit = off')
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return client
}

async function connectWriter(session: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(session)
  client.on('error', () => {})
  try {
    await client.connect()
    // What is acknowledged must be on disk, whatever the server's default is; stronger settings (replicas) are its owner's choice.
    await client.query(
      `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
    )
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return client
}
