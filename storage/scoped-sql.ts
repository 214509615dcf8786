import type { Connection, Dialect } from './dialect/dialect.ts'
import type { QueryBuilder, Sql } from './ports.ts'
import type { Compilable, SqlValue, Statement } from './statement.ts'

/** A connection as repos see it, until the end of a read or of a unit of work. After that the connection serves others. */
export class ScopedSql implements Sql {
  readonly engine: 'sqlite' | 'postgres'
  readonly #dialect: Dialect
  #connection: Connection | null

  constructor(connection: Connection, dialect: Dialect) {
    this.#connection = connection
    this.#dialect = dialect
    this.engine = dialect.kind
  }

  all<P extends { [K in keyof P]: SqlValue }, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return this.#current().all(statement, parameters)
  }

  query<R>(build: (db: QueryBuilder) => Compilable<R>): Promise<R[]> {
    return this.#current().query(build(this.#dialect.builder))
  }

  raw(sql: string, parameters?: readonly SqlValue[]): Promise<unknown[]> {
    return this.#current().raw(sql, parameters)
  }

  mayGoOn(row: string) {
    return this.#dialect.mayGoOn(row)
  }

  /** Later calls are mistakes in the program and throw a TypeError. */
  end(): void {
    this.#connection = null
  }

  #current(): Connection {
    if (!this.#connection) throw new TypeError('this reader or unit of work has ended')
    return this.#connection
  }
}
