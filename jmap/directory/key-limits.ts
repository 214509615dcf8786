/** Limits of the API key that makes the request. */
import type { WriteContext } from '../type/handlers.ts'
import { findStored } from '../type/object-store.ts'
import { ApiKey } from './api-key.type.ts'

type Write = Pick<WriteContext, 'method' | 'unit'>

/**
 * Whether the principal is an API key that names its mailboxes. Such a key reaches no other mailbox; a key that is limited to domains
 * alone reaches all mailboxes of these (decision D5).
 */
export async function namesItsMailboxes(write: Write): Promise<boolean> {
  const { mailboxes, domains } = write.method.request.principal
  if (mailboxes === 'all') return false
  if (domains === undefined) return true
  return (await ownKey(write))?.mailboxIds !== null
}

/** The address and time limits of the principal's own key; null: the principal is not a key, or its key has no such limit. */
export async function ownUse(write: Write) {
  const { allowedIps = null, expiresAt = null } = (await ownKey(write)) ?? {}
  return { allowedIps, expiresAt }
}

async function ownKey({ method, unit }: Write) {
  const number = method.number(ApiKey, method.request.principal.credential)
  return (await findStored(unit, unit.account, ApiKey, number))?.data ?? null
}
