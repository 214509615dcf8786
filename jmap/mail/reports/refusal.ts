/** What a refusal means for the recipient (decisions D25, D26). Pure. */
import type { Refusal } from '../submission/outcomes.ts'
import { type BouncedRecipient, describe, NoticeWords } from './recipient.ts'
import { statusIn } from './status-groups.ts'

const NO_WORDS = new NoticeWords([])

/**
 * Of a server's reply to us.
 * @param smtpReply one line: code, enhanced status code, text
 * @param host the server; null: this one, which knows nothing of who is there
 */
export function refusalOfReply(smtpReply: string, host: string | null): Refusal {
  const told = describe(
    {
      addresses: [],
      isNamed: true,
      action: 'failed',
      status: statusIn(smtpReply),
      // Who is unknown is said to RCPT.
      diagnosis: `${smtpReply} (in reply to RCPT TO)`,
    },
    NO_WORDS,
  )
  return { isHard: told.class === 'hard', isGone: host !== null && isGone(told), smtpReply }
}

/** Of a report that came back. */
export function refusalOfReport(told: BouncedRecipient, smtpReply: string): Refusal {
  return { isHard: told.class === 'hard', isGone: isGone(told), smtpReply }
}

/** Named as gone: a permanent word on this very address. That a domain is not found may be a fault of DNS. */
function isGone({ status, code, reason, isNamed }: BouncedRecipient): boolean {
  const isPermanent = !status?.startsWith('4') && (code === null || code >= 500)
  return isNamed && isPermanent && (reason === 'unknownUser' || reason === 'moved')
}
