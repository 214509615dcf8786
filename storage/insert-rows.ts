import { ROWS_PER_INSERT } from '../server/base/limits.ts'
import type { Sql } from './ports.ts'
import { TABLES, type Tables } from './schema/database.ts'
import { type Compilable, type SqlValue, type Statement, statement } from './statement.ts'

/**
 * Inserts many rows by few statements: a round trip for each of a thousand rows would cost PostgreSQL more than the rows.
 * @param replacing columns that a row with the same primary key takes over; none: there is no such row
 */
export function insertRows<T extends keyof Tables>(
  table: T,
  replacing: readonly (keyof Tables[T] & string)[] = [],
): (sql: Sql, rows: readonly Tables[T][]) => Promise<void> {
  const { columns, key } = TABLES.find(({ name }) => name === table)!
  const names = Object.keys(columns)
  const statements = new Map<number, Statement<{ [name: string]: SqlValue }, unknown>>()
  const statementFor = (count: number) => {
    const known = statements.get(count)
    if (known) return known
    const made = statement<{ [name: string]: SqlValue }>()<unknown>((db, p) => {
      const values = Array.from({ length: count }, (_, row) =>
        Object.fromEntries(names.map((name) => [name, p(`${name}_${row}`)])),
      )
      const query = db.insertInto(table).values(values as never)
      if (replacing.length === 0) return query as unknown as Compilable
      return query.onConflict((oc) =>
        oc
          .columns(key as never)
          .doUpdateSet(
            ({ ref }) => Object.fromEntries(replacing.map((name) => [name, ref(`excluded.${name}` as never)])) as never,
          ),
      ) as unknown as Compilable
    })
    statements.set(count, made)
    return made
  }
  return async (sql, rows) => {
    for (let from = 0; from < rows.length; ) {
      const count = rows.length - from >= ROWS_PER_INSERT ? ROWS_PER_INSERT : 1
      const bound: { [name: string]: SqlValue } = {}
      for (let row = 0; row < count; row++) {
        const values = rows[from + row] as { readonly [name: string]: SqlValue }
        for (const name of names) bound[`${name}_${row}`] = values[name]!
      }
      await sql.all(statementFor(count), bound)
      from += count
    }
  }
}
