/** RFC 6409 8: changes that a submission server makes to a message before it is sent. Pure. */
import { readWholeHeader } from '../../jmap/message/header-block.ts'
import { firstField } from '../../jmap/message/headers.ts'
import { withoutFields } from '../../jmap/message/without-fields.ts'
import { joinInTurns } from '../../server/base/turns.ts'
import { formatDate } from '../smtp/trace-fields.ts'

export interface Completion {
  /** Received field to write in front, with its line end. */
  readonly trace: string
  /** Message-ID for a message without one, with its angle brackets. */
  readonly messageId: string
  /** Epoch ms. */
  readonly now: number
}

// RFC 5322 3.6.3: other recipients must not see Bcc. RFC 5321 4.4: an originator writes no Return-Path.
const REMOVED = new Set(['bcc', 'resent-bcc', 'return-path'])

/** Adds Date and Message-ID where they are missing, and removes Bcc. The octets have memory of their own. */
export function completeMessage(bytes: Buffer, { trace, messageId, now }: Completion): Promise<Buffer> {
  const header = readWholeHeader(bytes)
  const has = (name: string) => firstField(header.fields, name) !== null
  let front = trace
  if (!has('date')) front += `Date: ${formatDate(now)}\r\n`
  if (!has('message-id')) front += `Message-ID: ${messageId}\r\n`
  const kept = withoutFields(bytes, ({ name }) => REMOVED.has(name.toLowerCase()), { header })
  return joinInTurns([Buffer.from(front), ...kept])
}
