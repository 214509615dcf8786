/** PostgreSQL through pg: a pool, prepared statements by name, several writers side by side. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import { POSTGRES_POOL_SIZE, POSTGRES_WRITERS } from '../../server/base/limits.ts'
import type { Tables } from '../schema/tables.ts'
import { TSVECTOR_TABLES } from '../search/tsvector.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'
import type { Connection, Dialect } from './dialect.ts'

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
  const pool = new pg.Pool({ connectionString: options.url, max: POSTGRES_POOL_SIZE, types })
  // An idle connection that the server cuts is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {})
  const writers: pg.Client[] = []
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
    // COLLATE "C": the same order as SQLite's BINARY (style.md section 5, rule 3).
    column: { int: 'bigint', text: sql`text collate "C"`, bytes: 'bytea' },
    clusteredSuffix: '',
    beginWrite: 'begin',
    beginRead: 'begin isolation level repeatable read read only',
    migrationLock: 'select pg_advisory_xact_lock(7093116001)',
    claimSuffix: 'for update skip locked',
    searchTables: TSVECTOR_TABLES,
    writers: POSTGRES_WRITERS,
    isRetryable: (error) => ['40001', '40P01', '57P01', '08006', '08003', 'ECONNRESET'].includes(codeOf(error)),
    isUniqueViolation: (error) => codeOf(error) === '23505',
    isFull: (error) => codeOf(error) === '53100',
    async openWriter() {
      return new PostgresWriter(options, builder, writers)
    },
    async withReader(use) {
      const client = await pool.connect()
      let broken = false
      try {
        return await use(new PostgresConnection(client, builder))
      } catch (error) {
        broken = ['57P01', '08006', '08003', 'ECONNRESET'].includes(codeOf(error))
        throw error
      } finally {
        client.release(broken)
      }
    },
    async close() {
      await Promise.all(writers.map((writer) => writer.end()))
      await pool.end()
    },
  }
}

class PostgresConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #builder: Kysely<Tables>

  constructor(client: pg.ClientBase, builder: Kysely<Tables>) {
    this.#client = client
    this.#builder = builder
  }

  async all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    const compiled = statement.compiledFor(this.#builder)
    const result = await this.#client.query({
      name: compiled.key,
      text: compiled.sql,
      values: compiled.bind(parameters),
    })
    return result.rows as R[]
  }

  async query<R>(query: Compilable<R>): Promise<R[]> {
    const { sql: text, parameters } = query.compile()
    return (await this.#client.query(text, parameters as unknown[])).rows as R[]
  }

  async raw(text: string, parameters: readonly SqlValue[] = []): Promise<unknown[]> {
    return (await this.#client.query(text, parameters as unknown[])).rows
  }

  async exec(text: string): Promise<void> {
    await this.#client.query(text)
  }
}

/** A connection that opens itself again after the server has cut it; what was under way has failed and is the queue's to retry. */
class PostgresWriter implements Connection {
  readonly #options: PostgresOptions
  readonly #builder: Kysely<Tables>
  readonly #clients: pg.Client[]
  #client: pg.Client | null = null

  constructor(options: PostgresOptions, builder: Kysely<Tables>, clients: pg.Client[]) {
    this.#options = options
    this.#builder = builder
    this.#clients = clients
  }

  async #connection(): Promise<PostgresConnection> {
    if (!this.#client) {
      const client = new pg.Client({ connectionString: this.#options.url, types })
      const forget = () => {
        if (this.#client !== client) return
        this.#client = null
        this.#clients.splice(this.#clients.indexOf(client), 1)
      }
      client.on('error', forget)
      client.on('end', forget)
      await client.connect()
      this.#client = client
      this.#clients.push(client)
    }
    return new PostgresConnection(this.#client, this.#builder)
  }

  async all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return (await this.#connection()).all(statement, parameters)
  }

  async query<R>(query: Compilable<R>): Promise<R[]> {
    return (await this.#connection()).query(query)
  }

  async raw(text: string, parameters?: readonly SqlValue[]): Promise<unknown[]> {
    return (await this.#connection()).raw(text, parameters)
  }

  async exec(text: string): Promise<void> {
    await (await this.#connection()).exec(text)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
