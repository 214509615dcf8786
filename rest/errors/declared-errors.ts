import type { ApiErrorCode } from './api-error.ts'

/** What of an endpoint decides which errors it may answer with. */
interface Traits {
  readonly isPublic: boolean
  readonly isPost: boolean
  readonly hasBody: boolean
  /** Its body is JSON. */
  readonly hasJson: boolean
  readonly hasQuery: boolean
  readonly hasCursor: boolean
  /** It honours If-Match. */
  readonly isConditional: boolean
  /** Limited keys may not use it. */
  readonly isWholeOrganization: boolean
}

const AUTHENTICATION = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'ip_not_allowed',
  'missing_scope',
  'rate_limit_exceeded',
] as const
const BODY = ['payload_too_large', 'unsupported_media_type'] as const
const IDEMPOTENCY = ['idempotency_in_progress', 'idempotency_key_reused', 'invalid_idempotency_key'] as const

/** Every error that an endpoint may answer with: its own, and those of the checks before it. */
export function declaredErrors(traits: Traits, own: readonly ApiErrorCode[]): readonly ApiErrorCode[] {
  const { isPublic, isPost, hasBody, hasJson, hasQuery, hasCursor, isConditional, isWholeOrganization } = traits
  const codes: ApiErrorCode[] = [
    ...(isPublic ? [] : AUTHENTICATION),
    ...(hasBody ? BODY : []),
    ...(hasJson ? (['malformed_json'] as const) : []),
    ...(hasBody || hasQuery ? (['validation_error'] as const) : []),
    ...(hasCursor ? (['invalid_cursor'] as const) : []),
    ...(isPost && !isPublic ? IDEMPOTENCY : []),
    ...(isConditional ? (['precondition_failed'] as const) : []),
    ...(isWholeOrganization ? (['mailbox_access_denied'] as const) : []),
    ...own,
    'internal_error',
    'service_unavailable',
  ]
  return [...new Set(codes)]
}
