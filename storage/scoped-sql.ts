import type { Connection, Dialect } from './dialect/dialect.ts'
import type { QueryBuilder, Sql } from './ports.ts'
import type { Compilable, SqlValue, Statement } from './statement.ts'

/** What repos see of a connection, for as long as it is theirs: after that the connection is somebody else's. */
export class LentSql implements Sql {
  readonly engine: 'sqlite' | 'postgres'
  readonly #dialect: Dialect
  #connection: Connection | null

  constructor(connection: Connection, dialect: Dialect) {
    this.#connection = connection
    this.#dialect = dialect
    this.engine = dialect.kind
  }

  all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return this.#lent().all(statement, parameters)
  }

  query<R>(build: (db: QueryBuilder) => Compilable<R>): Promise<R[]> {
    return this.#lent().query(build(this.#dialect.builder))
  }

  raw(sql: string, parameters?: readonly SqlValue[]): Promise<unknown[]> {
    return this.#lent().raw(sql, parameters)
  }

  /** Whatever is still asked for is a mistake, and says so. */
  end(): void {
    this.#connection = null
  }

  #lent(): Connection {
    if (!this.#connection) throw new TypeError('this reader or unit of work has ended')
    return this.#connection
  }
}
