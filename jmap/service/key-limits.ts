import { findObject } from '../../storage/repos/objects.ts'
import type { WriteContext } from '../type/rules.ts'

/**
 * Whether the principal is an API key that names its mailboxes: it then reaches no others, while one that is limited to domains
 * alone reaches whatever mailboxes these have (api/decisions.md D5).
 */
export async function namesItsMailboxes({ method, unit }: WriteContext): Promise<boolean> {
  const { mailboxes, domains, credential } = method.request.principal
  if (mailboxes === 'all') return false
  if (domains === undefined) return true
  const number = method.number('ApiKey', credential)
  const key = number === null ? null : await findObject(unit, unit.account, 'ApiKey', number)
  return key?.data['mailboxIds'] !== null
}
