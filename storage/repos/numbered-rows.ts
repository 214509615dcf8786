/** Objects that are rows of a table with the columns `account` and `id`: reading by number, listing in the order of numbers, counting. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { Tables } from '../schema/database.ts'
import type { SqlValue } from '../statement.ts'
import { findInSlices } from './slices.ts'

/** A condition on the columns of a row. The JMAP filters are translated to it elsewhere. */
export type RowCondition =
  | { readonly kind: 'and' | 'or' | 'not'; readonly conditions: readonly RowCondition[] }
  | { readonly kind: 'equal' | 'below'; readonly column: Column; readonly value: number | string }

type TableName = {
  [T in keyof Tables]: Tables[T] extends { readonly account: number; readonly id: number } ? T : never
}[keyof Tables]

type Column = { [T in TableName]: keyof Tables[T] & string }[TableName]

export interface RowQuery {
  readonly table: TableName
  readonly account: number
  /** Its columns are those of the table; null: all rows of the account. */
  readonly condition: RowCondition | null
  readonly oldestFirst: boolean
}

export function findRows<T extends TableName>(
  { sql: connection }: Reader,
  table: T,
  account: number,
  ids: readonly number[],
): Promise<Tables[T][]> {
  return findInSlices(ids, (slice) =>
    rawQuery<Tables[T]>(
      connection,
      sql`select * from ${sql.table(table)} where account = ${account} and id in (${sql.join([...slice])})`,
    ),
  )
}

/** Numbers in the order of creation. */
export async function selectRows(reader: Reader, query: RowQuery, position: number, limit: number): Promise<number[]> {
  const direction = sql.raw(query.oldestFirst ? 'asc' : 'desc')
  const rows = await rawQuery<{ id: number }>(
    reader.sql,
    sql`select id from ${matching(reader, query)} order by id ${direction} limit ${sql.lit(limit)} offset ${sql.lit(position)}`,
  )
  return rows.map(({ id }) => id)
}

export async function countRows(reader: Reader, query: RowQuery): Promise<number> {
  const [row] = await rawQuery<{ count: number }>(
    reader.sql,
    sql`select count(*) as count from ${matching(reader, query)}`,
  )
  return Number(row!.count)
}

function matching({ sql: connection }: Reader, { table, account, condition }: RowQuery): RawBuilder<unknown> {
  const where = condition === null ? sql`` : sql` and ${conditionOf(condition)}`
  return sql`${sql.table(table)} where account = ${account} and ${connection.mayGoOn(`${table}.id`)}${where}`
}

function conditionOf(condition: RowCondition): RawBuilder<SqlBool> {
  switch (condition.kind) {
    case 'equal':
      return sql`${sql.ref(condition.column)} = ${condition.value as SqlValue}`
    case 'below':
      return sql`${sql.ref(condition.column)} < ${condition.value as SqlValue}`
    case 'and':
      return joined(condition.conditions, 'and', '1 = 1')
    case 'or':
      return joined(condition.conditions, 'or', '1 = 0')
    case 'not':
      // RFC 8620 5.5: none of the conditions is true. A comparison with null is neither true nor false.
      return sql`${joined(condition.conditions, 'or', '1 = 0')} is not true`
  }
}

function joined(conditions: readonly RowCondition[], word: 'and' | 'or', none: string): RawBuilder<SqlBool> {
  if (conditions.length === 0) return sql`(${sql.raw(none)})`
  return sql`(${sql.join(conditions.map(conditionOf), sql.raw(` ${word} `))})`
}
