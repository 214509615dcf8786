/** Names of folders (decision D9). */
import { MAX_SIZE_MAILBOX_NAME } from '../../server/base/limits.ts'
import { ApiError, invalid } from '../errors/api-error.ts'

/** At any level, since people would take them for folders of the system. In lower case. */
const RESERVED = new Set([
  'inbox',
  'drafts',
  'sent',
  'archive',
  'junk',
  'spam',
  'trash',
  'outbox',
  'starred',
  'all mail',
  'scheduled',
  'snoozed',
])

/** The name as it is stored. @throws ApiError 422 */
export function folderName(written: string): string {
  const name = written.trim().normalize('NFC')
  if (name === '') throw invalid('name', 'too_short', 'name must have at least 1 character.')
  if (Buffer.byteLength(name) > MAX_SIZE_MAILBOX_NAME)
    throw invalid('name', 'too_long', `name must have at most ${MAX_SIZE_MAILBOX_NAME} octets in UTF-8.`)
  if (/[\p{Cc}/]/u.test(name) || !name.isWellFormed())
    throw invalid('name', 'invalid_format', 'name must have no control characters and no "/".')
  return name
}

/** @throws ApiError 409 */
export function refuseReserved(name: string): void {
  if (RESERVED.has(name.toLowerCase()))
    throw new ApiError('folder_name_taken', { message: `The name ${name} is reserved for the system's own folders.` })
}
