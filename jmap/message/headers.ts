/** Fields of a header block by name, and their values as text. */
import { asBuffer, decodeCharset } from './charset.ts'
import { type HeaderField, readHeaderBlock } from './header-block.ts'

/** The fields of a separate header block, such as a range of a stored message. */
export function readHeaders(bytes: Uint8Array, start = 0, end = bytes.length): HeaderField[] {
  return readHeaderBlock(asBuffer(bytes), start, end).fields
}

/** Names compare without case. @param name in lower case */
export function isNamed(field: HeaderField, name: string): boolean {
  return field.name.length === name.length && field.name.toLowerCase() === name
}

/** The first field of that name, or null. */
export function firstField(fields: readonly HeaderField[], name: string): HeaderField | null {
  const wanted = name.toLowerCase()
  return fields.find((field) => isNamed(field, wanted)) ?? null
}

/** The last field of that name (RFC 8621 4.1.3), or null. */
export function lastField(fields: readonly HeaderField[], name: string): HeaderField | null {
  const wanted = name.toLowerCase()
  return fields.findLast((field) => isNamed(field, wanted)) ?? null
}

/**
 * The value of a field as a string, still folded. RFC 6532: UTF-8. Octets that are not UTF-8 are decoded as windows-1252, which most
 * senders of such headers mean, so that no text is lost.
 */
export function fieldText(bytes: Uint8Array, field: { readonly start: number; readonly end: number }): string {
  return decodeCharset(asBuffer(bytes).subarray(field.start, field.end), null).text
}

/** The value of a field on one line, without white space around it. */
export function unfoldedText(bytes: Uint8Array, field: HeaderField): string {
  return unfold(fieldText(bytes, field)).trim()
}

/** RFC 5322 2.2.3: removes line breaks and keeps the white space after them. */
export function unfold(value: string): string {
  return value.includes('\n') || value.includes('\r') ? value.replace(/[\r\n]+/g, '') : value
}
