/** What derives from the declarations of all tables: the type of the database for kysely, and the list of the declarations. */
import type { RowOf, Table } from './table.ts'
import * as declared from './tables.ts'

type Declared = (typeof declared)[keyof typeof declared]

export type Tables = { [T in Declared as T['name']]: RowOf<T> }

export const TABLES: readonly Table[] = Object.values(declared)

/** The tables that an engine has. */
export function tablesOf(engine: 'sqlite' | 'postgres'): Table[] {
  return TABLES.filter((table) => table.engine === undefined || table.engine === engine)
}
