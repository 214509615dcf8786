/** Import/cancel and Import/undo: vendor methods (decisions D12 and D33). */
import { IMPORT_UNDO_MS } from '../../server/base/import-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { findImport, listImports, updateImport } from '../../storage/repos/imports.ts'
import type { ImportTable } from '../../storage/schema/tables.ts'
import { MethodError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import { requireThere } from '../type/context.ts'
import { implement } from '../type/method.ts'
import { Import, ImportCancel, ImportUndo } from './import.type.ts'
import { PROGRESS } from './owned.ts'
import { endImport } from './progress.ts'
import { isCancellable, isUnderWay, isUndoable } from './states.ts'

/** Runs one change to an import in a unit of work of its mailbox. */
async function onImport<T extends object>(
  method: MethodContext,
  importId: string,
  run: (unit: AccountUnit, row: ImportTable) => Promise<T>,
): Promise<T & { readonly accountId: string }> {
  const number = method.number(Import, method.resolveId(importId)) ?? 0
  const step = method.request.steps?.next()
  return method.services.store.write([method.account.number], async (work) => {
    const unit = work.account(method.account.number)
    const done = await step?.recall<T & { readonly accountId: string }>(unit)
    if (done) return done
    requireThere(unit)
    const row = await findImport(unit, unit.account, number)
    if (!row) throw new MethodError('notFound', 'There is no such import.')
    const answer = { accountId: method.account.id, ...(await run(unit, row)) }
    await step?.keep(unit, answer)
    return answer
  })
}

/** `cancelled` false: the import is over already. */
export const cancelImportMethod = implement(ImportCancel, (method, { importId }) =>
  onImport(method, importId, async (unit, row) => {
    if (!isCancellable(row.status)) return { cancelled: false }
    await endImport(method.services, unit, row, 'cancelled', null)
    return { cancelled: true }
  }),
)

/** `queued` false: it is not over, it was undone already, its time is over, or another import of the mailbox runs. */
export const undoImportMethod = implement(ImportUndo, (method, { importId }) =>
  onImport(method, importId, async (unit, row) => {
    const isLate = row.finished_at === null || unit.now - row.finished_at > IMPORT_UNDO_MS
    const others = await listImports(unit, unit.account)
    if (!isUndoable(row.status) || isLate || others.some(({ status }) => isUnderWay(status))) return { queued: false }
    await updateImport(unit, row.id, {
      status: 'undo_queued',
      due_at: unit.now,
      attempts: 0,
      error: null,
      lease: null,
      lease_until: 0,
    })
    unit.change(Import.name, row.id, 'u', PROGRESS)
    return { queued: true }
  }),
)
