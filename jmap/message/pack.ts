/**
 * The compact JSON form in which a MessageStructure is stored with its email. Layout, version 1: [1, size, flags (1 truncated, 2
 * hasAttachment), parts, textBody, htmlBody, attachments]. A part is [headerStart, headerEnd, bodyStart, bodyEnd, size, type, encoding,
 * subParts, charset, disposition, name, cid, language, location]. Each offset is relative to the one before (headerStart to that of the
 * part before); `size` -1 is the size of the body; the encoding is its index in ENCODINGS or its text; nulls at the end are omitted.
 */
import type { BodyPart, MessageStructure } from './structure.ts'

const VERSION = 1
const ENCODINGS: readonly string[] = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable']

type PackedPart = (number | string | null | readonly number[] | readonly string[])[]
export type PackedStructure = [
  version: number,
  size: number,
  flags: number,
  parts: PackedPart[],
  textBody: readonly number[],
  htmlBody: readonly number[],
  attachments: readonly number[],
]

/** The stored form: plain JSON. */
export function packStructure(structure: MessageStructure): PackedStructure {
  const flags = (structure.truncated ? 1 : 0) | (structure.hasAttachment ? 2 : 0)
  let previous = 0
  const parts = structure.parts.map((part) => {
    const packed = packPart(part, previous)
    previous = part.headerStart
    return packed
  })
  const { size, textBody, htmlBody, attachments } = structure
  return [VERSION, size, flags, parts, textBody, htmlBody, attachments]
}

function packPart(part: BodyPart, previous: number): PackedPart {
  const { headerStart, headerEnd, bodyStart, bodyEnd } = part
  const encoding = ENCODINGS.indexOf(part.encoding)
  const packed: PackedPart = [
    headerStart - previous,
    headerEnd - headerStart,
    bodyStart - headerEnd,
    bodyEnd - bodyStart,
    part.size === bodyEnd - bodyStart ? -1 : part.size,
    part.type,
    encoding < 0 ? part.encoding : encoding,
    part.subParts,
    part.charset,
    part.disposition,
    part.name,
    part.cid,
    part.language,
    part.location,
  ]
  while (packed.at(-1) === null) packed.pop()
  return packed
}

/** The structure that `packStructure` stored; null for any other value: the caller then parses the message again. */
export function unpackStructure(packed: unknown): MessageStructure | null {
  if (!Array.isArray(packed) || packed.length !== 7 || packed[0] !== VERSION) return null
  const [, size, flags, packedParts, textBody, htmlBody, attachments] = packed as PackedStructure
  let previous = 0
  const parts = packedParts.map((entry, index) => {
    const part = unpackPart(entry, index + 1, previous)
    previous = part.headerStart
    return part
  })
  const truncated = (flags & 1) !== 0
  return { size, truncated, parts, textBody, htmlBody, attachments, hasAttachment: (flags & 2) !== 0 }
}

function unpackPart(entry: PackedPart, number: number, previous: number): BodyPart {
  const headerStart = previous + (entry[0] as number)
  const headerEnd = headerStart + (entry[1] as number)
  const bodyStart = headerEnd + (entry[2] as number)
  const bodyEnd = bodyStart + (entry[3] as number)
  const size = entry[4] as number
  const encoding = entry[6]
  const subParts = (entry[7] ?? null) as readonly number[] | null
  return {
    number,
    partId: subParts === null ? String(number) : null,
    headerStart,
    headerEnd,
    bodyStart,
    bodyEnd,
    type: entry[5] as string,
    charset: (entry[8] ?? null) as string | null,
    disposition: (entry[9] ?? null) as string | null,
    name: (entry[10] ?? null) as string | null,
    cid: (entry[11] ?? null) as string | null,
    language: (entry[12] ?? null) as readonly string[] | null,
    location: (entry[13] ?? null) as string | null,
    encoding: typeof encoding === 'number' ? (ENCODINGS[encoding] ?? '7bit') : (encoding as string),
    size: size < 0 ? bodyEnd - bodyStart : size,
    subParts,
  }
}
