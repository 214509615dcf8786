/** Finds the messages that a report is about, in any form: RFC 3464, RFC 8098, or a notice in words. Pure. */

import { readBounce } from '../../mail/reports/bounce.ts'
import { replyIn } from '../../mail/reports/recipient.ts'
import { type MessageReport, readReport } from '../../message/report.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import type { InboundMessage } from '../inbound-message.ts'

/** null: the message is not a report. */
export function reportOf({ bytes, mailFrom }: InboundMessage, parsed: ParsedMessage): MessageReport | null {
  const report = readReport(bytes, parsed)
  // RFC 5321 4.5.5: notices of mail systems have the null sender. Other mail is not examined.
  if (report || mailFrom !== '') return report
  const bounce = readBounce(bytes, parsed)
  if (!bounce) return null
  const { envelopeId, messageIds } = bounce
  const recipients = bounce.recipients.map((one) => ({
    addresses: one.addresses,
    action: one.action,
    status: one.status,
    smtpReply: replyIn(one),
  }))
  return { kind: 'dsn', envelopeId, messageIds, recipients }
}
