/** Scopes at the door of an endpoint. */
import type { Scope } from '../jmap/service/scopes.ts'
import type { Principal } from '../server/base/principal.ts'
import { Problem } from './problem.ts'

/** @param anyOf one of these is enough. @throws Problem missing_scope */
export function requireScope(principal: Principal, anyOf: readonly Scope[]): void {
  if (principal.scopes === null) return
  if (anyOf.some((scope) => principal.scopes?.includes(scope))) return
  const message = `This endpoint needs the scope ${anyOf.join(' or ')}, which the API key does not have.`
  throw new Problem('missing_scope', { message })
}
