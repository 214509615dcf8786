import type { Connection, Dialect } from './dialect/dialect.ts'
import type { Sql } from './ports.ts'

/** What repos see of a connection. */
export function sqlOver(connection: Connection, dialect: Dialect): Sql {
  return {
    engine: dialect.kind,
    all: (statement, parameters) => connection.all(statement, parameters),
    query: (build) => connection.query(build(dialect.builder)),
    raw: (sql, parameters) => connection.raw(sql, parameters),
  }
}
