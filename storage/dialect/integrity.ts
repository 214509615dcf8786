import type { Fault } from '../check/check-store.ts'
import type { Sql } from '../ports.ts'

/** What the engine finds wrong with its own files. PostgreSQL checks its pages as it reads them. */
export async function engineFaults(sql: Sql, deep: boolean): Promise<Fault[]> {
  if (sql.engine === 'postgres') return []
  const text = deep ? 'pragma integrity_check' : 'pragma quick_check'
  const rows = (await sql.raw(text)) as Record<string, string>[]
  return rows
    .flatMap((row) => Object.values(row))
    .filter((line) => line !== 'ok')
    .map((detail) => ({ account: 0, kind: 'engine', detail }))
}
