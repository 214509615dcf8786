import type { Fault } from '../check/check-store.ts'
import type { Sql } from '../ports.ts'

/** What the engine finds wrong with its own files. PostgreSQL checks its pages as it reads them. */
export async function engineFaults(sql: Sql, deep: boolean): Promise<Fault[]> {
  if (sql.engine === 'postgres') return []
  // FTS5 keeps the structure of its index per connection and looks for a newer one only when it is searched: without this, what
  // another connection has merged meanwhile is called corrupt.
  await sql.raw(`select rowid from email_fts where email_fts match '"x"' limit 1`)
  const text = deep ? 'pragma integrity_check' : 'pragma quick_check'
  const rows = (await sql.raw(text)) as Record<string, string>[]
  return rows
    .flatMap((row) => Object.values(row))
    .filter((line) => line !== 'ok')
    .map((detail) => ({ account: 0, kind: 'engine', detail }))
}
