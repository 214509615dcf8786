/** RFC 8621 4.1.2 and 4.1.3: the forms of header fields, and the forms that each field allows. */
import { MIME_MAX_FIELD_ITEMS } from '../../server/base/limits.ts'
import { type EmailAddress, type EmailAddressGroup, parseAddresses, parseGroupedAddresses } from './addresses.ts'
import { asBuffer, decodeCharset } from './charset.ts'
import { skipComment } from './content-fields.ts'
import { formatJmapDate, parseDate } from './date.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { unfold } from './headers.ts'

export const HEADER_FORMS = ['Raw', 'Text', 'Addresses', 'GroupedAddresses', 'MessageIds', 'Date', 'URLs'] as const
export type HeaderForm = (typeof HEADER_FORMS)[number]

/** The value of each form, as in JMAP. */
export interface HeaderFormValues {
  Raw: string
  Text: string
  Addresses: EmailAddress[]
  GroupedAddresses: EmailAddressGroup[]
  MessageIds: string[] | null
  Date: string | null
  URLs: string[] | null
}

/** The parts of `header:{name}[:as{form}][:all]`; `name` as the client wrote it. */
export interface HeaderProperty {
  readonly name: string
  readonly form: HeaderForm
  readonly all: boolean
}

const ADDRESSES: readonly HeaderForm[] = ['Addresses', 'GroupedAddresses']

/** RFC 8621 4.1.2: forms beside Raw of the fields that RFC 5322 and RFC 2369 define; every other field allows all forms. */
const FORMS_OF_DEFINED_FIELDS: ReadonlyMap<string, readonly HeaderForm[]> = new Map([
  ...['subject', 'comments', 'keywords'].map((name) => [name, ['Text']] as [string, HeaderForm[]]),
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'].flatMap((name): [string, readonly HeaderForm[]][] => [
    [name, ADDRESSES],
    [`resent-${name}`, ADDRESSES],
  ]),
  ...['message-id', 'in-reply-to', 'references', 'resent-message-id'].map(
    (name) => [name, ['MessageIds']] as [string, HeaderForm[]],
  ),
  ...['date', 'resent-date'].map((name) => [name, ['Date']] as [string, HeaderForm[]]),
  ...['help', 'unsubscribe', 'subscribe', 'post', 'owner', 'archive'].map(
    (name) => [`list-${name}`, ['URLs']] as [string, HeaderForm[]],
  ),
  // RFC 5322 3.6.7: trace fields have no parsed form.
  ['return-path', []],
  ['received', []],
])

/** Whether a field may be read or set in a form (RFC 8621 4.1.2). Names compare without case. */
export function isFormAllowed(headerName: string, form: HeaderForm): boolean {
  if (form === 'Raw') return true
  const forms = FORMS_OF_DEFINED_FIELDS.get(headerName.toLowerCase())
  return forms === undefined || forms.includes(form)
}

/** Parses a property name (RFC 8621 4.1.3); null: it is not a header property. `isFormAllowed` checks the form. */
export function parseHeaderProperty(property: string): HeaderProperty | null {
  const [prefix, name, ...suffixes] = property.split(':')
  // RFC 8621 4.1.3: one or more printable ASCII characters, except the colon.
  if (prefix !== 'header' || name === undefined || !/^[\x21-\x39\x3b-\x7e]+$/.test(name)) return null
  const all = suffixes.at(-1) === 'all'
  if (all) suffixes.pop()
  const as = suffixes.shift()
  if (suffixes.length > 0) return null
  if (as === undefined) return { name, form: 'Raw', all }
  const form = HEADER_FORMS.find((known) => as === `as${known}`)
  // asRaw is Raw requested by its name; the RFC lists it among the forms.
  return form ? { name, form, all } : null
}

/** The value of a field (the text after the colon, still folded) in a form. Total: any value gives a result. */
export function headerForm<F extends HeaderForm>(value: Uint8Array | string, form: F): HeaderFormValues[F] {
  return FORMS[form](value) as HeaderFormValues[F]
}

const FORMS: { readonly [F in HeaderForm]: (value: Uint8Array | string) => HeaderFormValues[F] } = {
  Raw: rawForm,
  Text: (value) => textForm(toText(value)),
  Addresses: (value) => parseAddresses(unfold(toText(value))),
  GroupedAddresses: (value) => parseGroupedAddresses(unfold(toText(value))),
  MessageIds: (value) => parseMessageIds(toText(value)),
  Date: (value) => {
    const date = parseDate(unfold(toText(value)))
    return date && formatJmapDate(date)
  },
  URLs: (value) => parseUrls(toText(value)),
}

// RFC 8621 4.1.2.1: octets that violate UTF-8 become U+FFFD; any NUL is dropped.
function rawForm(value: Uint8Array | string): string {
  const text = typeof value === 'string' ? value : asBuffer(value).toString('utf8')
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

function toText(value: Uint8Array | string): string {
  return typeof value === 'string' ? value : decodeCharset(value, null).text
}

/** RFC 8621 4.1.2.2. At the beginning a tab is removed like a space, because a field may be folded with it. */
export function textForm(value: string): string {
  const text = unfold(value)
  return decodeEncodedWords((text.includes('\0') ? text.replaceAll('\0', '') : text).replace(/^[ \t]+/, ''))
}

/**
 * RFC 8621 4.1.2.5: msg-ids without angle brackets. White space inside one (a fold that a mailer wrote) is dropped, phrases between
 * them (RFC 5322 4.5.4) are skipped. Without any angle bracket, words with an `@` count; null: there is none.
 */
export function parseMessageIds(value: string): string[] | null {
  const ids: string[] = []
  for (let index = 0; index < value.length && ids.length < MIME_MAX_FIELD_ITEMS; ) {
    const code = value.charCodeAt(index)
    if (code === 0x28) {
      index = skipComment(value, index)
    } else if (code === 0x3c) {
      const end = idEnd(value, index + 1)
      const id = value.slice(index + 1, end).replace(/[\s\0]/g, '')
      if (id !== '') ids.push(id)
      index = end
    } else {
      index++
    }
  }
  if (ids.length > 0) return ids
  const bare = value.split(/[\s,<>\0]+/, MIME_MAX_FIELD_ITEMS).filter((word) => word.indexOf('@') > 0)
  return bare.length > 0 ? bare : null
}

function idEnd(value: string, start: number): number {
  let index = start
  for (; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code === 0x3e || code === 0x3c) break
  }
  return index
}

/** RFC 8621 4.1.2.7, RFC 2369 2: the URLs in angle brackets, without white space inside; null: there is none. */
function parseUrls(value: string): string[] | null {
  const urls: string[] = []
  for (let index = 0; index < value.length && urls.length < MIME_MAX_FIELD_ITEMS; ) {
    const code = value.charCodeAt(index)
    if (code === 0x28) {
      index = skipComment(value, index)
    } else if (code === 0x3c) {
      const end = idEnd(value, index + 1)
      const url = value.slice(index + 1, end).replace(/[\s\0]/g, '')
      if (url !== '') urls.push(url)
      index = end
    } else {
      index++
    }
  }
  return urls.length > 0 ? urls : null
}
