/** How an import goes on: begin, pause, try again, and its end (decision D12). */
import {
  IMPORT_FOLDERS_MAX,
  IMPORT_QUOTA_MAX_MS,
  IMPORT_QUOTA_MS,
  IMPORT_RETRY_MS,
  IMPORT_THROTTLE_MS,
} from '../../server/base/import-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { deleteImportFile, filesOfImport } from '../../storage/repos/import-files.ts'
import { importFolders, saveImportFolder } from '../../storage/repos/import-folders.ts'
import { updateImport } from '../../storage/repos/imports.ts'
import type { ImportFolderTable, ImportTable } from '../../storage/schema/tables.ts'
import type { Services } from '../type/context.ts'
import { reportEnd } from './events.ts'
import { Import, type ImportStatus } from './import.type.ts'
import { ImportFile } from './import-file.type.ts'
import type { FolderCursor, FoundFolder } from './items.ts'
import { ownedImport, ownedUndo, PROGRESS, type TaskRef } from './owned.ts'
import { optionsOf } from './stored.ts'
import { newFolder } from './targets.ts'
import { wantedPlaces } from './wanted.ts'

/** Runs in a unit of work of the import; null: it is no longer this worker's. */
function onImport<T>(
  { store }: Pick<Services, 'store'>,
  task: TaskRef,
  run: (unit: AccountUnit, row: ImportTable) => Promise<T>,
): Promise<T | null> {
  return store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    const row = await ownedImport(unit, task)
    return row && run(unit, row)
  })
}

/**
 * Records the folders of the source. Returns those to read, in the source's order, with the position from which each is read on; null:
 * the import is cancelled or claimed by another. Folders that options leave out are counted as skipped.
 */
export function beginImport(
  services: Services,
  task: TaskRef,
  found: readonly FoundFolder[],
): Promise<FolderCursor[] | null> {
  return onImport(services, task, async (unit, row) => {
    const folders = await importFolders(unit, unit.account, row.id)
    const byKey = new Map(folders.map((folder) => [folder.source_key, folder]))
    // A label may be read as a folder later. Two folders of one path, such as two files of one name, are two.
    const labels = new Map(folders.filter((folder) => folder.source_key === null).map((one) => [one.path, one]))
    const cursors: FolderCursor[] = []
    const options = optionsOf(row)
    const wanted = found.filter((one) => !isLeftOut(one, options))
    if (wanted.length > IMPORT_FOLDERS_MAX) {
      const message = `The source has more than ${IMPORT_FOLDERS_MAX} folders: import some of them at a time.`
      await endImport(services, unit, row, 'failed', { code: 'source_unusable', message })
      return null
    }
    // Of so many those that are left out are not in the report.
    for (const one of found.length > IMPORT_FOLDERS_MAX ? wanted : found) {
      const path = JSON.stringify(one.path)
      const known = byKey.get(one.key) ?? labels.get(path)
      const id = known?.id ?? folders.length + 1
      const base = known ?? newFolder({ account: unit.account, import: row.id, id, path, role: one.role })
      if (!known) folders.push(base)
      labels.delete(path)
      const next = refreshed(base, one, options)
      await saveImportFolder(unit, next)
      if (next.is_done === 0) cursors.push({ id, key: one.key, position: next.position, isDone: false })
    }
    await updateImport(unit, row.id, {
      status: 'running',
      started_at: row.started_at ?? unit.now,
      resume_at: null,
      error: null,
    })
    unit.change(Import.name, row.id, 'u', [...PROGRESS, 'startedAt'])
    return cursors
  })
}

type Options = ReturnType<typeof optionsOf>

function isLeftOut(found: FoundFolder, options: Options): boolean {
  return !found.namesPlaces && wantedPlaces(options, [found]).length === 0
}

function refreshed(row: ImportFolderTable, found: FoundFolder, options: Options): ImportFolderTable {
  // RFC 9051 2.3.1.1: with another UIDVALIDITY positions mean other messages. Those that are there already are found again.
  const isSame = row.generation === found.generation
  const next = { ...row, source_key: found.key, generation: found.generation }
  if (isLeftOut(found, options)) return { ...next, skipped: found.total ?? 0, is_done: 1 }
  return isSame ? next : { ...next, position: null, announced: found.total, is_done: 0 }
}

