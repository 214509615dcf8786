/** New emails in memory that wait for the search index, which then need not read and parse them again. */
import { PENDING_TEXT_MAX_CHARS, PENDING_TEXTS_MAX } from '../../../server/base/limits.ts'
import type { UnindexedEmail } from '../../../storage/repos/unindexed.ts'
import type { PendingEmail, PendingEmails } from '../../type/context.ts'

export function keepPending({ pending }: { readonly pending: PendingEmails }, email: PendingEmail): void {
  // A unit of work that was rolled back may have left another email under this number.
  pending.delete(pendingKey(email))
  if (pending.size >= PENDING_TEXTS_MAX || email.document.body.length > PENDING_TEXT_MAX_CHARS) return
  pending.set(pendingKey(email), email)
}

export function pendingKey({ account, email }: UnindexedEmail): string {
  return `${account}/${email}`
}
