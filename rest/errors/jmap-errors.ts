/**
 * From JMAP's errors to REST's: two total tables, so that an error type without a row does not type-check. Which statuses and types
 * the codes stand for is in `problem.ts`.
 */
import type { MethodErrorType, SetError, SetErrorType } from '../../jmap/protocol/errors.ts'
import { type DetailCode, type FieldDetail, notFound, PROBLEMS, Problem, type ProblemCode } from './api-error.ts'

/**
 * RFC 8620 3.6.2. The calls are made by the endpoints, not by the client: what only a wrong call can cause is our failure,
 * and the client's own mistakes arrive as ids that lead nowhere.
 */
const METHOD_ERRORS: Record<MethodErrorType, ProblemCode> = {
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
}

/** RFC 8620 5.3, RFC 8621 and the vendor types. An endpoint may say it better for itself (`SetErrorRules`). */
const SET_ERRORS: Record<SetErrorType, ProblemCode> = {
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
}

/** What one endpoint says about SetErrors in its own words. */
export interface SetErrorRules {
  /** JMAP property -> request field, where they are not each other's camel and snake case. */
  readonly fields?: { readonly [property: string]: string }
  readonly codes?: { readonly [T in SetErrorType]?: ProblemCode }
  /** What is wrong with a JMAP property that is not valid; without it, its format. */
  readonly details?: { readonly [property: string]: DetailCode }
  /** Request field of each recipient, by its address in lower case. */
  readonly recipients?: ReadonlyMap<string, string>
  /** What `notFound` is about, as in "There is no such mailbox." */
  readonly what?: string
}

export function methodProblem(error: { readonly type: string; readonly description?: unknown }): Problem {
  const code = Object.hasOwn(METHOD_ERRORS, error.type)
    ? METHOD_ERRORS[error.type as MethodErrorType]
    : 'internal_error'
  // The description speaks of JMAP arguments, which the client never sent: it goes to the log as the cause.
  return new Problem(code, { cause: error })
}

export function setProblem(error: SetError, rules: SetErrorRules = {}): Problem {
  const code = rules.codes?.[error.type] ?? SET_ERRORS[error.type] ?? 'internal_error'
  if (code === 'internal_error') return new Problem(code, { cause: error })
  if (code === 'not_found' && rules.what) return notFound(rules.what)
  if (error.quota) return new Problem(code, { message: messageOf(error)!, details: [error.quota] })
  if (error.rules) {
    const details = error.rules.map(({ id, name }) => ({ rule_id: id, rule_name: name }))
    return new Problem(code, { message: messageOf(error)!, details })
  }
  const headers = error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }
  const details = detailsOf(error, rules)
  const message = messageOf(error)
  return new Problem(code, {
    ...(message !== undefined && { message }),
    headers,
    ...(PROBLEMS[code].status === 422 && details.length > 0 && { details }),
  })
}

const MAX_DESCRIPTION_CHARS = 500

function messageOf(error: SetError): string | undefined {
  const { description, type } = error
  if (type === 'noRecipients') return 'The message has no recipient.'
  return description === undefined || description === '' ? undefined : description.slice(0, MAX_DESCRIPTION_CHARS)
}

function detailsOf(error: SetError, rules: SetErrorRules): FieldDetail[] {
  const message = messageOf(error)
  if (error.type === 'blobNotFound') {
    return (error.notFound ?? []).map((id) => {
      return { field: 'blob_id', code: 'unknown_reference', message: `There is no blob ${id} in this mailbox.` }
    })
  }
  if (error.type === 'invalidRecipients') {
    return (error.invalidRecipients ?? []).map((address) => {
      const field = rules.recipients?.get(address.toLowerCase()) ?? 'to'
      return error.suppressed?.includes(address)
        ? { field, code: 'suppressed', message: `${address} is suppressed: nothing is sent to it.` }
        : { field, code: 'invalid_format', message: `Mail cannot be sent to ${address}.` }
    })
  }
  if (error.type === 'tooManyRecipients' || error.type === 'noRecipients') {
    const code = error.type === 'noRecipients' ? 'required' : 'too_long'
    return [{ field: 'to', code, message: message ?? `At most ${error.maxRecipients} recipients.` }]
  }
  if (error.type === 'domainNotVerified') {
    return [{ field: 'domain_id', code: 'not_allowed', message: message ?? 'The domain is not verified yet.' }]
  }
  if (error.type === 'forbiddenFrom' || error.type === 'forbiddenMailFrom') {
    return [{ field: 'from', code: 'not_allowed', message: message ?? 'Sending from this address is not allowed.' }]
  }
  return (error.properties ?? []).map((property) => {
    // Parts of a body are named by their path (RFC 8621 4.6); what a REST client sent is the whole property.
    const [top = property] = property.startsWith('header:') ? [property] : property.split('/')
    const field = rules.fields?.[top] ?? snakeCase(top)
    return { field, code: rules.details?.[top] ?? 'invalid_format', message: message ?? `${field} is not valid.` }
  })
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
