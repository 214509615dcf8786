/** Limits of the API key that makes a request. */
import type { WriteContext } from '../type/handlers.ts'
import { findStored } from '../type/object-store.ts'
import { ApiKey } from './api-key.type.ts'

type Write = Pick<WriteContext, 'method' | 'unit'>

/**
 * Whether the principal is an API key that names its mailboxes: it then reaches no others, while one that is limited to domains
 * alone reaches whatever mailboxes these have (decision D5).
 */
export async function namesItsMailboxes(write: Write): Promise<boolean> {
  const { mailboxes, domains } = write.method.request.principal
  if (mailboxes === 'all') return false
  if (domains === undefined) return true
  return (await ownKey(write))?.mailboxIds !== null
}

/** Where and until when the principal's own key may be used; null: it is none, or has no such limit. */
export async function ownUse(write: Write) {
  const { allowedIps = null, expiresAt = null } = (await ownKey(write)) ?? {}
  return { allowedIps, expiresAt }
}

async function ownKey({ method, unit }: Write) {
  const number = method.number(ApiKey, method.request.principal.credential)
  return (await findStored(unit, unit.account, ApiKey, number))?.data ?? null
}
