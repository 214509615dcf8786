/** Looks at rows of the database of a server, also of one that is stopped. */
import Database from 'better-sqlite3'
import pg from 'pg'

export interface Look {
  /** @param query with a column `count` in its only row */
  count(query: string): Promise<number>
  /** @param query with a column `value` */
  values(query: string): Promise<string[]>
  close(): Promise<void>
  rows(query: string): Promise<{ readonly [column: string]: unknown }[]>
}

/** @param where URL of PostgreSQL, or path of a SQLite database */
export async function openLook(where: string): Promise<Look> {
  if (!/^postgres(?:ql)?:/.test(where)) {
    const database = new Database(where, { readonly: true })
    return {
      count: async (query) => (database.prepare(query).get() as { count: number }).count,
      values: async (query) => (database.prepare(query).all() as { value: string }[]).map(({ value }) => value),
      close: async () => void database.close(),
      rows: async (query) => database.prepare(query).all() as { [column: string]: unknown }[],
    }
  }
  const client = new pg.Client({ connectionString: where })
  await client.connect()
  return {
    count: async (query) => Number((await client.query(query)).rows[0].count),
    values: async (query) => (await client.query(query)).rows.map(({ value }) => value),
    close: () => client.end(),
    rows: async (query) => (await client.query(query)).rows,
  }
}
