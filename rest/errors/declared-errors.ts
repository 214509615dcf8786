import type { Endpoint } from '../endpoint.ts'
import type { ProblemCode } from './api-error.ts'

/** Every way an endpoint may end badly: those it declares, and those that the checks before it bring along. */
export function declaredErrors(endpoint: Endpoint): readonly ProblemCode[] {
  const codes = new Set<ProblemCode>()
  const add = (...more: readonly ProblemCode[]) => {
    for (const code of more) codes.add(code)
  }
  const authenticated = endpoint.scopes !== null
  if (authenticated)
    add(
      'missing_api_key',
      'invalid_api_key',
      'expired_api_key',
      'ip_not_allowed',
      'missing_scope',
      'rate_limit_exceeded',
    )
  if (endpoint.body) add('payload_too_large', 'unsupported_media_type', 'malformed_json')
  if (endpoint.body || endpoint.query) add('validation_error')
  if (endpoint.query && 'cursor' in (endpoint.query['properties'] as object)) add('invalid_cursor')
  if (authenticated && endpoint.method === 'POST') {
    add('idempotency_in_progress', 'idempotency_key_reused', 'invalid_idempotency_key')
  }
  add(...endpoint.errors, 'internal_error', 'service_unavailable')
  return [...codes]
}
