/** Events of imports (decision D34). */
import type { AccountUnit } from '../../storage/ports.ts'
import { importFolders } from '../../storage/repos/import-folders.ts'
import { findImport } from '../../storage/repos/imports.ts'
import { appendEvent } from '../events/append.ts'
import type { Services } from '../type/context.ts'
import { Import } from './import.type.ts'
import { countersOf } from './stored.ts'

/** Inside the unit of work of the end. */
export async function reportEnd(
  { ids }: Pick<Services, 'ids'>,
  unit: AccountUnit,
  id: number,
  how: 'completed' | 'failed' | 'undone',
): Promise<void> {
  const row = await findImport(unit, unit.account, id)
  if (!row) return
  const { bytesTotal, bytesImported, ...counts } = countersOf(row, await importFolders(unit, unit.account, id))
  await appendEvent(unit, `import.${how}`, {
    import_id: ids.encode(Import, unit.account, id),
    mailbox_id: ids.accountId('mailbox', unit.account),
    status: row.status,
    counters: { ...counts, bytes_total: bytesTotal, bytes_imported: bytesImported },
  })
}
