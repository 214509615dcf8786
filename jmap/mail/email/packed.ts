/**
 * Immutable properties of an email that lists show, stored as JSON texts, one per line (JSON.stringify never writes a raw line break).
 * A list is built from them without parsing (spec/measured.md, HTTP and JSON). New properties are added at the end: older rows lack
 * them, and they are read from the message.
 */

import { formatJmapDate } from '../../message/date.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Email } from './email.type.ts'

const PACKED_PROPERTIES = [
  'messageId',
  'inReplyTo',
  'references',
  'sender',
  'from',
  'to',
  'cc',
  'bcc',
  'replyTo',
  'subject',
  'sentAt',
  'preview',
] as const

export type PackedProperty = (typeof PACKED_PROPERTIES)[number]

const INDEX: ReadonlyMap<string, number> = new Map(PACKED_PROPERTIES.map((name, index) => [name, index]))

export function packProperties(message: ParsedMessage): string {
  const values = { ...message, sentAt: message.sentAt && formatJmapDate(message.sentAt) }
  return PACKED_PROPERTIES.map((name) => JSON.stringify(values[name])).join('\n')
}

export function isPacked(property: string): property is PackedProperty {
  return INDEX.has(property)
}

/** Index of a property among the lines of a row. */
export function packedIndex(property: PackedProperty): number {
  return INDEX.get(property)!
}

/** JSON text of one property, from the lines of a row. */
export function packedText(lines: readonly string[], property: PackedProperty): string {
  return lines[INDEX.get(property)!] ?? 'null'
}

export function packedValue<N extends PackedProperty>(lines: readonly string[], name: N): ObjectOf<typeof Email>[N] {
  return JSON.parse(packedText(lines, name)) as ObjectOf<typeof Email>[N]
}

export function packedLines(packed: string): readonly string[] {
  return packed.split('\n')
}
