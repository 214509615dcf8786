/** Facts about the installation: keys that are made once, and settings of the last run. */
import type { Reader, Sql } from '../ports.ts'

export async function findFact(reader: Reader, name: string): Promise<string | null> {
  const [row] = await reader.sql.query((db) => db.selectFrom('installation').select('value').where('name', '=', name))
  return row?.value ?? null
}

/** Sets a value that is not set yet. If several nodes start at once, the first one sets it for all. */
export async function keepFact(sql: Sql, name: string, value: string): Promise<void> {
  await sql.query((db) =>
    db
      .insertInto('installation')
      .values({ name, value })
      .onConflict((oc) => oc.column('name').doNothing()),
  )
}

export async function changeFact(sql: Sql, name: string, value: string): Promise<void> {
  await sql.query((db) =>
    db
      .insertInto('installation')
      .values({ name, value })
      .onConflict((oc) => oc.column('name').doUpdateSet({ value })),
  )
}
