/** The queue of imports and undos, for the worker that does them (server/workers/imports). */
import { randomUUID } from 'node:crypto'
import { errorMessage } from '../../server/base/errors.ts'
import type { Reader } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { filesOfImport } from '../../storage/repos/import-files.ts'
import { claimImportRows, nextImport } from '../../storage/repos/imports.ts'
import { renewRows } from '../../storage/repos/renew-rows.ts'
import type { ImportTable } from '../../storage/schema/tables.ts'
import type { Services } from '../type/context.ts'
import type { ImportTask, TaskSource } from './items.ts'
import { isImporting } from './states.ts'
import { openPassword, optionsOf, sourceOf } from './stored.ts'

/** Epoch ms when the next import may be claimed; null: none has anything to do. */
export function nextImportTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextImport)
}

export async function claimImports(
  services: Services,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<ImportTask[]> {
  const { store } = services
  // A worker reports about one import only.
  const tasks: ImportTask[] = []
  while (tasks.length < limit) {
    const lease = `${owner}:${randomUUID()}`
    const [row] = await store.write([], (unit) =>
      claimImportRows(unit.sql, { now: unit.now, limit: 1, lease, until: unit.now + leaseMs }),
    )
    if (!row) break
    tasks.push(await store.read((reader) => taskOf(services, reader, row)))
  }
  return tasks
}

async function taskOf(services: Services, reader: Reader, row: ImportTable): Promise<ImportTask> {
  const isImport = isImporting(row.status)
  return {
    account: row.account,
    id: row.id,
    lease: row.lease!,
    kind: isImport ? 'import' : 'undo',
    source: isImport ? await taskSource(services, reader, row) : null,
    options: optionsOf(row),
    since: row.since,
  }
}

async function taskSource({ keyring, logger }: Services, reader: Reader, row: ImportTable): Promise<TaskSource | null> {
  const { account, id, secret } = row
  const source = sourceOf(row)
  if (source.type === 'files') {
    const files = await filesOfImport(reader, account, id)
    return { ...source, files: files.map(({ name, size, place }) => ({ name, size, place })) }
  }
  try {
    const organization = (await findAccount(reader, account))?.organization ?? 0
    const password = openPassword(keyring, { organization, account }, id, secret ?? '')
    return { type: 'imap', account: { ...source.account, password } }
  } catch (error) {
    logger.warn({ account, import: id, error: errorMessage(error) }, 'the password of an import cannot be opened')
    return null
  }
}

/** Renews leases for `leaseMs` from now. */
export function renewImports(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'import', leases, unit.now + leaseMs))
}
