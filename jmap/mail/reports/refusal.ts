/** The meaning of a refusal for the recipient (decisions D25, D26). Pure. */
import type { Refusal } from '../submission/outcomes.ts'
import { type BouncedRecipient, describe, NoticeWords } from './recipient.ts'
import { BOUNCE_RULES } from './rules/all.ts'
import { statusIn } from './status-groups.ts'

const NO_WORDS = new NoticeWords([], BOUNCE_RULES)

/**
 * From a server's reply.
 * @param smtpReply one line: code, enhanced status code, text
 * @param host the server; null: this server, which does not know the recipient
 */
export function refusalOfReply(smtpReply: string, host: string | null): Refusal {
  const told = describe(
    {
      addresses: [],
      isNamed: true,
      action: 'failed',
      status: statusIn(smtpReply),
      // Servers report unknown recipients in reply to RCPT.
      diagnosis: `${smtpReply} (in reply to RCPT TO)`,
    },
    NO_WORDS,
  )
  return { isHard: told.class === 'hard', isGone: host !== null && isGone(told), smtpReply }
}

/** From a returned report. */
export function refusalOfReport(told: BouncedRecipient, smtpReply: string): Refusal {
  return { isHard: told.class === 'hard', isGone: isGone(told), smtpReply }
}

/** Whether the recipient is reported as gone: a permanent reply about this very address. An unknown domain may be a fault of DNS. */
function isGone({ status, code, reason, isNamed }: BouncedRecipient): boolean {
  const isPermanent = !status?.startsWith('4') && (code === null || code >= 500)
  return isNamed && isPermanent && (reason === 'unknownUser' || reason === 'moved')
}
