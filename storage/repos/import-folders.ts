/** Folders and labels of an import's source. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { ImportFolderTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const ofImport = statement<{ account: number; import: number }>()((db, p) =>
  db
    .selectFrom('import_folder')
    .selectAll()
    .where('account', '=', p('account'))
    .where('import', '=', p('import'))
    .orderBy('id'),
)

export function importFolders(reader: Reader, account: number, imported: number): Promise<ImportFolderTable[]> {
  return reader.sql.all(ofImport, { account, import: imported })
}

const save = insertRow('import_folder', (query) =>
  query.onConflict((oc) =>
    oc.columns(['account', 'import', 'id']).doUpdateSet(({ ref }) => ({
      source_key: ref('excluded.source_key'),
      generation: ref('excluded.generation'),
      position: ref('excluded.position'),
      target: ref('excluded.target'),
      announced: ref('excluded.announced'),
      imported: ref('excluded.imported'),
      duplicates: ref('excluded.duplicates'),
      skipped: ref('excluded.skipped'),
      failed: ref('excluded.failed'),
      is_done: ref('excluded.is_done'),
    })),
  ),
)

export async function saveImportFolder(unit: AccountUnit, row: ImportFolderTable): Promise<void> {
  await unit.sql.all(save, row)
}
