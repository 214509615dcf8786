/** The catalog of an engine in words that both engines share, to compare it with the declarations of storage/schema. */
import type { Connection } from '../../../storage/dialect/dialect.ts'
import { tablesOf } from '../../../storage/schema/database.ts'
import type { EngineName } from '../../support/engines.ts'

/** Tables, columns with their types, and primary keys, one line each. */
export async function catalogOf(connection: Pick<Connection, 'raw'>, engine: EngineName): Promise<string[]> {
  const rows = (await connection.raw(engine === 'sqlite' ? SQLITE : POSTGRES)) as {
    table: string
    column: string
    type: string
    required: unknown
    position: number | null
  }[]
  return rows
    .flatMap(({ table, column, type, required, position }) => [
      `${table}.${column} ${TYPES[type.toLowerCase()] ?? type}${required ? '' : ' or null'}`,
      ...(position ? [`${table} key ${position} ${column}`] : []),
    ])
    .sort()
}

/** What `catalogOf` gives for a database that holds the declared tables and nothing else. */
export function declaredCatalog(engine: EngineName): string[] {
  return tablesOf(engine)
    .flatMap(({ name, columns, key }) => [
      ...Object.entries(columns).map(
        ([column, { type, isNullable }]) => `${name}.${column} ${type}${isNullable ? ' or null' : ''}`,
      ),
      ...key.map((column, i) => `${name} key ${i + 1} ${column}`),
    ])
    .sort()
}

const TYPES: { readonly [type: string]: string } = {
  integer: 'int',
  bigint: 'int',
  blob: 'bytes',
  bytea: 'bytes',
  text: 'text',
  tsvector: 'text',
}

// The virtual table of FTS5 has no types, and its shadow tables are its own.
const SQLITE = `
  select t.name as "table", c.name as "column", c.type as type, c."notnull" or c.pk > 0 as required, c.pk as position
  from pragma_table_list t join pragma_table_info(t.name) c
  where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%'`

const POSTGRES = `
  select c.table_name as "table", c.column_name as "column", c.data_type as type, c.is_nullable = 'NO' as required,
    (select k.ordinal_position from information_schema.table_constraints p
      join information_schema.key_column_usage k using (constraint_schema, constraint_name)
      where p.table_schema = c.table_schema and p.table_name = c.table_name and p.constraint_type = 'PRIMARY KEY'
        and k.table_name = c.table_name and k.column_name = c.column_name) as position
  from information_schema.columns c where c.table_schema = 'public'`
