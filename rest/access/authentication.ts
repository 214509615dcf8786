/** `Authorization: Bearer <API_KEY>` to a principal; whose key it is the core knows. */
import type { Core } from '../../jmap/core.ts'
import type { Principal } from '../../server/base/principal.ts'
import { Problem } from '../errors/api-error.ts'

/** Characters of a key: far above what the server makes. */
const MAX_KEY_CHARS = 512

/** @throws Problem missing_api_key, invalid_api_key, expired_api_key, ip_not_allowed. Nothing tells an unknown key from a revoked one. */
export async function authenticate(
  core: Pick<Core, 'authenticate' | 'refusalOf'>,
  authorization: string | undefined,
  ip: string,
): Promise<Principal> {
  // RFC 6750 2.1; RFC 9110 11.1: the scheme compares without case.
  const match = /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '')
  const token = match?.[1]
  if (token === undefined) throw new Problem('missing_api_key')
  const principal = token.length > MAX_KEY_CHARS ? null : await core.authenticate({ kind: 'bearer', token, ip })
  if (principal) return principal
  const refusal = token.length > MAX_KEY_CHARS ? null : await core.refusalOf(token, ip)
  if (refusal === 'expired') throw new Problem('expired_api_key')
  throw new Problem(refusal === 'elsewhere' ? 'ip_not_allowed' : 'invalid_api_key')
}
