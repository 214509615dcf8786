import type { Scope } from '../../jmap/directory/scopes.ts'
import type { Principal } from '../../server/base/principal.ts'
import { ApiError } from '../errors/api-error.ts'

export function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return scopes === null || scopes.includes(scope)
}

/** @throws ApiError missing_scope */
export function requireScope(principal: Principal, scope: Scope): void {
  if (hasScope(principal, scope)) return
  const message = `This endpoint needs the scope ${scope}, which the API key does not have.`
  throw new ApiError('missing_scope', { message })
}
