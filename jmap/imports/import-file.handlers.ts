/** Handlers of ImportFile. The octets go to the host of the core, by a URL that this core signs (upload-url.ts). */
import { randomUUID } from 'node:crypto'
import { IMPORT_FILE_MS, IMPORT_STAGED_MAX, IMPORT_STAGED_MAX_BYTES } from '../../server/base/import-limits.ts'
import { deleteImportFile, findImportFile, insertImportFile, stagedFiles } from '../../storage/repos/import-files.ts'
import { findRows, selectRows } from '../../storage/repos/numbered-rows.ts'
import type { ImportFileTable } from '../../storage/schema/tables.ts'
import { setError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from '../type/context.ts'
import type { ObjectOf } from '../type/derived.ts'
import type { Handlers } from '../type/handlers.ts'
import { pick } from '../type/methods/get.ts'
import { ImportFile } from './import-file.type.ts'
import { uploadPath } from './upload-url.ts'

export const importFileHandlers: Handlers<typeof ImportFile> = {
  all: ({ method, reader }, limit) =>
    selectRows(
      reader,
      { table: 'import_file', account: method.account.number, condition: null, oldestFirst: true },
      0,
      limit,
    ),

  async load({ method, reader }, { numbers, properties }) {
    const rows = await findRows(reader, 'import_file', method.account.number, numbers)
    return new Map(rows.map((row) => [row.id, pick(present(method, row), properties)]))
  },

  async create({ method, unit }, { fileName, size }) {
    const others = await stagedFiles(unit, unit.account)
    const octets = others.reduce((sum, other) => sum + other.size, size)
    if (others.length >= IMPORT_STAGED_MAX || octets > IMPORT_STAGED_MAX_BYTES) {
      const words = `A mailbox has at most ${IMPORT_STAGED_MAX} files of ${IMPORT_STAGED_MAX_BYTES} octets that wait for an import.`
      return { error: setError('overQuota', words) }
    }
    const row: ImportFileTable = {
      account: unit.account,
      id: unit.nextObject(),
      name: fileName,
      size,
      status: 'waiting',
      import: null,
      place: randomUUID(),
      expires_at: unit.now + IMPORT_FILE_MS,
      created_at: unit.now,
    }
    await insertImportFile(unit, row)
    unit.change(ImportFile.name, row.id, 'c')
    const { id: _id, fileName: _name, size: _size, ...serverSet } = present(method, row)
    const uploadUrl = uploadPath(method.services.keyring, method.id(ImportFile, row.id), row.expires_at)
    return { created: { number: row.id, serverSet: { ...serverSet, uploadUrl } } }
  },

  update: async (_write, _number, { changed }) =>
    changed.length === 0 ? { updated: null } : { error: setError('forbidden', 'A file cannot be changed.') },

  /** The host deletes the octets of files that no row names (server/workers/imports/staged-sweep.ts). */
  async destroy({ unit }, number) {
    const row = await findImportFile(unit, unit.account, number)
    if (!row) return setError('notFound')
    if (row.status === 'used') return setError('invalidState', 'An import uses the file.')
    await deleteImportFile(unit, number)
    unit.change(ImportFile.name, number, 'd')
    return null
  },
}

function present(method: MethodContext, row: ImportFileTable): ObjectOf<typeof ImportFile> {
  return {
    id: method.id(ImportFile, row.id),
    fileName: row.name,
    size: row.size,
    status: row.status,
    expiresAt: formatUTCDate(Math.min(row.expires_at, MAX_DATE)),
    createdAt: formatUTCDate(row.created_at),
  }
}

/** A file that an import uses does not expire before the import ends. */
const MAX_DATE = Date.UTC(9999, 11, 31)
