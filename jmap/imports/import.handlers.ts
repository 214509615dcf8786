/** Handlers of Import: one at a time in a mailbox. A login that the source refuses is not stored: it is tried before. */
import { IMPORTS_KEPT } from '../../server/base/import-limits.ts'
import type { AccountUnit, Reader } from '../../storage/ports.ts'
import { findImportFile, updateImportFile } from '../../storage/repos/import-files.ts'
import { importFolders } from '../../storage/repos/import-folders.ts'
import { deleteImport, findImport, insertImport, listImports } from '../../storage/repos/imports.ts'
import { listMailboxes } from '../../storage/repos/mailboxes.ts'
import { findRows, selectRows } from '../../storage/repos/numbered-rows.ts'
import type { ImportTable } from '../../storage/schema/tables.ts'
import { Mailbox } from '../mail/mailbox/mailbox.type.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import type { CreateOf } from '../type/derived.ts'
import type { Handlers } from '../type/handlers.ts'
import type { ImapAccount, ImapPlace } from '../type/host-ports.ts'
import { pick } from '../type/methods/get.ts'
import { rowCondition, rowResult } from '../type/row-query.ts'
import { imapAccountOf, sourceFault } from './given-source.ts'
import { Import } from './import.type.ts'
import { ImportFile } from './import-file.type.ts'
import { sinceOf } from './range.ts'
import { isUnderWay } from './states.ts'
import { NO_FAILURES, presentImport, type StoredOptions, type StoredSource, sealPassword } from './stored.ts'

type Given = CreateOf<typeof Import>
type Files = Extract<StoredSource, { type: 'files' }>['files']

/** Where the login of an IMAP account succeeded. */
type Prepared = ImapPlace | null

export const importHandlers: Handlers<typeof Import, Prepared, undefined> = {
  all: ({ method, reader }, limit) =>
    selectRows(
      reader,
      { table: 'import', account: method.account.number, condition: null, oldestFirst: true },
      0,
      limit,
    ),

  async load({ method, reader }, { numbers, properties }) {
    const account = method.account.number
    const found = new Map<number, ReturnType<typeof method.request.answer.hold>>()
    for (const row of await findRows(reader, 'import', account, numbers)) {
      const folders = await importFolders(reader, account, row.id)
      // A report may have thousands of folders.
      found.set(row.id, method.request.answer.hold(pick(presentImport(method, row, folders), properties)))
    }
    return found
  },

  async query({ method, reader }, { filter, sort }) {
    return rowResult(reader, {
      table: 'import',
      account: method.account.number,
      condition: rowCondition(filter, {
        beforeId: (id) => ({ kind: 'below', column: 'id', value: method.number(Import, id) ?? 0 }),
        status: (status) => ({ kind: 'equal', column: 'status', value: status }),
      }),
      oldestFirst: sort[0]?.isAscending ?? false,
    })
  },

  async prepareCreate(method, input) {
    const fault = sourceFault(input)
    if (fault) return { error: fault }
    if (input.sourceType === 'files') return { prepared: null }
    // Before anything is sent to a stranger: what the unit of work checks again.
    const refusal = await method.read((reader) => runningFault(method, reader))
    if (refusal) return { error: refusal }
    const outcome = await method.services.imapLogin(imapAccountOf(input))
    return 'host' in outcome ? { prepared: outcome } : { error: loginFault(outcome) }
  },

  async create({ method, unit }, input, prepared) {
    const target = await targetOf(method, unit, input)
    if (typeof target === 'object' && target !== null) return { error: target }
    const files = await filesOf(method, unit, input)
    if ('type' in files) return { error: files }
    const running = await runningFault(method, unit)
    if (running) return { error: running }
    const id = unit.nextObject()
    const row = newRow(method, unit, { id, input, files, target, place: prepared ?? null })
    await forgetOldest(unit)
    await insertImport(unit, row)
    for (const file of files)
      await updateImportFile(unit, file.id, { status: 'used', import: id, expires_at: Number.MAX_SAFE_INTEGER })
    for (const file of files) unit.change(ImportFile.name, file.id, 'u', ['status', 'expiresAt'])
    unit.change(Import.name, id, 'c')
    const { id: _id, ...serverSet } = presentImport(method, row, [])
    return { created: { number: id, serverSet } }
  },

  update: async (_write, _number, { changed }) =>
    changed.length === 0 ? { updated: null } : { error: setError('forbidden', 'An import cannot be changed.') },

  /** What an import did stays on record. */
  async destroy({ unit }, number) {
    const words = 'Imports are not deleted. Cancel or undo this one.'
    return (await findImport(unit, unit.account, number)) ? setError('forbidden', words) : setError('notFound')
  },
}

