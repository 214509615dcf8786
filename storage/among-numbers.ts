import { type RawBuilder, type SqlBool, SqliteAdapter, sql } from 'kysely'
import type { QueryBuilder } from './ports.ts'

/**
 * Whether a column has one of some numbers, which are one parameter: a list with a parameter each would be compiled again for each length,
 * which takes longer than looking its rows up.
 * @param list JSON array of numbers
 */
export function amongNumbers(db: QueryBuilder, column: string, list: string): RawBuilder<SqlBool> {
  return db.getExecutor().adapter instanceof SqliteAdapter
    ? sql`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql`${sql.ref(column)} = any(translate(${list}, '[]', '{}')::bigint[])`
}
