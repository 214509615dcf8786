/** From the errors of JMAP to those of REST: two total tables, so that an error type without a row does not type-check. */

import type { MethodErrorType, SetError, SetErrorType } from '../../jmap/protocol/errors.ts'
import type { Fault } from '../../jmap/protocol/set-error.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { API_ERRORS, ApiError, type ApiErrorCode, type DetailCode, type FieldDetail, notFound } from './api-error.ts'

/**
 * RFC 8620 3.6.2. Endpoints make the calls, not the client: an error that only a wrong call causes is a failure of the server. Mistakes
 * of the client arrive as ids that name nothing.
 */
const METHOD_ERRORS: Record<MethodErrorType, ApiErrorCode> = {
  serverUnavailable: 'service_unavailable',
  serverFail: 'internal_error',
  serverPartialFail: 'internal_error',
  unknownMethod: 'internal_error',
  invalidArguments: 'internal_error',
  invalidResultReference: 'internal_error',
  forbidden: 'forbidden',
  accountNotFound: 'not_found',
  accountNotSupportedByMethod: 'not_found',
  accountReadOnly: 'forbidden',
  requestTooLarge: 'payload_too_large',
  cannotCalculateChanges: 'internal_error',
  tooManyChanges: 'internal_error',
  stateMismatch: 'conflict',
  fromAccountNotFound: 'not_found',
  fromAccountNotSupportedByMethod: 'not_found',
  anchorNotFound: 'invalid_cursor',
  unsupportedSort: 'internal_error',
  unsupportedFilter: 'internal_error',
  unknownDataType: 'internal_error',
  cannotCalculateOccurrences: 'validation_error',
  expandDurationTooLarge: 'validation_error',
  notFound: 'not_found',
  tooLarge: 'payload_too_large',
  rateLimit: 'rate_limit_exceeded',
  invalidState: 'invalid_state',
}

/** RFC 8620 5.3, RFC 8621 and the vendor types. `SetErrorRules` of an endpoint come before. */
const SET_ERRORS: Record<SetErrorType, ApiErrorCode> = {
  forbidden: 'forbidden',
  overQuota: 'quota_exceeded',
  tooLarge: 'payload_too_large',
  rateLimit: 'rate_limit_exceeded',
  notFound: 'not_found',
  invalidPatch: 'internal_error',
  willDestroy: 'internal_error',
  invalidProperties: 'validation_error',
  singleton: 'internal_error',
  alreadyExists: 'already_exists',
  mailboxHasChild: 'folder_in_use',
  mailboxHasEmail: 'folder_in_use',
  blobNotFound: 'validation_error',
  tooManyKeywords: 'validation_error',
  tooManyMailboxes: 'validation_error',
  invalidEmail: 'validation_error',
  forbiddenFrom: 'validation_error',
  tooManyRecipients: 'validation_error',
  noRecipients: 'validation_error',
  invalidRecipients: 'validation_error',
  forbiddenMailFrom: 'validation_error',
  forbiddenToSend: 'sending_suspended',
  cannotUnsend: 'invalid_state',
  mdnAlreadySent: 'conflict',
  invalidSieve: 'validation_error',
  sieveIsActive: 'conflict',
  addressBookHasContents: 'conflict',
  calendarHasEvent: 'conflict',
  noSupportedScheduleMethods: 'validation_error',
  domainNotVerified: 'domain_not_verified',
  mailboxUsedByRule: 'folder_in_use',
  providerNotConnected: 'provider_not_connected',
  sourceAuthenticationFailed: 'source_authentication_failed',
  sourceTlsUntrusted: 'source_tls_untrusted',
  sourceUnreachable: 'source_unreachable',
  subscriptionRequired: 'subscription_required',
  noPaymentMethod: 'no_payment_method',
  paymentFailed: 'payment_failed',
  registrarNotConfigured: 'registrar_not_configured',
  domainUnavailable: 'domain_unavailable',
  dnsProviderNotConfigured: 'dns_provider_not_configured',
  dnsProviderRefused: 'dns_provider_refused',
  billingNotConfigured: 'billing_not_configured',
  invalidState: 'invalid_state',
  serverUnavailable: 'service_unavailable',
  serverFail: 'internal_error',
}

/** How one endpoint words SetErrors. */
export interface SetErrorRules {
  /**
   * JMAP property -> request field, where they are not each other's camel and snake case; null: the request as a whole. `blocks/*` is all that
   * is within `blocks`.
   */
  readonly fields?: { readonly [property: string]: string | null }
  readonly codes?: { readonly [T in SetErrorType]?: ApiErrorCode }
  /** Code of the detail about an invalid JMAP property; by default `invalid_format`. */
  readonly details?: { readonly [property: string]: DetailCode }
  /** Request field of each recipient, by its address in lower case. */
  readonly recipients?: ReadonlyMap<string, string>
  /** What `notFound` is about, as in "There is no such mailbox" */
  readonly what?: string
}

/** Their descriptions are about the customer's objects. Those of the others are about JMAP arguments, which the client did not send. */
const TOLD: readonly MethodErrorType[] = ['forbidden', 'invalidState', 'rateLimit']

export function fromMethodError(error: JsonObject): ApiError {
  const { type, isOverdue, description } = error
  const known = isMethodErrorType(type) ? METHOD_ERRORS[type] : 'internal_error'
  // The dispatcher returns it for a read that took too long.
  const code = isOverdue === true ? 'service_unavailable' : known
  const isTold = code === known && TOLD.some((one) => one === type) && typeof description === 'string'
  return new ApiError(code, { cause: error, ...(isTold && { message: description }) })
}

