import type { InsertQueryBuilder, InsertResult } from 'kysely'
import { TABLES, type Tables } from './schema/database.ts'
import { type Compilable, type SqlValue, type Statement, statement } from './statement.ts'

/**
 * A statement that inserts a row, with a value for every column that the table declares.
 * @param extend adds to the statement, such as what happens if the row exists
 */
export function insertRow<T extends keyof Tables, Row = unknown>(
  table: T,
  extend?: (query: InsertQueryBuilder<Tables, T, InsertResult>) => Compilable<Row>,
): Statement<Tables[T], Row> {
  const columns = Object.keys(TABLES.find(({ name }) => name === table)!.columns)
  return statement<{ [column: string]: SqlValue }>()<Row>((db, p) => {
    const values = Object.fromEntries(columns.map((column) => [column, p(column)]))
    const query = db.insertInto(table).values(values as never)
    return extend ? extend(query) : (query as unknown as Compilable<Row>)
  }) as Statement<Tables[T], Row>
}
