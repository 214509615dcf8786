/**
 * The record of a sent message that stays when its email is destroyed: enough to show its delivery under the email's id (decision D29).
 * The content is deleted with the email.
 */
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Email } from '../email/email.type.ts'
import { packedLines, packedValue } from '../email/packed.ts'

export type SentRecord = Pick<ObjectOf<typeof Email>, 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'source' | 'createdAt'>

export function sentRecordOf({ packed, source, created_at }: EmailSummary): SentRecord {
  const lines = packedLines(packed)
  return {
    from: packedValue(lines, 'from'),
    to: packedValue(lines, 'to'),
    cc: packedValue(lines, 'cc'),
    bcc: packedValue(lines, 'bcc'),
    subject: packedValue(lines, 'subject'),
    source,
    createdAt: formatUTCDate(created_at),
  }
}
