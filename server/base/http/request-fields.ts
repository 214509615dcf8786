/** Header fields of requests that both APIs read. */
import type { IncomingHttpHeaders } from 'node:http'

/** RFC 9110 11.6.2. null: the field is absent or has another form. */
export function readAuthorization(field = ''): { readonly scheme: string; readonly credentials: string } | null {
  const [, scheme, credentials] = /^(\S+) +(\S+)$/.exec(field.trim()) ?? []
  // RFC 9110 11.1: schemes compare without case.
  return scheme && credentials ? { scheme: scheme.toLowerCase(), credentials } : null
}

/** RFC 9110 8.3. `isUtf8`: no charset is named, or it is UTF-8, the only one that JSON has (RFC 8259 8.1). */
export function readMediaType(field: string): { readonly type: string; readonly isUtf8: boolean } {
  const [type = '', ...parameters] = field
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) }
}

/** RFC 9110 8.4 */
export function isCompressed({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding !== undefined && encoding.toLowerCase() !== 'identity'
}
