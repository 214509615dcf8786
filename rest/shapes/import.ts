/** Imports as the API shows them (decision D12). */
import { FILE_PROVIDERS, IMPORT_SOURCES, IMPORT_STATUSES } from '../../jmap/imports/import.type.ts'
import { IMAP_PROVIDERS } from '../../jmap/type/host-ports.ts'
import { mailboxFields, type OpenMailbox, ofMailbox } from '../calls/mailbox-access.ts'
import type { JmapObjects } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

const counts = {
  imported: s.integer({ minimum: 0 }),
  duplicates: s.integer({ minimum: 0, description: 'Messages that the mailbox has already.' }),
  skipped: s.integer({ minimum: 0, description: 'Messages that the options leave out.' }),
  failed: s.integer({ minimum: 0 }),
}

const folderId = (description: string) =>
  s.nullable(s.string({ description, examples: ['fld_aaaaaaaaayaaaaaaaaaaaif7mwq'] }))

export const Import = s.resource('Import', 'import', {
  id: s.id('imp_aaaaaaaaayaaaaaaaaaaaif7mwq'),
  ...mailboxFields,
  status: s.oneOf(IMPORT_STATUSES),
  source: s.object({
    type: s.oneOf(IMPORT_SOURCES),
    provider: s.oneOf([...IMAP_PROVIDERS, ...FILE_PROVIDERS]),
    email: s.nullable(s.string({ examples: ['ada@example.org'] })),
    host: s.nullable(s.string({ examples: ['imap.example.org'] })),
    file_names: s.nullable(s.array(s.string({ examples: ['takeout.zip'] }))),
  }),
  options: s.object({
    range: s.string({ examples: ['6m'] }),
    include_spam: s.boolean(),
    include_trash: s.boolean(),
    folders: s.nullable(s.array(s.string({ examples: ['Projects/2026'] }))),
    exclude_folders: s.array(s.string({ examples: ['Projects/Old'] })),
    target_folder_id: folderId('The folder below which everything goes.'),
  }),
  counters: s.object({
    total: s.integer({ minimum: 0, description: 'Messages that are known so far.' }),
    processed: s.integer({ minimum: 0 }),
    ...counts,
    bytes_total: s.integer({ minimum: 0, description: 'Octets of the messages that were read.' }),
    bytes_imported: s.integer({ minimum: 0 }),
    undone: s.integer({ minimum: 0, description: 'Messages that an undo has deleted.' }),
  }),
  folders: s.array(
    s.object({
      name: s.string({ description: 'Path at the source.', examples: ['Projects/2026'] }),
      target_folder_id: folderId('Where its mail goes.'),
      total: s.integer({ minimum: 0 }),
      ...counts,
      status: s.oneOf(['waiting', 'running', 'done']),
    }),
  ),
  failure_reasons: s.map(s.integer({ minimum: 1 })),
  failures: s.array(
    s.object({
      folder: s.string({ examples: ['Projects/2026'] }),
      position: s.string({
        description: 'Place of the message at the source: a UID, or an octet.',
        examples: ['4711'],
      }),
      reason: s.string({ examples: ['too_large'] }),
      detail: s.string({ examples: ['The message has 99000000 octets, which is too large.'] }),
    }),
    { description: 'The first hundred messages that could not be imported.' },
  ),
  error: s.nullable(
    s.object({
      code: s.string({ examples: ['source_throttled'] }),
      message: s.string({ examples: ['Try again later.'] }),
    }),
  ),
  resume_at: s.nullable(s.timestamp('When a paused import goes on.')),
  started_at: s.nullable(s.timestamp()),
  finished_at: s.nullable(s.timestamp()),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

export function shownImport(mailbox: OpenMailbox, found: JmapObjects['Import']): s.Infer<typeof Import> {
  const { sourceType: type, provider, email, host, fileNames, report, failureReasons } = found
  const { range, includeSpam, includeTrash, folders, excludeFolders, targetMailboxId } = found
  return toSnake(Import, found, {
    ...ofMailbox(mailbox),
    source: { type, provider, email, host, file_names: fileNames && [...fileNames] },
    options: {
      range,
      include_spam: includeSpam,
      include_trash: includeTrash,
      folders: folders && [...folders],
      exclude_folders: [...excludeFolders],
      target_folder_id: targetMailboxId,
    },
    folders: report.map(({ targetMailboxId: target, ...folder }) => ({ ...folder, target_folder_id: target })),
    failure_reasons: failureReasons,
  })
}
