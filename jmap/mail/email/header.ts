/** Header fields as properties of an email or of a body part: `headers` and `header:*` (RFC 8621 4.1.2, 4.1.3). */
import type { Json } from '../../../server/base/json.ts'
import type { HeaderField } from '../../message/header-block.ts'
import { headerForm, parseHeaderProperty } from '../../message/header-forms.ts'
import { readHeaders } from '../../message/headers.ts'
import type { BodyPart } from '../../message/structure.ts'
import type { MessageView } from './message-view.ts'

/** Header fields of a message or of one of its parts. */
export interface PartFields {
  readonly bytes: Uint8Array
  readonly fields: readonly HeaderField[]
}

export async function partFields(message: MessageView, part: BodyPart): Promise<PartFields> {
  const bytes = await message.range(part.headerStart, part.headerEnd)
  return { bytes, fields: readHeaders(bytes) }
}

/** RFC 8621 4.1.3: all fields, in order, raw. */
export function rawHeaders({ bytes, fields }: PartFields): Json {
  return fields.map((field) => ({ name: field.name, value: headerForm(fieldValues(bytes, field), 'Raw') }))
}

/** Fields of the message's own header. */
async function messageFields(message: MessageView): Promise<PartFields> {
  return partFields(message, (await message.structure()).parts[0]!)
}

/** Octets of a field's value, still folded. */
export function fieldValues(bytes: Uint8Array, field: HeaderField): Uint8Array {
  return bytes.subarray(field.start, field.end)
}

export async function headerProperty(message: MessageView, property: string): Promise<Json> {
  const fields = await messageFields(message)
  return property === 'headers' ? rawHeaders(fields) : formOf(fields.bytes, fields.fields, property)
}

/** RFC 8621 4.1.3: the last field of the name, or all of them in order; null or [] if there is none. */
export function formOf(bytes: Uint8Array, fields: readonly HeaderField[], property: string): Json {
  const { name, form, all } = parseHeaderProperty(property)!
  const wanted = name.toLowerCase()
  const found = fields.filter((field) => field.name.toLowerCase() === wanted)
  const value = (field: HeaderField) => headerForm(fieldValues(bytes, field), form) as Json
  if (all) return found.map(value)
  const last = found.at(-1)
  return last ? value(last) : null
}
