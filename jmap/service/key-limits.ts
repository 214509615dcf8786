import { findObject } from '../../storage/repos/objects.ts'
import type { WriteContext } from '../type/rules.ts'

/**
 * Whether the principal is an API key that names its mailboxes: it then reaches no others, while one that is limited to domains
 * alone reaches whatever mailboxes these have (decision D5).
 */
export async function namesItsMailboxes(write: WriteContext): Promise<boolean> {
  const { mailboxes, domains } = write.method.request.principal
  if (mailboxes === 'all') return false
  if (domains === undefined) return true
  return (await ownKey(write))?.['mailboxIds'] !== null
}

/** Where and until when the principal's own key may be used; null: it is none, or has no such limit. */
export async function ownUse(
  write: WriteContext,
): Promise<{ readonly allowedIps: readonly string[] | null; readonly expiresAt: string | null }> {
  const key = await ownKey(write)
  return {
    allowedIps: (key?.['allowedIps'] as string[] | null | undefined) ?? null,
    expiresAt: (key?.['expiresAt'] as string | null | undefined) ?? null,
  }
}

async function ownKey({ method, unit }: WriteContext): Promise<{ readonly [name: string]: unknown } | null> {
  const number = method.number('ApiKey', method.request.principal.credential)
  const key = number === null ? null : await findObject(unit, unit.account, 'ApiKey', number)
  return key?.data ?? null
}
