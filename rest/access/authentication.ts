/** `Authorization: Bearer <API_KEY>` to a principal, which the core knows. */
import type { Core } from '../../jmap/services.ts'
import { readAuthorization } from '../../server/base/http/request-fields.ts'
import type { Principal } from '../../server/base/principal.ts'
import { ApiError } from '../errors/api-error.ts'

/** Characters of a key: far more than the server makes. */
const MAX_KEY_CHARS = 512

/** Principal of public endpoints; it can open no account. */
export const ANONYMOUS: Principal = {
  kind: 'apiKey',
  organization: 0,
  mailboxes: [],
  ownsOrganization: false,
  scopes: [],
  username: '',
  credential: '',
}

/**
 * An unknown key and a revoked one get the same answer.
 * @throws ApiError missing_api_key, invalid_api_key, expired_api_key, ip_not_allowed
 */
export async function authenticate(
  core: Pick<Core, 'authenticate' | 'refusalOf'>,
  authorization: string | undefined,
  ip: string,
): Promise<Principal> {
  // RFC 6750 2.1
  const given = readAuthorization(authorization)
  if (given?.scheme !== 'bearer') throw new ApiError('missing_api_key')
  const token = given.credentials
  if (token.length > MAX_KEY_CHARS) throw new ApiError('invalid_api_key')
  const principal = await core.authenticate({ kind: 'bearer', token, ip })
  if (principal) return principal
  const refusal = await core.refusalOf(token, ip)
  if (refusal === 'expired') throw new ApiError('expired_api_key')
  throw new ApiError(refusal === 'elsewhere' ? 'ip_not_allowed' : 'invalid_api_key')
}
