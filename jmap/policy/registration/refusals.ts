/** Why a domain is not searched or bought. */
import { type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'

/** Decision D31. null: the principal may buy for the whole organization. */
export function limitedKey({ request: { principal } }: MethodContext): string | null {
  const isLimited = principal.mailboxes !== 'all' || principal.domains !== undefined
  return isLimited ? 'A key that is limited to mailboxes or domains searches and buys no domains.' : null
}

export function notConfigured(): SetError {
  return setError('registrarNotConfigured', 'This server has no registrar.')
}

/** @param reason for the log only */
export function unreachable(_reason: string): SetError {
  return setError('serverUnavailable', 'The registrar did not answer; try again.')
}
