/** Header fields as properties of an email or of a body part: `headers` and `header:*` (RFC 8621 4.1.2, 4.1.3). */
import type { Json } from '../../core.ts'
import { headerForm, parseHeaderProperty } from '../message/header-forms.ts'
import type { HeaderField } from '../message/headers.ts'
import { type MessageView, messageFields, rawHeaders } from './body.ts'

/** Octets of a field's value, still folded. */
export function fieldValues(bytes: Uint8Array, field: HeaderField): Uint8Array {
  return bytes.subarray(field.start, field.end)
}

export async function headerProperty(message: MessageView, property: string): Promise<Json> {
  const fields = await messageFields(message)
  return property === 'headers' ? rawHeaders(fields) : formOf(fields.bytes, fields.fields, property)
}

/** RFC 8621 4.1.3: the last field of the name, or all of them in order; null or [] when there is none. */
export function formOf(bytes: Uint8Array, fields: readonly HeaderField[], property: string): Json {
  const { name, form, all } = parseHeaderProperty(property)!
  const wanted = name.toLowerCase()
  const found = fields.filter((field) => field.name.toLowerCase() === wanted)
  const value = (field: HeaderField) => headerForm(fieldValues(bytes, field), form) as Json
  if (all) return found.map(value)
  const last = found.at(-1)
  return last ? value(last) : null
}
