import type { Sql } from '../ports.ts'

/** What the engine itself finds wrong with its files, one text each. PostgreSQL checks its pages as it reads them. */
export async function integrityFaults(sql: Sql, deep: boolean): Promise<string[]> {
  if (sql.engine === 'postgres') return []
  // FTS5 caches the structure of its index per connection and refreshes it only in a search. Without one, the check would report
  // an index that another connection has merged as corrupt.
  await sql.raw(`select rowid from email_fts where email_fts match '"x"' limit 1`)
  const rows = (await sql.raw(deep ? 'pragma integrity_check' : 'pragma quick_check')) as Record<string, string>[]
  return rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok')
}
