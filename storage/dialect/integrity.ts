/** What SQLite itself finds wrong with its file. PostgreSQL checks its pages as it reads them. */
import { errorMessage } from '../../server/base/errors.ts'
import type { Sql } from '../ports.ts'

/** One text each. @param deep also compares indexes with their tables */
export async function integrityFaults(sql: Sql, deep: boolean): Promise<string[]> {
  if (sql.engine === 'postgres') return []
  const search = await searchFault(sql)
  const lines = await wholeFaults(sql, deep)
  return search === null ? lines : [search, ...lines]
}

/** SQLite's own check ends with an error at some malformed pages. Then each table is checked by itself. */
async function wholeFaults(sql: Sql, deep: boolean): Promise<string[]> {
  try {
    const rows = (await sql.raw(deep ? 'pragma integrity_check' : 'pragma quick_check')) as Record<string, string>[]
    return rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok')
  } catch (error) {
    return [errorMessage(error), ...(await pageFaults(sql, () => false)).faults]
  }
}

/**
 * FTS5 caches the structure of its index per connection and refreshes it only in a search. Without one, the check would report an index
 * that another connection has merged as corrupt.
 */
async function searchFault(sql: Sql): Promise<string | null> {
  try {
    await sql.raw(`select rowid from email_fts where email_fts match '"x"' limit 1`)
    return null
  } catch (error) {
    return `the search index cannot be read: ${errorMessage(error)}`
  }
}

/**
 * Looks for malformed pages, table by table, the small ones first, until the time is up.
 * @param isOver polled between tables
 * @returns what is wrong, and how many tables were not looked at
 */
export async function pageFaults(
  sql: Sql,
  isOver: () => boolean,
): Promise<{ readonly faults: readonly string[]; readonly unchecked: number }> {
  if (sql.engine === 'postgres') return { faults: [], unchecked: 0 }
  const faults: string[] = []
  let unchecked = 0
  try {
    for (const name of await tablesBySize(sql)) {
      if (isOver()) unchecked++
      else faults.push(...(await tableFaults(sql, name)))
    }
  } catch (error) {
    faults.push(errorMessage(error))
  }
  return { faults, unchecked }
}

async function tablesBySize(sql: Sql): Promise<string[]> {
  // The search index is rebuilt from the mail, so it need not be sound at a start.
  const rows = (await sql.raw(
    `select name from sqlite_schema where type = 'table' and name not like 'email_fts%' and name not like 'sqlite_%'`,
  )) as { name: string }[]
  const LAST = ['change', 'email', 'blob']
  return rows.map(({ name }) => name).sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b))
}

async function tableFaults(sql: Sql, name: string): Promise<string[]> {
  try {
    const rows = (await sql.raw(`pragma quick_check("${name}")`)) as Record<string, string>[]
    return rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok')
  } catch (error) {
    return [`${name}: ${errorMessage(error)}`]
  }
}
