import { IMPORT_FOLDER_NAME_CHARS, IMPORT_OPTION_FOLDERS } from '../../server/base/import-limits.ts'
import { SERVICE } from '../type/capabilities.ts'
import { defineType } from '../type/define-type.ts'
import type { ObjectOf } from '../type/derived.ts'
import { IMAP_PROVIDERS } from '../type/host-ports.ts'
import { declareMethod } from '../type/method-declaration.ts'
import { p } from '../type/property.ts'

export const IMPORT_STATUSES = [
  'queued',
  'running',
  'paused_throttle',
  'paused_quota',
  'completed',
  'failed',
  'cancelled',
  'undo_queued',
  'undoing',
  'undone',
  'undo_failed',
] as const
export const IMPORT_SOURCES = ['imap', 'files'] as const
export const FILE_PROVIDERS = ['takeout', 'generic'] as const
export const IMPORT_SCOPES = { read: 'mailboxes:read', write: 'mailboxes:write' } as const

/** Decision D12: days, months or years back from the start, or all mail. */
export const IMPORT_RANGE = '^([1-9][0-9]{0,2}[dmy]|all)$'

const folderName = () => p.string({ minLength: 1, maxLength: IMPORT_FOLDER_NAME_CHARS })
const count = () => p.uint()
/** Of an IMAP account. */
const line = (maxLength: number) => p.string({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })

/** An import of mail from another provider or from files (decisions D12 and D33). */
export const Import = defineType({
  name: 'Import',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'imp',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    status: p.oneOf(IMPORT_STATUSES).server(),
    sourceType: p.oneOf(IMPORT_SOURCES).fixed(),
    provider: p.oneOf([...IMAP_PROVIDERS, ...FILE_PROVIDERS]).fixed(),
    /** Of `imap`, as are the next five. `host`, `port`, `security` and `username` are for the provider `imap` only. */
    email: line(254).nullable().fixed().defaults(null),
    password: p.string({ minLength: 1, maxLength: 1_000, pattern: '^[^\\u0000\\r\\n]+$' }).secret(),
    /** null: it is found by SRV, autoconfiguration or as `imap.<domain>`. */
    host: p.string({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9.:_-]+$' }).nullable().fixed().defaults(null),
    port: p.uint({ minimum: 1, maximum: 65_535 }).nullable().fixed().defaults(null),
    security: p.oneOf(['tls', 'starttls']).nullable().fixed().defaults(null),
    username: line(500).nullable().fixed().defaults(null),
    /** Of `files`: uploaded ImportFiles that no import has used. */
    fileIds: p.ids().fixed().defaults([]),
    fileNames: p.list(p.string()).nullable().server(),
    range: p.string({ pattern: IMPORT_RANGE }).fixed().defaults('all'),
    includeSpam: p.bool().fixed().defaults(false),
    includeTrash: p.bool().fixed().defaults(false),
    /** Paths with `/`, with what is below them; null: all. */
    folders: p.list(folderName(), { maxItems: IMPORT_OPTION_FOLDERS }).nullable().fixed().defaults(null),
    excludeFolders: p.list(folderName(), { maxItems: IMPORT_OPTION_FOLDERS }).fixed().defaults([]),
    /** The Mailbox below which everything goes; null: folders of the source stand at the top. */
    targetMailboxId: p.id().nullable().fixed().defaults(null),
    counters: p
      .object({
        total: count(),
        processed: count(),
        imported: count(),
        duplicates: count(),
        skipped: count(),
        failed: count(),
        bytesTotal: count(),
        bytesImported: count(),
        undone: count(),
      })
      .server(),
    report: p
      .list(
        p.object({
          /** Path at the source. */
          name: p.string(),
          targetMailboxId: p.id().nullable(),
          total: count(),
          imported: count(),
          duplicates: count(),
          skipped: count(),
          failed: count(),
          status: p.oneOf(['waiting', 'running', 'done']),
        }),
      )
      .server(),
    /** Messages that could not be imported, by reason. */
    failureReasons: p.map(p.uint()).server(),
    /** The first hundred of them. */
    failures: p
      .list(p.object({ folder: p.string(), position: p.string(), reason: p.string(), detail: p.string() }))
      .server(),
    error: p.object({ code: p.string(), message: p.string() }).nullable().server(),
    resumeAt: p.utcDate().nullable().server(),
    startedAt: p.utcDate().nullable().server(),
    finishedAt: p.utcDate().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), status: p.oneOf(IMPORT_STATUSES) },
  sorts: ['createdAt'],
  scopes: IMPORT_SCOPES,
})

export type ImportObject = ObjectOf<typeof Import>
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

const METHOD = { capability: SERVICE, accounts: 'mailbox', scope: IMPORT_SCOPES.write, writes: true } as const

/** Mail that was imported stays. notFound; invalidState where the import is over. */
export const ImportCancel = declareMethod({
  ...METHOD,
  name: 'Import/cancel',
  args: { importId: p.id() },
  answer: { cancelled: p.bool() },
})

/** Deletes what the import created, in the background. notFound; invalidState before the end of the import and after 30 days. */
export const ImportUndo = declareMethod({
  ...METHOD,
  name: 'Import/undo',
  args: { importId: p.id() },
  answer: { queued: p.bool() },
})
