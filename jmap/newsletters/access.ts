/** Audiences and what belongs to them concern the whole organization: a key that is limited to some mailboxes or domains sees none of them. */
import { isLimited } from '../../server/base/principal.ts'
import { MethodError, setError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'

/** Decision D31. */
export function mayKnowAudiences({ request }: MethodContext): boolean {
  return !isLimited(request.principal)
}

export const LIMITED = setError('forbidden', 'The key is limited to some mailboxes or domains.')

/** @throws MethodError forbidden */
export function requireAudienceAccess(method: MethodContext): void {
  if (!mayKnowAudiences(method)) throw new MethodError('forbidden', LIMITED.description)
}