/** A folder has been read to its end. */
export async function finishFolder(services: Services, task: TaskRef, folder: number): Promise<void> {
  await onImport(services, task, async (unit, row) => {
    const found = (await importFolders(unit, unit.account, row.id)).find(({ id }) => id === folder)
    if (found) await saveImportFolder(unit, { ...found, is_done: 1 })
    unit.change(Import.name, row.id, 'u', PROGRESS)
  })
}

/** The source asks to wait. @param until epoch ms; null: it does not say */
export async function pauseImport(
  services: Services,
  task: TaskRef,
  until: number | null,
  message: string,
): Promise<void> {
  await onImport(services, task, async (unit, row) => {
    const at = Math.max(unit.now + 1_000, until ?? unit.now + IMPORT_THROTTLE_MS)
    await wait(unit, row, 'paused_throttle', at, { code: 'source_throttled', message })
  })
}

/** The mailbox is full. Decision D12: it is looked at every hour, for 14 days. */
export async function pauseFull(services: Services, task: TaskRef): Promise<void> {
  await onImport(services, task, async (unit, row) => {
    const since = row.full_since ?? unit.now
    const error = { code: 'mailbox_full', message: 'The mailbox has no room for more mail.' }
    if (unit.now - since >= IMPORT_QUOTA_MAX_MS) return endImport(services, unit, row, 'failed', error)
    await wait(unit, row, 'paused_quota', unit.now + IMPORT_QUOTA_MS, error, since)
  })
}

/** The source did not answer, or something here failed: tried again for a while without progress. */
export async function retryImport(
  services: Services,
  task: TaskRef,
  error: { readonly code: string; readonly message: string },
): Promise<void> {
  await onImport(services, task, async (unit, row) => {
    const delay = IMPORT_RETRY_MS[row.attempts]
    if (delay === undefined) return endImport(services, unit, row, 'failed', error)
    await updateImport(unit, row.id, { attempts: row.attempts + 1 })
    await wait(unit, row, 'running', unit.now + delay, error)
  })
}

async function wait(
  unit: AccountUnit,
  row: ImportTable,
  status: ImportStatus,
  at: number,
  error: { readonly code: string; readonly message: string },
  fullSince: number | null = null,
): Promise<void> {
  await updateImport(unit, row.id, {
    status,
    due_at: at,
    resume_at: at,
    error: JSON.stringify(error),
    full_since: fullSince,
    lease: null,
    lease_until: 0,
  })
  unit.change(Import.name, row.id, 'u', PROGRESS)
}

/** Other imports wait: it goes on after them. Also of an undo. */
export async function giveWay({ store }: Pick<Services, 'store'>, task: TaskRef): Promise<void> {
  await store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    const row = (await ownedImport(unit, task)) ?? (await ownedUndo(unit, task))
    if (!row) return
    await updateImport(unit, row.id, { due_at: unit.now, lease: null, lease_until: 0 })
    unit.notify(Import.name)
  })
}

/** The source has been read to its end. */
export async function completeImport(services: Services, task: TaskRef): Promise<void> {
  await onImport(services, task, (unit, row) => endImport(services, unit, row, 'completed', null))
}

/** Nothing will help. */
export async function failImport(
  services: Services,
  task: TaskRef,
  error: { readonly code: string; readonly message: string },
): Promise<void> {
  await onImport(services, task, (unit, row) => endImport(services, unit, row, 'failed', error))
}

/** Inside a unit of work: the import is over. Its password and its files go. */
export async function endImport(
  services: Pick<Services, 'ids'>,
  unit: AccountUnit,
  row: ImportTable,
  status: 'completed' | 'failed' | 'cancelled',
  error: { readonly code: string; readonly message: string } | null,
): Promise<void> {
  await updateImport(unit, row.id, {
    status,
    error: error && JSON.stringify(error),
    secret: null,
    resume_at: null,
    finished_at: unit.now,
    full_since: null,
    due_at: null,
    lease: null,
    lease_until: 0,
  })
  for (const { id } of await filesOfImport(unit, unit.account, row.id)) {
    await deleteImportFile(unit, id)
    unit.change(ImportFile.name, id, 'd')
  }
  unit.change(Import.name, row.id, 'u', [...PROGRESS, 'finishedAt'])
  if (status !== 'cancelled') await reportEnd(services, unit, row.id, status)
}
