/** Files that were staged for imports. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { ImportFileTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const insert = insertRow('import_file')

export async function insertImportFile(unit: AccountUnit, row: ImportFileTable): Promise<void> {
  await unit.sql.all(insert, row)
}

const byId = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('import_file').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findImportFile(reader: Reader, account: number, id: number): Promise<ImportFileTable | null> {
  const [row] = await reader.sql.all(byId, { account, id })
  return row ?? null
}

export function stagedFiles(reader: Reader, account: number): Promise<ImportFileTable[]> {
  return reader.sql.query((db) => db.selectFrom('import_file').selectAll().where('account', '=', account).orderBy('id'))
}

/** Files of an import, in the order of their numbers. */
export function filesOfImport(reader: Reader, account: number, imported: number): Promise<ImportFileTable[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('import_file')
      .selectAll()
      .where('account', '=', account)
      .where('import', '=', imported)
      .orderBy('id'),
  )
}

export async function updateImportFile(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<ImportFileTable, 'status' | 'import' | 'expires_at'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('import_file').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function deleteImportFile(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('import_file').where('account', '=', unit.account).where('id', '=', id))
}

/** Files that nobody has used by the time they expire. */
export function expiredFiles(reader: Reader, now: number, limit: number): Promise<ImportFileTable[]> {
  return reader.sql.query((db) =>
    db.selectFrom('import_file').selectAll().where('expires_at', '<=', now).orderBy('expires_at').limit(limit),
  )
}

/** Places of files whose octets must stay. */
export async function keptPlaces(reader: Reader): Promise<Set<string>> {
  const rows = await reader.sql.query((db) => db.selectFrom('import_file').select('place'))
  return new Set(rows.map(({ place }) => place))
}
