import {
  FILE_PROVIDERS,
  IMPORT_RANGE,
  IMPORT_SOURCES,
  ImportCancel,
  ImportUndo,
} from '../../jmap/imports/import.type.ts'
import { IMPORT_FILE_NAME } from '../../jmap/imports/import-file.type.ts'
import { IMAP_PROVIDERS } from '../../jmap/type/host-ports.ts'
import {
  IMPORT_FILE_MAX_BYTES,
  IMPORT_FILES_MAX,
  IMPORT_FOLDER_NAME_CHARS,
  IMPORT_OPTION_FOLDERS,
} from '../../server/base/import-limits.ts'
import { knownId } from '../access/ids.ts'
import { call, created, get, idsOf, onlyOne, query, returned, set } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { inMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { type Context, endpoint, type Tag } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import { closePage, cursorPage, openPage, pageQuery } from '../pagination/pages.ts'
import { TYPES } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { Import, shownImport } from '../shapes/import.ts'

const TAG: Tag = {
  name: 'Imports',
  description:
    'Mail from other providers and from files. An import runs in the background, keeps folders, read state and dates, leaves out messages that the mailbox has already, and can be undone for 30 days.',
  after: 'Identities',
}

const OF_SOURCE = ['provider', 'email', 'password', 'host', 'port', 'security', 'username'] as const
const OF_OPTIONS = ['range', 'folders'] as const

const RULES = {
  what: 'import',
  fields: {
    ...Object.fromEntries(OF_SOURCE.map((name) => [name, `source.${name}`])),
    ...Object.fromEntries(OF_OPTIONS.map((name) => [name, `options.${name}`])),
    sourceType: 'source.type',
    fileIds: 'source.file_ids',
    excludeFolders: 'options.exclude_folders',
    includeSpam: 'options.include_spam',
    includeTrash: 'options.include_trash',
    targetMailboxId: 'options.target_folder_id',
  },
  codes: { alreadyExists: 'import_running' },
  details: {
    fileIds: 'unknown_reference',
    targetMailboxId: 'unknown_reference',
    email: 'required',
  },
} as const

const folder = s.string({ minLength: 1, maxLength: IMPORT_FOLDER_NAME_CHARS, examples: ['Projects/2026'] })

const Source = s.object(
  {
    type: s.oneOf(IMPORT_SOURCES),
    provider: s.oneOf([...IMAP_PROVIDERS, ...FILE_PROVIDERS]),
    email: s.optional(s.string({ maxLength: 254, examples: ['ada@example.org'] })),
    password: s.optional(
      s.string({ maxLength: 1_000, description: 'An app password. It is stored encrypted and deleted at the end.' }),
    ),
    host: s.optional(s.string({ maxLength: 255, description: 'Of the provider `imap`, as are the next three.' })),
    port: s.optional(s.integer({ minimum: 1, maximum: 65_535 })),
    security: s.optional(s.oneOf(['tls', 'starttls'])),
    username: s.optional(s.string({ maxLength: 500, description: 'By default the address.' })),
    file_ids: s.optional(s.array(s.string(), { maxItems: IMPORT_FILES_MAX })),
  },
  { additionalProperties: false },
)

const Options = s.object(
  {
    range: s.optional(
      s.string({
        pattern: IMPORT_RANGE,
        description: 'Days, months or years back from now, such as `6m`; or `all`.',
        examples: ['6m'],
      }),
    ),
    include_spam: s.optional(s.boolean()),
    include_trash: s.optional(s.boolean()),
    folders: s.optional(s.nullable(s.array(folder, { maxItems: IMPORT_OPTION_FOLDERS }))),
    exclude_folders: s.optional(s.array(folder, { maxItems: IMPORT_OPTION_FOLDERS })),
    target_folder_id: s.optional(s.nullable(s.string())),
  },
  { additionalProperties: false },
)

export const startImport = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/imports',
  operationId: 'startImport',
  tag: TAG,
  summary: 'Start an import',
  description:
    'From an IMAP account, whose login is tried first, or from files that were uploaded. One import of a mailbox runs at a time.',
  scope: 'mailboxes:write',
  body: s.object({ source: Source, options: s.optional(Options) }),
  bodyExample: {
    source: { type: 'imap', provider: 'fastmail', email: 'ada@example.org', password: 'abcd efgh ijkl mnop' },
    options: { range: '6m' },
  },
  status: 201,
  response: Import,
  errors: [
    'not_found',
    'mailbox_access_denied',
    'import_running',
    'source_authentication_failed',
    'source_tls_untrusted',
    'source_unreachable',
  ],
  async run(input, jmap) {
    const { source, options = {} } = input.body
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const { type: sourceType, file_ids: fileIds, ...account } = source
    const { range, folders, include_spam, include_trash, exclude_folders, target_folder_id } = options
    const record = {
      sourceType,
      ...account,
      ...(fileIds !== undefined && { fileIds }),
      ...(range !== undefined && { range }),
      ...(folders !== undefined && { folders }),
      ...(include_spam !== undefined && { includeSpam: include_spam }),
      ...(include_trash !== undefined && { includeTrash: include_trash }),
      ...(exclude_folders !== undefined && { excludeFolders: exclude_folders }),
      ...(target_folder_id !== undefined && { targetMailboxId: target_folder_id }),
    }
    const returning = TYPES.Import.defaultProperties
    const { made } = await jmap.call({
      made: set('Import', { accountId: mailbox.id, create: { new: record }, returning }),
    })
    created(made, 'new', RULES)
    return shownImport(mailbox, returned(made, 'import'))
  },
})

