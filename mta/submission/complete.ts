/** RFC 6409 8: what a submission server may do to a message before it is sent. Pure. */
import { readHeaderBlock, withoutFields } from '../smtp/header-block.ts'
import { formatDate } from '../smtp/trace.ts'

export interface Completion {
  /** Header fields to write in front: Received. */
  readonly trace: string
  /** A Message-ID to give to a message without one, with its angle brackets. */
  readonly messageId: string
  /** Epoch ms. */
  readonly now: number
}

// RFC 5322 3.6.3: what Bcc names, the others must not learn. RFC 5321 4.4: an originator writes no Return-Path.
const REMOVED = new Set(['bcc', 'resent-bcc', 'return-path'])

/** The message with Date and Message-ID where they were missing, and without Bcc. */
export function completeMessage(bytes: Buffer, { trace, messageId, now }: Completion): Buffer {
  const block = readHeaderBlock(bytes)
  const has = (name: string) => block.fields.some((field) => field.name === name)
  let front = trace
  if (!has('date')) front += `Date: ${formatDate(now)}\r\n`
  if (!has('message-id')) front += `Message-ID: ${messageId}\r\n`
  // Without a header section the first line would be read as one.
  const separator = block.fields.length === 0 && !startsWithEmptyLine(bytes) ? '\r\n' : ''
  const kept = withoutFields(bytes, block, (field) => REMOVED.has(field.name))
  return Buffer.concat([Buffer.from(front + separator), ...kept])
}

function startsWithEmptyLine(bytes: Buffer): boolean {
  return bytes[0] === 0x0d || bytes[0] === 0x0a
}
