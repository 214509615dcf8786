/** The one rule for the header of incoming messages, for every way into a mailbox (promise T1). Pure. */
import type { Buffer } from 'node:buffer'
import { MIME_MAX_HEADER_BYTES, MIME_MAX_HEADER_FIELDS, MIME_MAX_TRACE_FIELDS } from '../../server/base/limits.ts'
import { asBuffer } from './charset.ts'
import { type HeaderBlock, type HeaderField, readHeaderBlock } from './header-block.ts'

/** Octets of a message from which on its header can be judged, whatever follows: a line that begins within the limit is read further. */
export const HEADER_JUDGED_BYTES = MIME_MAX_HEADER_BYTES + 2_048
/** For people, without a full stop. */
export const HEADER_BOUND = `at most ${MIME_MAX_HEADER_BYTES} octets and ${MIME_MAX_HEADER_FIELDS} fields`

const LIMITS = { bytes: MIME_MAX_HEADER_BYTES, fields: MIME_MAX_HEADER_FIELDS }

/** Fields that servers write in front of an incoming message. */
const TRACE = new Set(['return-path', 'received', 'authentication-results'])

/**
 * Whether the header of an arriving message is too large.
 * @param beginning of the message: the whole of it, or at least HEADER_JUDGED_BYTES
 */
export function isHeaderTooLarge(beginning: Buffer): boolean {
  const end = Math.min(beginning.length, HEADER_JUDGED_BYTES)
  return readHeaderBlock(beginning, 0, end, { limits: LIMITS }).truncated
}

/** Why octets are not an acceptable message, in words; null: they are one. */
export function headerFault(message: Uint8Array): string | null {
  const bytes = asBuffer(message)
  const block = readHeaderBlock(bytes, 0, bytes.length)
  if (block.fields.length === 0) return 'A message has a header, and this has no header field.'
  return block.truncated || isBeyond(block) ? `The header of the message is too large: ${HEADER_BOUND}.` : null
}

/** Trace fields that servers have added in front do not count: an accepted message can be imported again. */
function isBeyond({ fields, headerEnd }: HeaderBlock): boolean {
  const other = fields.slice(0, MIME_MAX_TRACE_FIELDS).findIndex((field) => !isTrace(field))
  const first = other < 0 ? Math.min(fields.length, MIME_MAX_TRACE_FIELDS) : other
  const start = fields[first]?.lineStart ?? headerEnd
  return fields.length - first > MIME_MAX_HEADER_FIELDS || headerEnd - start > MIME_MAX_HEADER_BYTES
}

function isTrace({ name }: HeaderField): boolean {
  return TRACE.has(name.toLowerCase())
}
