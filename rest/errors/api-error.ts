/** Errors of the REST API: every code with its status and type (decision D1), and the exception that carries one. */
import { type FailureCode, isFailure } from '../../server/base/errors.ts'
import { REST_RETRY_AFTER_SECONDS } from '../../server/base/limits.ts'

interface ApiErrorRow {
  readonly status: number
  readonly type: string
  /** The message that the client reads, unless the code that throws gives another. */
  readonly message: string
}

export const API_ERRORS = {
  missing_api_key: row(401, 'authentication_error', 'Send an API key: "Authorization: Bearer <API_KEY>".'),
  invalid_api_key: row(401, 'authentication_error', 'The API key is unknown or revoked.'),
  expired_api_key: row(401, 'authentication_error', 'The API key has expired.'),
  no_payment_method: row(402, 'payment_required', 'The organization has no payment method.'),
  payment_failed: row(402, 'payment_required', 'The payment failed.'),
  ip_not_allowed: row(403, 'authorization_error', 'The API key may not be used from this address.'),
  missing_scope: row(403, 'authorization_error', 'The API key lacks the scope that this endpoint needs.'),
  mailbox_access_denied: row(403, 'authorization_error', 'The API key may not use this mailbox.'),
  forbidden: row(403, 'authorization_error', 'This is not allowed.'),
  sending_suspended: row(403, 'authorization_error', 'Sending is not allowed at present.'),
  subscription_required: row(403, 'authorization_error', 'The organization has no active subscription.'),
  quota_exceeded: row(403, 'quota_exceeded', 'A limit of the plan is reached.'),
  unknown_path: row(404, 'not_found', 'There is no such path.'),
  not_found: row(404, 'not_found', 'There is no such resource.'),
  method_not_allowed: row(405, 'method_not_allowed', 'This path does not know this method.'),
  domain_unavailable: row(409, 'conflict', 'The domain is not available.'),
  dns_provider_not_configured: row(409, 'conflict', 'No DNS provider is configured for the domain.'),
  dns_provider_refused: row(409, 'conflict', 'The DNS provider refused the change.'),
  conflict: row(409, 'conflict', 'The request contradicts the present state.'),
  already_exists: row(409, 'conflict', 'There is one already.'),
  domain_exists: row(409, 'conflict', 'The organization has this domain already.'),
  address_taken: row(409, 'conflict', 'The address is in use already.'),
  slug_taken: row(409, 'conflict', 'Another booking page has this slug.'),
  folder_name_taken: row(409, 'conflict', 'There is a folder of this name already.'),
  folder_in_use: row(409, 'conflict', 'The folder is not empty or still in use.'),
  system_folder: row(409, 'conflict', 'A folder of the system can be neither renamed nor moved nor deleted.'),
  invalid_state: row(409, 'conflict', 'The present state does not allow this.'),
  import_running: row(409, 'conflict', 'An import of this mailbox is running already.'),
  idempotency_in_progress: row(409, 'conflict', 'A request with this Idempotency-Key is still running.'),
  precondition_failed: row(412, 'precondition_failed', 'The resource has changed since it was read.'),
  malformed_request: row(400, 'validation_error', 'The request is not valid HTTP.'),
  request_timeout: row(408, 'request_timeout', 'The request took too long to arrive.'),
  headers_too_large: row(431, 'payload_too_large', 'The header fields of the request are too large.'),
  payload_too_large: row(413, 'payload_too_large', 'The request is too large.'),
  unsupported_media_type: row(415, 'unsupported_media_type', 'The request body must be application/json.'),
  range_not_satisfiable: row(416, 'validation_error', 'The range lies outside the file.'),
  validation_error: row(422, 'validation_error', 'The request is not valid.'),
  malformed_json: row(422, 'validation_error', 'The request body is not valid JSON.'),
  invalid_cursor: row(422, 'validation_error', 'The cursor does not belong to this list.'),
  webhook_limit_reached: row(422, 'validation_error', 'The organization has as many webhooks as it may have.'),
  audience_limit_reached: row(422, 'validation_error', 'The organization has as many audiences as it may have.'),
  asset_in_use: row(409, 'conflict', 'A newsletter that is scheduled or being sent uses the asset.'),
  newsletter_limit_reached: row(
    422,
    'validation_error',
    'The organization has as many newsletters, or as many octets of them, as it may have.',
  ),
  domain_not_verified: row(422, 'validation_error', 'The domain is not verified yet.'),
  provider_not_connected: row(422, 'validation_error', 'The conferencing provider is not connected to the mailbox.'),
  source_authentication_failed: row(422, 'validation_error', 'The source refuses the credentials.'),
  source_tls_untrusted: row(422, 'validation_error', 'The certificate of the source is not trusted.'),
  source_unreachable: row(422, 'validation_error', 'The source cannot be reached.'),
  invalid_idempotency_key: row(422, 'validation_error', 'An Idempotency-Key has 1 to 255 printable ASCII characters.'),
  idempotency_key_reused: row(422, 'validation_error', 'This Idempotency-Key was used with another request.'),
  rate_limit_exceeded: row(429, 'rate_limit_exceeded', 'Too many requests.'),
  internal_error: row(500, 'internal_error', 'Something went wrong on our side.'),
  registrar_not_configured: row(503, 'service_unavailable', 'This server has no registrar.'),
  billing_not_configured: row(503, 'service_unavailable', 'This server bills nobody.'),
  service_unavailable: row(503, 'service_unavailable', 'The service cannot answer at present; try again.'),
} as const satisfies Record<string, ApiErrorRow>

