/**
 * What stays of a message that was sent when its email is destroyed: enough to tell what its delivery was about, under the email's id
 * (decision D29). The content goes with the email.
 */
import type { EmailSummary } from '../../../storage/repos/emails.ts'

import { formatUTCDate } from '../../protocol/primitives.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Email } from '../email/email.type.ts'
import { packedLines, packedValue } from '../email/packed.ts'

export type KeptEmail = Pick<ObjectOf<typeof Email>, 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'source' | 'createdAt'>

export function keptOf({ packed, source, created_at }: EmailSummary): KeptEmail {
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
