import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../schema/database.ts'
import type { Compilable, SqlValue, Statement } from '../statement.ts'
import type { Connection } from './dialect.ts'

/** A client, or what acts for one. */
export interface Queryable {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** Runs queries on the client that the session has at the time of the call. */
export class PostgresConnection implements Connection {
  readonly #client: () => Queryable
  readonly #builder: Kysely<Tables>

  constructor(client: () => Queryable, builder: Kysely<Tables>) {
    this.#client = client
    this.#builder = builder
  }

  async all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    const compiled = statement.compiledFor(this.#builder)
    const result = await this.run({
      name: compiled.key,
      text: compiled.sql,
      values: storable(compiled.bind(parameters)),
    })
    return result.rows as R[]
  }

  async query<R>(query: Compilable<R>): Promise<R[]> {
    const { sql: text, parameters } = query.compile()
    return (await this.run({ text, values: storable(parameters as SqlValue[]) })).rows as R[]
  }

  async raw(text: string, parameters: readonly SqlValue[] = []): Promise<unknown[]> {
    return (await this.run({ text, values: storable(parameters) })).rows
  }

  async exec(text: string): Promise<void> {
    await this.run({ text })
  }

  protected run(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#client().query(query)
  }
}

/** PostgreSQL's text cannot hold NUL, which replies of remote servers may contain. */
function storable(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value,
  )
}
