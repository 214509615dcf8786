import type { Scope } from '../../jmap/directory/scopes.ts'
import { hasScope, type Principal } from '../../server/base/principal.ts'
import { ApiError } from '../errors/api-error.ts'

/** @throws ApiError missing_scope */
export function requireScope(principal: Principal, scope: Scope, orScope: Scope = scope): void {
  if (hasScope(principal, scope) || hasScope(principal, orScope)) return
  const message = `This endpoint needs the scope ${scope}, which the API key does not have.`
  throw new ApiError('missing_scope', { message })
}