export type ApiErrorCode = keyof typeof API_ERRORS

/** Decision D1: codes of a `details` item. */
export const DETAIL_CODES = [
  'required',
  'invalid_type',
  'invalid_format',
  'too_short',
  'too_long',
  'out_of_range',
  'not_allowed',
  'unknown_reference',
  'must_be_future',
  'suppressed',
] as const
export type DetailCode = (typeof DETAIL_CODES)[number]

export type FieldDetail = {
  /** As the client wrote it: `to[1].email`; null: the request as a whole. */
  readonly field: string | null
  readonly code: DetailCode
  readonly message: string
}

export type Detail = FieldDetail | { readonly [name: string]: unknown }

export interface ApiErrorOptions {
  readonly message?: string
  readonly details?: readonly Detail[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** Thrown anywhere below the router, which answers with the error envelope. Its message is for the client. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly details: readonly Detail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ApiErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? API_ERRORS[code].message, { cause: options.cause })
    this.code = code
    this.details = options.details
    this.headers = { ...DEFAULT_HEADERS[code], ...options.headers }
  }

  get status(): number {
    return API_ERRORS[this.code].status
  }

  /** The error envelope. */
  toBody(requestId: string) {
    const { type } = API_ERRORS[this.code]
    const { code, message, details } = this
    return { error: { type, code, message, request_id: requestId, ...(details && details.length > 0 && { details }) } }
  }
}

const DEFAULT_HEADERS: { readonly [C in ApiErrorCode]?: Readonly<Record<string, string>> } = {
  // RFC 9110 11.6.1: a 401 names the scheme to use.
  missing_api_key: { 'WWW-Authenticate': 'Bearer' },
  // RFC 6750 3.1
  invalid_api_key: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  expired_api_key: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  service_unavailable: { 'Retry-After': String(REST_RETRY_AFTER_SECONDS) },
  idempotency_in_progress: { 'Retry-After': '1' },
}

/** A 422 about one field. */
export function invalid(field: string | null, code: DetailCode, message: string): ApiError {
  return invalidFields([{ field, code, message }])
}

export function invalidFields(details: readonly FieldDetail[]): ApiError {
  const first = details[0]?.message ?? API_ERRORS.validation_error.message
  const message = details.length > 1 ? `${first} (and ${details.length - 1} more)` : first
  return new ApiError('validation_error', { message, details })
}

/** For endpoints that concern the whole organization. */
export function limitedKey(): ApiError {
  const message =
    'A key that is limited to some mailboxes or domains may not do this: it concerns the whole organization.'
  return new ApiError('mailbox_access_denied', { message })
}

/** @param what as in "There is no such mailbox" */
export function notFound(what: string): ApiError {
  return new ApiError('not_found', { message: `There is no such ${what}.` })
}

/** The result of abandoned work is discarded. */
const TEMPORARY: readonly FailureCode[] = [
  'storageUnavailable',
  'storageFull',
  'shuttingDown',
  'busy',
  'overdue',
  'abandoned',
]

/** Anything thrown, as the client may see it. Internal text stays in the cause. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const isTemporary = isFailure(error) && TEMPORARY.includes(error.code)
  return new ApiError(isTemporary ? 'service_unavailable' : 'internal_error', { cause: error })
}

function row<const S extends number, const T extends string>(status: S, type: T, message: string) {
  return { status, type, message } as const
}
