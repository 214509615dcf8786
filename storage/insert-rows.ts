import { ROWS_PER_INSERT } from '../server/base/limits.ts'
import type { Sql } from './ports.ts'
import { TABLES, type Tables } from './schema/database.ts'
import { type Compilable, type SqlValue, type Statement, statement } from './statement.ts'

interface Insert {
  readonly inserting: Statement<{ [name: string]: SqlValue }, unknown>
  /** Names of the parameters, for each row in the order of the columns. */
  readonly bound: readonly (readonly string[])[]
}

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
  const insertOf = (count: number): Insert => {
    // The names of one row are those of the table: the row itself is bound.
    const nameOf = (name: string, row: number) => (count === 1 ? name : `${name}_${row}`)
    const bound = Array.from({ length: count }, (_, row) => names.map((name) => nameOf(name, row)))
    const inserting = statement<{ [name: string]: SqlValue }>()<unknown>((db, p) => {
      const values = bound.map((row) => Object.fromEntries(row.map((name, column) => [names[column], p(name)])))
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
    return { inserting, bound }
  }
  const one = insertOf(1)
  const many = insertOf(ROWS_PER_INSERT)
  return async (sql, rows) => {
    const values = rows as readonly { readonly [name: string]: SqlValue }[]
    let from = 0
    for (; values.length - from >= ROWS_PER_INSERT; from += ROWS_PER_INSERT) {
      const parameters: { [name: string]: SqlValue } = {}
      for (const [row, bound] of many.bound.entries())
        for (const [column, name] of bound.entries()) parameters[name] = values[from + row]![names[column]!]!
      await sql.all(many.inserting, parameters)
    }
    for (; from < values.length; from++) await sql.all(one.inserting, values[from]!)
  }
}