const LOGIN_FAULTS = {
  source_authentication_failed: 'sourceAuthenticationFailed',
  source_tls_untrusted: 'sourceTlsUntrusted',
  source_unreachable: 'sourceUnreachable',
} as const

function loginFault({
  code,
  message,
}: {
  readonly code: keyof typeof LOGIN_FAULTS
  readonly message: string
}): SetError {
  return { ...setError(LOGIN_FAULTS[code], message), properties: ['password'] }
}

async function runningFault(method: MethodContext, reader: Reader): Promise<SetError | null> {
  const other = (await listImports(reader, method.account.number)).find(({ status }) => isUnderWay(status))
  return other ? alreadyExists(method.id(Import, other.id), 'An import of this mailbox is running already.') : null
}

/** null: at the top. */
async function targetOf(
  method: MethodContext,
  reader: Reader,
  { targetMailboxId }: Given,
): Promise<number | null | SetError> {
  if (targetMailboxId === null) return null
  const number = method.number(Mailbox, targetMailboxId)
  const all = await listMailboxes(reader, method.account.number)
  return all.some(({ id }) => id === number)
    ? number
    : invalidProperties(['targetMailboxId'], 'There is no such mailbox.')
}

async function filesOf(method: MethodContext, reader: Reader, { fileIds }: Given): Promise<Files | SetError> {
  const found: { id: number; name: string }[] = []
  for (const fileId of fileIds) {
    const number = method.number(ImportFile, fileId)
    const row = number === null ? null : await findImportFile(reader, method.account.number, number)
    if (row?.status !== 'uploaded')
      return invalidProperties(['fileIds'], `${fileId} is no file that was uploaded and that no import has used.`)
    found.push({ id: row.id, name: row.name })
  }
  return found
}

interface NewImport {
  readonly id: number
  readonly input: Given
  readonly files: Files
  readonly target: number | null
  readonly place: ImapPlace | null
}

function newRow(
  { services: { keyring } }: MethodContext,
  unit: AccountUnit,
  { id, input, files, target, place }: NewImport,
): ImportTable {
  const { password: _password, ...account } = imapAccountOf(input)
  const source: StoredSource =
    input.sourceType === 'imap'
      ? { type: 'imap', account: placedAt(account, place) }
      : { type: 'files', provider: input.provider === 'takeout' ? 'takeout' : 'generic', files }
  const { range, includeSpam, includeTrash, folders, excludeFolders } = input
  const options: StoredOptions = { range, includeSpam, includeTrash, folders, excludeFolders, target }
  return {
    account: unit.account,
    id,
    status: 'queued',
    source: JSON.stringify(source),
    options: JSON.stringify(options),
    secret: input.password === undefined ? null : sealPassword(keyring, unit, id, input.password),
    bytes_total: 0,
    bytes_imported: 0,
    undone: 0,
    failures: JSON.stringify(NO_FAILURES),
    error: null,
    resume_at: null,
    since: sinceOf(range, unit.now),
    started_at: null,
    finished_at: null,
    full_since: null,
    due_at: unit.now,
    attempts: 0,
    lease: null,
    lease_until: 0,
    created_at: unit.now,
    updated_at: unit.now,
  }
}

/** What was found is not looked for again. The places of named providers are fixed. */
function placedAt(account: Omit<ImapAccount, 'password'>, place: ImapPlace | null): Omit<ImapAccount, 'password'> {
  if (place === null) return account
  return account.provider === 'imap' ? { ...account, ...place } : { ...account, host: place.host }
}

/** None of them is under way when another is created. */
async function forgetOldest(unit: AccountUnit): Promise<void> {
  const all = await listImports(unit, unit.account)
  for (const { id } of all.slice(IMPORTS_KEPT - 1)) {
    await deleteImport(unit, id)
    unit.change(Import.name, id, 'd')
  }
}
