/** Header fields that the client adds (decision D14): none about sender, recipients or origin, and none about the form of the message. */
import { isFormAllowed } from '../../jmap/message/header-forms.ts'
import { MESSAGE_HEADER_MAX_CHARS, MESSAGE_MAX_HEADERS } from '../../server/base/limits.ts'
import type { FieldDetail } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

export const headersField = s.map(s.string({ maxLength: MESSAGE_HEADER_MAX_CHARS }), {
  maxProperties: MESSAGE_MAX_HEADERS,
  description: 'Custom header fields, such as `List-Unsubscribe` or `X-Order`.',
})

/** Fields that another member sets, that the server writes, or that would deceive recipients. */
const FORBIDDEN = new Set(
  'from to cc bcc sender reply-to date message-id subject in-reply-to references received return-path authentication-results delivered-to'.split(
    ' ',
  ),
)
const FORBIDDEN_PREFIXES = ['mime-', 'content-', 'dkim-', 'arc-', 'resent-', 'x-posthouse-']

/** RFC 5322 2.2 ftext */
const NAME = /^[\x21-\x39\x3b-\x7e]{1,76}$/

/** The fields as properties of Email/set. @param details gets an item for each field that cannot be set */
export function headerProperties(
  headers: { readonly [name: string]: string } | undefined,
  details: FieldDetail[],
): { readonly [property: string]: string } {
  const properties: { [property: string]: string } = {}
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers ?? {})) {
    const fault = faultOf(name, value, seen)
    seen.add(name.toLowerCase())
    if (fault) details.push({ field: `headers.${name.slice(0, 80)}`, ...fault })
    else Object.assign(properties, property(name, value))
  }
  return properties
}

function faultOf(name: string, value: string, seen: Set<string>): Pick<FieldDetail, 'code' | 'message'> | null {
  const lower = name.toLowerCase()
  if (!NAME.test(name)) return { code: 'invalid_format', message: `${name.slice(0, 80)} cannot name a header field.` }
  if (FORBIDDEN.has(lower) || FORBIDDEN_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return { code: 'not_allowed', message: `The header field ${name} cannot be set here.` }
  }
  if (seen.has(lower)) return { code: 'not_allowed', message: `The header field ${name} is given twice.` }
  // RFC 5322 2.2: a line break in a value begins the next field.
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
    return { code: 'invalid_format', message: `The header field ${name} has a control character in its value.` }
  }
  if (!isFormAllowed(name, 'Text') && /[^\x09\x20-\x7e]/.test(value)) {
    return { code: 'invalid_format', message: `The header field ${name} takes ASCII only.` }
  }
  return null
}

/** RFC 8621 4.1.2: the form Text encodes non-ASCII text. A field without that form is sent unchanged. */
function property(name: string, value: string): { readonly [property: string]: string } {
  return isFormAllowed(name, 'Text') ? { [`header:${name}:asText`]: value } : { [`header:${name}:asRaw`]: ` ${value}` }
}
