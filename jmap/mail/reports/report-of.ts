/** What a message reports on others, in whatever form: RFC 3464, RFC 8098, or a notice in words. Pure. */
import type { InboundMessage } from '../delivery/inbound-message.ts'
import { type MessageReport, readReport } from '../message/report.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { readBounce } from './bounce.ts'
import { replyIn } from './recipient.ts'

/** null for what is no report. */
export function reportOf({ bytes, mailFrom }: InboundMessage, parsed: ParsedMessage): MessageReport | null {
  const report = readReport(bytes, parsed)
  // RFC 5321 4.5.5: notices of mail systems have the null sender. Other mail is not looked into.
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
