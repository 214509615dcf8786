/** Facts about the installation: keys of ids and cursors, made once and kept; what was true in the run before. */
import type { Reader, Sql } from '../ports.ts'

export async function findFact(reader: Reader, name: string): Promise<string | null> {
  const [row] = await reader.sql.query((db) => db.selectFrom('installation').select('value').where('name', '=', name))
  return row?.value ?? null
}

/** Keeps the value that is there already: of several nodes starting at once, one wins. */
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
