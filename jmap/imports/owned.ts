/** The import that a worker has claimed, inside a unit of work. */
import type { AccountUnit } from '../../storage/ports.ts'
import { findImport } from '../../storage/repos/imports.ts'
import type { ImportTable } from '../../storage/schema/tables.ts'
import { isImporting } from './states.ts'

export type TaskRef = { readonly account: number; readonly id: number; readonly lease: string }

/** null: it was cancelled, its mailbox was deleted, or another worker has it. */
export async function ownedImport(unit: AccountUnit, { id, lease }: TaskRef): Promise<ImportTable | null> {
  const row = unit.isDeleted ? null : await findImport(unit, unit.account, id)
  return row !== null && row.lease === lease && isImporting(row.status) ? row : null
}

/** null: as above. */
export async function ownedUndo(unit: AccountUnit, { id, lease }: TaskRef): Promise<ImportTable | null> {
  const row = unit.isDeleted ? null : await findImport(unit, unit.account, id)
  const isUndo = row?.status === 'undo_queued' || row?.status === 'undoing'
  return row !== null && row.lease === lease && isUndo ? row : null
}

/** Properties of the Import that change with each commit of its work. */
export const PROGRESS = ['status', 'counters', 'report', 'failureReasons', 'failures', 'error', 'resumeAt', 'updatedAt']
