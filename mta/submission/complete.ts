/** RFC 6409 8: what a submission server may do to a message before it is sent. Pure. */
import { readWholeHeader } from '../../jmap/mail/message/header-block.ts'
import { firstField } from '../../jmap/mail/message/headers.ts'
import { withoutFields } from '../../jmap/mail/message/without-fields.ts'
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
  const header = readWholeHeader(bytes)
  const has = (name: string) => firstField(header.fields, name) !== null
  let front = trace
  if (!has('date')) front += `Date: ${formatDate(now)}\r\n`
  if (!has('message-id')) front += `Message-ID: ${messageId}\r\n`
  const kept = withoutFields(bytes, ({ name }) => REMOVED.has(name.toLowerCase()), { header })
  return Buffer.concat([Buffer.from(front), ...kept])
}
