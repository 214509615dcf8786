import { type RawBuilder, sql } from 'kysely'
import type { Sql } from './ports.ts'

/** Rows of a query that is written as SQL text with expressions in it. */
export function rawQuery<Row>(connection: Sql, query: RawBuilder<Row>): Promise<Row[]> {
  // kysely's `execute` only carries the type of a row here; nothing calls it.
  return connection.query<Row>((db) => ({ compile: () => query.compile(db), execute: async () => [] }))
}

/** Rows of several queries, or of none, in one statement. */
export async function unionAll<Row>(connection: Sql, queries: readonly RawBuilder<Row>[]): Promise<Row[]> {
  return queries.length === 0 ? [] : rawQuery(connection, sql<Row>`${sql.join(queries, sql` union all `)}`)
}