const StagedFile = s.resource('ImportFile', 'import_file', {
  file_id: s.id('impf_aaaaaaaaayaaaaaaaaaaaif7mwq'),
  upload_url: s.string({
    description:
      'PUT the octets of the file here, without an Authorization header. A PUT with Content-Range resumes; HEAD tells in Upload-Offset how many octets are there.',
    examples: ['https://mail.example.com/imports/files/impf_aaaaaaaaayaaaaaaaaaaaif7mwq.1780000000000.Zm9v'],
  }),
  expires_at: s.timestamp(),
})

export const stageImportFile = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/imports/files',
  operationId: 'stageImportFile',
  tag: TAG,
  summary: 'Get a URL to upload a file for an import',
  description: 'The upload has exactly `size_bytes` octets. A file that no import uses is deleted after 24 hours.',
  scope: 'mailboxes:write',
  body: s.object({
    file_name: s.string({
      minLength: 5,
      maxLength: 255,
      pattern: IMPORT_FILE_NAME,
      description: 'Ends in `.mbox`, `.mbox.gz`, `.zip` or `.eml`.',
      examples: ['takeout.zip'],
    }),
    size_bytes: s.integer({ minimum: 1, maximum: IMPORT_FILE_MAX_BYTES }),
  }),
  bodyExample: { file_name: 'takeout.zip', size_bytes: 123_456_789 },
  status: 201,
  response: StagedFile,
  errors: ['not_found', 'mailbox_access_denied', 'quota_exceeded'],
  async run(input, jmap) {
    const { file_name: fileName, size_bytes: size } = input.body
    const { id: accountId } = await openMailbox(input, jmap, input.params.mailbox_id)
    const { made } = await jmap.call({ made: set('ImportFile', { accountId, create: { new: { fileName, size } } }) })
    const { id, uploadUrl, expiresAt } = created(made, 'new', { fields: { size: 'size_bytes' } })
    return {
      object: 'import_file' as const,
      file_id: id,
      upload_url: `${input.baseUrl}${uploadUrl!}`,
      expires_at: instant(expiresAt!),
    }
  },
})

export const listImports = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/imports',
  operationId: 'listImports',
  tag: TAG,
  summary: 'List imports, newest first',
  description: 'The last hundred imports of the mailbox.',
  scope: 'mailboxes:read',
  query: s.object(pageQuery),
  response: cursorPage(Import),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const page = openPage<string>(input, `imports ${input.params.mailbox_id}`)
    const filter = page.after === null ? {} : { beforeId: page.after }
    const { mailbox, matching, found } = await inMailbox(input, jmap, input.params.mailbox_id, (accountId) => ({
      matching: query('Import', { accountId, filter, limit: page.fetch }),
      found: get('Import', { accountId, '#ids': idsOf('matching', 'Import') }),
    }))
    return closePage(
      page,
      { ids: matching.ids, list: found.list },
      ({ id }) => id,
      (one) => shownImport(mailbox, one),
    )
  },
})

async function readImport(input: Context & { readonly params: Params }, jmap: JmapClient) {
  const id = knownId(input.params.import_id, 'import')
  const { mailbox, found } = await inMailbox(input, jmap, input.params.mailbox_id, (accountId) => ({
    found: get('Import', { accountId, ids: [id] }),
  }))
  return shownImport(mailbox, onlyOne(found, 'import'))
}

interface Params {
  readonly mailbox_id: string
  readonly import_id: string
}

export const getImport = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/imports/{import_id}',
  operationId: 'getImport',
  tag: TAG,
  summary: 'Get an import with its counters and its report',
  description: 'The counters change while it runs. Clients of JMAP are told by push.',
  scope: 'mailboxes:read',
  response: Import,
  errors: ['not_found', 'mailbox_access_denied'],
  run: readImport,
})

export const cancelImport = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/imports/{import_id}/cancel',
  operationId: 'cancelImport',
  tag: TAG,
  summary: 'Cancel an import',
  description: 'Mail that was imported stays. A later import goes on without duplicates.',
  scope: 'mailboxes:write',
  response: Import,
  errors: ['not_found', 'mailbox_access_denied', 'invalid_state'],
  async run(input, jmap) {
    const { id: importId } = await readImport(input, jmap)
    const { id: accountId } = await openMailbox(input, jmap, input.params.mailbox_id)
    const { done } = await jmap.call({ done: call(ImportCancel, { accountId, importId }) })
    if (!done.cancelled) throw new ApiError('invalid_state', { message: 'The import is over already.' })
    return readImport(input, jmap)
  },
})

export const undoImport = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/imports/{import_id}/undo',
  operationId: 'undoImport',
  tag: TAG,
  summary: 'Undo an import',
  description:
    'Deletes every message that the import created, wherever it is now, in the background. What was there before and what was written since stays. Possible for 30 days after the end of the import.',
  scope: 'mailboxes:write',
  response: Import,
  errors: ['not_found', 'mailbox_access_denied', 'invalid_state'],
  async run(input, jmap) {
    const { id: importId } = await readImport(input, jmap)
    const { id: accountId } = await openMailbox(input, jmap, input.params.mailbox_id)
    const { done } = await jmap.call({ done: call(ImportUndo, { accountId, importId }) })
    if (!done.queued)
      throw new ApiError('invalid_state', {
        message: 'Only an import that is over can be undone, once and for 30 days.',
      })
    return readImport(input, jmap)
  },
})

export const importEndpoints = [startImport, stageImportFile, listImports, getImport, cancelImport, undoImport]
