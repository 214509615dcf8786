/** RFC 8620 3.6.2: errors of one method call. */
import type { JsonObject } from '../../server/base/json.ts'

export const METHOD_ERROR_TYPES = [
  // RFC 8620 3.6.2: any method.
  'serverUnavailable',
  'serverFail',
  'serverPartialFail',
  'unknownMethod',
  'invalidArguments',
  'invalidResultReference',
  'forbidden',
  'accountNotFound',
  'accountNotSupportedByMethod',
  'accountReadOnly',
  // RFC 8620 5.1, 5.3: /get and /set.
  'requestTooLarge',
  // RFC 8620 5.2, 5.6: /changes and /queryChanges.
  'cannotCalculateChanges',
  'tooManyChanges',
  // RFC 8620 5.3, 5.4: /set and /copy.
  'stateMismatch',
  'fromAccountNotFound',
  'fromAccountNotSupportedByMethod',
  // RFC 8620 5.5: /query.
  'anchorNotFound',
  'unsupportedSort',
  'unsupportedFilter',
  // RFC 9404 4.3: Blob/lookup.
  'unknownDataType',
  // JMAP Calendars (draft-ietf-jmap-calendars): CalendarEvent/query and Principal/getAvailability.
  'cannotCalculateOccurrences',
  'expandDurationTooLarge',
  'notFound',
  'tooLarge',
  'rateLimit',
  // Vendor methods: the object is in another state.
  'invalidState',
] as const

export type MethodErrorType = (typeof METHOD_ERROR_TYPES)[number]

/** Thrown inside a method to end it; the dispatcher returns `["error", toArguments(), callId]`. */
export class MethodError extends Error {
  override readonly name = 'MethodError'
  readonly type: MethodErrorType
  /** For developers, in English. Clients see it, so it never contains internal text. */
  readonly description: string | undefined
  /** Further properties of the error's arguments. */
  readonly extra: JsonObject

  constructor(type: MethodErrorType, description?: string, extra: JsonObject = {}) {
    super(description === undefined ? type : `${type}: ${description}`)
    this.type = type
    this.description = description
    this.extra = extra
  }

  toArguments(): JsonObject {
    return {
      type: this.type,
      ...(this.description !== undefined && { description: this.description }),
      ...this.extra,
    }
  }
}

/** @param names the arguments at fault, returned in an extra property `arguments` */
export function invalidArguments(description: string, names: readonly string[] = []): MethodError {
  return new MethodError('invalidArguments', description, names.length > 0 ? { arguments: names } : {})
}

export function invalidResultReference(description: string): MethodError {
  return new MethodError('invalidResultReference', description)
}
