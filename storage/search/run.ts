import type { RawBuilder } from 'kysely'
import type { Reader } from '../ports.ts'

/** Rows of a query that is written as text with expressions in it. */
export function run<Row>(reader: Reader, query: RawBuilder<Row>): Promise<Row[]> {
  // `execute` only carries the type of a row.
  return reader.sql.query<Row>((db) => ({ compile: () => query.compile(db), execute: async () => [] }))
}
