import { type RawBuilder, sql } from 'kysely'
import type { SqlValue } from './statement.ts'

type Word = 'bigint' | 'text'

/**
 * Rows as one parameter of a statement of PostgreSQL, with the name `r`. One statement for each row would cost a round trip each, which
 * takes longer than what it does.
 * @param columns the rows' columns, with their types
 */
export function jsonRecordset<Name extends string>(
  columns: { readonly [name in Name]: Word },
  rows: readonly { readonly [name in Name]: SqlValue }[],
): RawBuilder<unknown> {
  const declared = (Object.entries(columns) as [Name, Word][]).map(
    ([name, word]) => sql`${sql.ref(name)} ${sql.raw(word)}`,
  )
  // PostgreSQL's text holds neither NUL nor half a pair of surrogates, which replies of remote servers may contain.
  const json = JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
  )
  return sql`json_to_recordset(${json}::json) as r(${sql.join(declared)})`
}
