/** Staged files for the host that keeps their octets: uploads by signed URLs, and what may be deleted. */
import { IMPORT_UNDO_MS } from '../../server/base/import-limits.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import {
  deleteImportFile,
  expiredFiles,
  findImportFile,
  keptPlaces,
  updateImportFile,
} from '../../storage/repos/import-files.ts'
import { forgetImported, forgettableImports } from '../../storage/repos/imports.ts'
import type { Services } from '../type/context.ts'
import { ImportFile } from './import-file.type.ts'
import type { StagedFileRef } from './items.ts'
import { signedUpload } from './upload-url.ts'

export interface StagedUpload extends StagedFileRef {
  readonly account: number
  readonly id: number
  /** All octets have arrived. */
  readonly isComplete: boolean
}

/** The file that a signed URL names; null: the URL is not signed here, it has expired, or the file is gone. */
export async function findUpload(
  { store, keyring, ids, clock }: Services,
  token: string,
): Promise<StagedUpload | null> {
  const signed = signedUpload(keyring, token)
  const decoded = signed && ids.decode(ImportFile, signed.fileId)
  if (!decoded || signed.expiresAt <= clock.now()) return null
  return store.read(async (reader) => {
    const { account, object: id } = decoded
    const row = await findImportFile(reader, account, id)
    const owner = row && (await findAccount(reader, account))
    if (!row || !owner || owner.deleted_at !== null) return null
    const { name, size, place, status } = row
    return { account, id, name, size, place, isComplete: status !== 'waiting' }
  })
}

/** All octets are durable. Resolves to false if the file is gone. */
export function completeUpload({ store }: Services, account: number, id: number): Promise<boolean> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const row = unit.isDeleted ? null : await findImportFile(unit, account, id)
    if (!row) return false
    if (row.status !== 'waiting') return true
    await updateImportFile(unit, id, { status: 'uploaded' })
    unit.change(ImportFile.name, id, 'u', ['status'])
    return true
  })
}

const SLICE = 100

/** Forgets files that nobody used in time, and what imports created that can no longer be undone. Resolves when none is left. */
export async function forgetStaged({ store, clock }: Services): Promise<void> {
  for (;;) {
    const rows = await store.read((reader) => expiredFiles(reader, clock.now(), SLICE))
    for (const { account, id } of rows)
      await store.write([account], async (work) => {
        const unit = work.account(account)
        const row = await findImportFile(unit, account, id)
        if (!row || row.expires_at > unit.now) return
        await deleteImportFile(unit, id)
        unit.change(ImportFile.name, id, 'd')
      })
    if (rows.length < SLICE) break
  }
  const before = clock.now() - IMPORT_UNDO_MS
  for (;;) {
    const rows = await store.read((reader) => forgettableImports(reader, before, SLICE))
    for (const { account, id } of rows)
      await store.write([account], (work) => forgetImported(work.account(account), id, Number.MAX_SAFE_INTEGER))
    if (rows.length < SLICE) return
  }
}

/** Places of all files that still have rows. The host lists what it has before it asks. */
export async function placesInUse({ store }: Services): Promise<string[]> {
  return [...(await store.read(keptPlaces))]
}