function isMethodErrorType(type: unknown): type is MethodErrorType {
  return typeof type === 'string' && Object.hasOwn(METHOD_ERRORS, type)
}

export function fromSetError(error: SetError, rules: SetErrorRules = {}): ApiError {
  const code = rules.codes?.[error.type] ?? SET_ERRORS[error.type] ?? 'internal_error'
  if (code === 'internal_error') return new ApiError(code, { cause: error })
  if (code === 'not_found' && rules.what) return notFound(rules.what)
  const message = messageOf(error, rules)
  const details = error.quota ? [error.quota] : error.rules ? usingRules(error.rules) : fieldDetails(error, rules)
  const hasDetails = error.quota || error.rules || (API_ERRORS[code].status === 422 && details.length > 0)
  return new ApiError(code, {
    ...(message !== undefined && { message }),
    ...(error.retryAfter !== undefined && { headers: { 'Retry-After': String(error.retryAfter) } }),
    ...(hasDetails && { details }),
  })
}

/** Inbox rules that prevent a change. */
function usingRules(rules: readonly { readonly id: string; readonly name: string }[]) {
  return rules.map(({ id, name }) => ({ rule_id: id, rule_name: name }))
}

const MAX_DESCRIPTION_CHARS = 500
const NO_RECIPIENTS = 'The message has no recipient.'

function messageOf(error: SetError, rules: SetErrorRules): string | undefined {
  const { description, type, properties = [] } = error
  if (type === 'noRecipients') return NO_RECIPIENTS
  if (description === undefined || description === '') return undefined
  return properties.reduce((text, name) => renamed(text, name, rules), description).slice(0, MAX_DESCRIPTION_CHARS)
}

/** A description that begins with the name of its property, or mentions one whose name is no English word, under the name of the request. */
function renamed(text: string, property: string, rules: SetErrorRules): string {
  const field = fieldOf(property, rules)
  if (field === null || !/^[a-z]+[A-Za-z0-9]*$/.test(property)) return text
  const named = /[A-Z]/.test(property) ? new RegExp(`\\b${property}\\b`, 'g') : new RegExp(`^${property}\\b`)
  return text.replace(named, () => field)
}

function fieldDetails(error: SetError, rules: SetErrorRules): FieldDetail[] {
  const message = messageOf(error, rules)
  switch (error.type) {
    case 'blobNotFound':
      return (error.notFound ?? []).map((id) => {
        return { field: 'blob_id', code: 'unknown_reference', message: `There is no blob ${id} in this mailbox.` }
      })
    case 'invalidRecipients':
      return (error.invalidRecipients ?? []).map((address) => {
        const field = rules.recipients?.get(address.toLowerCase()) ?? 'to'
        return error.suppressed?.includes(address)
          ? { field, code: 'suppressed', message: `${address} is suppressed: nothing is sent to it.` }
          : { field, code: 'invalid_format', message: `Mail cannot be sent to ${address}.` }
      })
    case 'noRecipients':
      return [{ field: 'to', code: 'required', message: NO_RECIPIENTS }]
    case 'tooManyRecipients':
      return [{ field: 'to', code: 'too_long', message: message ?? `At most ${error.maxRecipients} recipients.` }]
    case 'domainNotVerified':
      return [{ field: 'domain_id', code: 'not_allowed', message: message ?? 'The domain is not verified yet.' }]
    case 'providerNotConnected':
      return [{ field: 'conferencing_provider', code: 'not_allowed', message: message ?? 'It is not connected.' }]
    case 'forbiddenFrom':
    case 'forbiddenMailFrom':
      return [{ field: 'from', code: 'not_allowed', message: message ?? 'Sending from this address is not allowed.' }]
    default:
      if (error.faults) return error.faults.map((fault) => faultDetail(fault, rules))
      return (error.properties ?? []).map((property) => propertyDetail(property, message, rules))
  }
}

function faultDetail({ path, code, message }: Fault, rules: SetErrorRules): FieldDetail {
  const field = fieldOf(path, rules)
  const member = path.slice(path.lastIndexOf('/') + 1)
  const name = field?.slice(field.lastIndexOf('.') + 1)
  return {
    field,
    code,
    message: name && message.startsWith(`${member} `) ? name + message.slice(member.length) : message,
  }
}

/** `blocks/3/url` is `blocks[3].url` in a request. */
function fieldOf(path: string, { fields = {} }: SetErrorRules): string | null {
  const [top = path, ...rest] = path.split('/')
  const whole = rest.length > 0 ? fields[`${top}/*`] : undefined
  if (whole !== undefined) return whole
  const name = fields[top] === undefined ? snake(top) : fields[top]
  if (name === null) return null
  return rest.reduce((field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : `${field}.${snake(part)}`), name)
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function propertyDetail(property: string, message: string | undefined, rules: SetErrorRules): FieldDetail {
  // RFC 8621 4.6 names parts of a body by their path. A REST client sends the whole property.
  const [top = property] = property.startsWith('header:') ? [property] : property.split('/')
  const field = fieldOf(top, rules)
  const code = rules.details?.[top] ?? 'invalid_format'
  return { field, code, message: message ?? `${field ?? 'The request body'} is not valid.` }
}
