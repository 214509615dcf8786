/**
 * The compact JSON form in which a MessageStructure is stored with its email. Layout, version 1: [1, size, flags (1 truncated, 2
 * hasAttachment), parts, textBody, htmlBody, attachments]. A part is [headerStart, headerEnd, bodyStart, bodyEnd, size, type, encoding,
 * subParts, charset, disposition, name, cid, language, location]. Each offset is relative to the one before (headerStart to that of the
 * part before); `size` -1 is the size of the body; the encoding is its index in ENCODINGS or its text; nulls at the end are omitted.
 */
import type { BodyPart, MessageStructure } from './structure.ts'

const VERSION = 1
const ENCODINGS: readonly string[] = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable']

type PackedPart = [
  headerStart: number,
  headerEnd: number,
  bodyStart: number,
  bodyEnd: number,
  size: number,
  type: string,
  encoding: number | string,
  subParts?: readonly number[] | null,
  charset?: string | null,
  disposition?: string | null,
  name?: string | null,
  cid?: string | null,
  language?: readonly string[] | null,
  location?: string | null,
]
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
  const headerStart = previous + entry[0]
  const headerEnd = headerStart + entry[1]
  const bodyStart = headerEnd + entry[2]
  const bodyEnd = bodyStart + entry[3]
  const size = entry[4]
  const encoding = entry[6]
  const subParts = entry[7] ?? null
  return {
    number,
    partId: subParts === null ? String(number) : null,
    headerStart,
    headerEnd,
    bodyStart,
    bodyEnd,
    type: entry[5],
    charset: entry[8] ?? null,
    disposition: entry[9] ?? null,
    name: entry[10] ?? null,
    cid: entry[11] ?? null,
    language: entry[12] ?? null,
    location: entry[13] ?? null,
    encoding: typeof encoding === 'number' ? (ENCODINGS[encoding] ?? '7bit') : encoding,
    size: size < 0 ? bodyEnd - bodyStart : size,
    subParts,
  }
}
