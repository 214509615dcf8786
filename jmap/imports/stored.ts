/** What the rows of an import hold as JSON, and how it is shown. */
import type { Keyring, SecretPlace } from '../../server/base/keyring.ts'
import type { ImportFolderTable, ImportTable } from '../../storage/schema/tables.ts'
import { Mailbox } from '../mail/mailbox/mailbox.type.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from '../type/context.ts'
import type { ImapAccount } from '../type/host-ports.ts'
import { Import, type ImportObject } from './import.type.ts'
import { ImportFile } from './import-file.type.ts'

export type StoredSource =
  | { readonly type: 'imap'; readonly account: Omit<ImapAccount, 'password'> }
  | {
      readonly type: 'files'
      readonly provider: 'takeout' | 'generic'
      /** Numbers of the ImportFiles, with their names. */
      readonly files: readonly { readonly id: number; readonly name: string }[]
    }

export interface StoredOptions {
  readonly range: string
  readonly includeSpam: boolean
  readonly includeTrash: boolean
  readonly folders: readonly string[] | null
  readonly excludeFolders: readonly string[]
  /** Number of the mailbox. */
  readonly target: number | null
}

export interface StoredFailures {
  readonly reasons: { readonly [reason: string]: number }
  readonly first: readonly {
    readonly folder: string
    readonly position: string
    readonly reason: string
    readonly detail: string
  }[]
}

export const NO_FAILURES: StoredFailures = { reasons: {}, first: [] }

export function sourceOf({ source }: Pick<ImportTable, 'source'>): StoredSource {
  return JSON.parse(source)
}

export function optionsOf({ options }: Pick<ImportTable, 'options'>): StoredOptions {
  return JSON.parse(options)
}

export function failuresOf({ failures }: Pick<ImportTable, 'failures'>): StoredFailures {
  return JSON.parse(failures)
}

/** The path of a folder as people write it. */
export function pathName(path: readonly string[]): string {
  return path.join('/')
}

function secretPlace(organization: number, account: number, id: number): SecretPlace {
  return { purpose: 'import', tenant: organization, row: `${account}/${id}` }
}

interface Owner {
  readonly organization: number
  readonly account: number
}

export function sealPassword(keyring: Keyring, { organization, account }: Owner, id: number, password: string): string {
  return keyring.seal(password, secretPlace(organization, account, id))
}

/** @throws Failure `corrupt` */
export function openPassword(keyring: Keyring, { organization, account }: Owner, id: number, sealed: string): string {
  return keyring.open(sealed, secretPlace(organization, account, id))
}

type Counted = 'imported' | 'duplicates' | 'skipped' | 'failed'

export function processedOf(folder: Pick<ImportFolderTable, Counted>): number {
  return folder.imported + folder.duplicates + folder.skipped + folder.failed
}

/** A folder that was read to its end has as many messages as were processed, whatever the source announced. */
function totalOf(folder: ImportFolderTable): number {
  const processed = processedOf(folder)
  return folder.is_done === 1 ? processed : Math.max(processed, folder.announced ?? 0)
}

const sum = (folders: readonly ImportFolderTable[], of: (folder: ImportFolderTable) => number) =>
  folders.reduce((total, folder) => total + of(folder), 0)

export function countersOf(row: ImportTable, folders: readonly ImportFolderTable[]): ImportObject['counters'] {
  return {
    total: sum(folders, totalOf),
    processed: sum(folders, processedOf),
    imported: sum(folders, ({ imported }) => imported),
    duplicates: sum(folders, ({ duplicates }) => duplicates),
    skipped: sum(folders, ({ skipped }) => skipped),
    failed: sum(folders, ({ failed }) => failed),
    bytesTotal: row.bytes_total,
    bytesImported: row.bytes_imported,
    undone: row.undone,
  }
}

const time = (at: number | null) => (at === null ? null : formatUTCDate(at))

export function presentImport(
  method: MethodContext,
  row: ImportTable,
  folders: readonly ImportFolderTable[],
): ImportObject {
  const source = sourceOf(row)
  const { target, ...options } = optionsOf(row)
  const { reasons, first } = failuresOf(row)
  const imap = source.type === 'imap' ? source.account : null
  const files = source.type === 'files' ? source.files : []
  return {
    id: method.id(Import, row.id),
    status: row.status,
    sourceType: source.type,
    provider: source.type === 'imap' ? source.account.provider : source.provider,
    email: imap?.email ?? null,
    host: imap?.host ?? null,
    port: imap?.port ?? null,
    security: imap?.security ?? null,
    username: imap?.username ?? null,
    fileIds: files.map(({ id }) => method.id(ImportFile, id)),
    fileNames: imap ? null : files.map(({ name }) => name),
    ...options,
    targetMailboxId: target === null ? null : method.id(Mailbox, target),
    counters: countersOf(row, folders),
    report: folders.map((folder) => presentFolder(method, row, folder)),
    failureReasons: reasons,
    failures: first,
    error: row.error === null ? null : JSON.parse(row.error),
    resumeAt: time(row.resume_at),
    startedAt: time(row.started_at),
    finishedAt: time(row.finished_at),
    createdAt: formatUTCDate(row.created_at),
    updatedAt: formatUTCDate(row.updated_at),
  }
}

function presentFolder(
  method: MethodContext,
  row: ImportTable,
  folder: ImportFolderTable,
): ImportObject['report'][number] {
  const { imported, duplicates, skipped, failed, target } = folder
  const isOver = folder.is_done === 1 || (folder.source_key === null && row.status === 'completed')
  const hasBegun = folder.position !== null || processedOf(folder) > 0
  return {
    name: pathName(JSON.parse(folder.path)),
    targetMailboxId: target === null ? null : method.id(Mailbox, target),
    total: totalOf(folder),
    imported,
    duplicates,
    skipped,
    failed,
    status: isOver ? 'done' : hasBegun ? 'running' : 'waiting',
  }
}
