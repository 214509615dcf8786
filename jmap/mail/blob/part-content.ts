/**
 * The content of MIME parts, whole or in ranges. Facts about a part are cached, so that a download in many pieces parses and decodes a
 * message once.
 */
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import { freeMemory, freeWhole } from '../../../server/base/free-memory.ts'
import { DOWNLOAD_CHUNK_BYTES, PART_MARK_MIN_BYTES, PARTS_REMEMBERED_MAX } from '../../../server/base/limits.ts'
import { PART_IN_PIECES_MIN_BYTES } from '../../../server/base/reading-limits.ts'
import type { ByteRange } from '../../../storage/blob-store.ts'
import { asBuffer } from '../../message/charset.ts'
import { type Mark, marksAround, sliceBetween } from '../../message/decode-ranges.ts'
import type { BodyPart } from '../../message/structure.ts'
import { decodeTransfer } from '../../message/transfer.ts'
import type { MessageWork } from '../../type/message-work.ts'

export type ReadRange = (range?: ByteRange) => Promise<Uint8Array>

/** A part, and how to read its content. */
export interface KnownPart {
  readonly part: BodyPart
  /** undefined: not determined; null: the part can only be decoded as a whole. */
  marks: readonly Mark[] | null | undefined
}

/** The parts on the path into a blob, by their position. */
export class RememberedParts {
  readonly #parts = new Map<string, readonly KnownPart[]>()

  get(place: string): readonly KnownPart[] | undefined {
    const found = this.#parts.get(place)
    if (!found) return undefined
    this.#parts.delete(place)
    this.#parts.set(place, found)
    return found
  }

  set(place: string, parts: readonly KnownPart[]): void {
    this.#parts.set(place, parts)
    // The least recently used entries are dropped.
    forgetOldest(this.#parts, PARTS_REMEMBERED_MAX)
  }
}

/** @param outer octets of the message that the part is in */
export async function readPart(
  messageWork: MessageWork,
  known: KnownPart,
  outer: ReadRange,
  range?: ByteRange,
): Promise<Uint8Array> {
  const { part } = known
  if (isIdentity(part)) {
    const start = part.bodyStart + (range?.start ?? 0)
    const end = range ? Math.min(part.bodyStart + range.end, part.bodyEnd) : part.bodyEnd
    return outer({ start: Math.min(start, part.bodyEnd), end: Math.max(Math.min(start, part.bodyEnd), end) })
  }
  const piece = known.marks === null ? null : await readMarked(messageWork, known, outer, range)
  if (piece) return piece
  const raw = await outer({ start: part.bodyStart, end: part.bodyEnd })
  const content = await messageWork.decodeGiven(raw, part.encoding)
  if (!range || (range.start === 0 && range.end >= content.length)) return content
  const cut = Uint8Array.from(content.subarray(range.start, range.end))
  // A view would keep all of it.
  freeWhole(content)
  return cut
}

/** null: it is read as a whole. */
async function readMarked(
  messageWork: MessageWork,
  known: KnownPart,
  outer: ReadRange,
  range?: ByteRange,
): Promise<Uint8Array | null> {
  const encoded = known.part.bodyEnd - known.part.bodyStart
  if (range) return encoded < PART_MARK_MIN_BYTES ? null : readPiece(messageWork, known, outer, range)
  return encoded < PART_IN_PIECES_MIN_BYTES ? null : readInPieces(messageWork, known, outer)
}

/** All of a large part, which is not in memory encoded and decoded at a time. */
async function readInPieces(messageWork: MessageWork, known: KnownPart, outer: ReadRange): Promise<Uint8Array | null> {
  const { size } = known.part
  const content = Buffer.allocUnsafeSlow(size)
  for (let start = 0; start < size; start += DOWNLOAD_CHUNK_BYTES) {
    const piece = await readPiece(messageWork, known, outer, { start, end: start + DOWNLOAD_CHUNK_BYTES })
    if (!piece) return null
    content.set(piece, start)
    freeMemory(piece)
  }
  return content
}

async function readPiece(
  messageWork: MessageWork,
  known: KnownPart,
  outer: ReadRange,
  range: ByteRange,
): Promise<Uint8Array | null> {
  const { part } = known
  const { bodyStart, bodyEnd, encoding, size } = part
  if (known.marks === undefined)
    known.marks = await messageWork.findMarks(await outer({ start: bodyStart, end: bodyEnd }), encoding, size)
  if (!known.marks) return null
  const end = Math.min(range.end, size)
  if (range.start >= end) return new Uint8Array()
  const around = marksAround(known.marks, range.start, end)
  const { from, to } = around
  const bytes = asBuffer(await outer({ start: bodyStart + from.encoded, end: bodyStart + to.encoded }))
  // What could not be cut may be long.
  const content =
    bytes.length <= PART_MARK_MIN_BYTES
      ? decodeTransfer(bytes, encoding)
      : await messageWork.decodeGiven(bytes, encoding)
  const piece = sliceBetween(content, around, range.start, end)
  if (!piece) known.marks = null
  return piece
}

/** The octets of the source are the content, so a range can be read without the rest. */
function isIdentity(part: BodyPart): boolean {
  return (
    part.encoding !== 'base64' && part.encoding !== 'quoted-printable' && part.size === part.bodyEnd - part.bodyStart
  )
}
