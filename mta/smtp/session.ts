/** What a connection tells its handlers, and what they answer: plain values, nothing of smtp-server. */
import type { EnvelopeParameters, EnvelopeRecipient } from '../../jmap/mail/submission/envelope.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { Reply } from './reply.ts'

export interface SmtpSession {
  readonly id: string
  readonly remoteAddress: string
  /** The argument of EHLO or HELO. */
  readonly helo: string
  readonly esmtp: boolean
  readonly secure: boolean
  /** Who authenticated; null before AUTH and on port 25. */
  readonly principal: Principal | null
}

export interface AcceptedRecipient extends EnvelopeRecipient {
  readonly parameters: EnvelopeParameters
  /** The account whose mailbox it is; null when the mail goes elsewhere. */
  readonly account: number | null
}

export interface SmtpEnvelope {
  readonly mailFrom: string
  readonly parameters: EnvelopeParameters
  readonly recipients: readonly AcceptedRecipient[]
}

/** A whole message. */
export interface ReceivedMail extends SmtpEnvelope {
  readonly session: SmtpSession
  /** Of this transaction: in the Received line, the logs and the reply. */
  readonly id: string
  readonly bytes: Buffer
  /** Epoch ms of the end of DATA. */
  readonly receivedAt: number
}

export type RecipientAnswer = { readonly refusal: Reply } | { readonly account: number | null }

export interface SmtpHandlers {
  /** MAIL: null accepts. `mailFrom` is '' for the null sender. */
  sender(mailFrom: string, session: SmtpSession): Reply | null
  /** RCPT. `address` is a bare `postmaster` or has a domain. */
  recipient(address: string, session: SmtpSession): Promise<RecipientAnswer>
  /** The end of DATA: the reply, sent when the promise resolves. */
  message(mail: ReceivedMail): Promise<Reply>
  /** AUTH; absent where it is not offered. Rejects when the answer is not known. */
  authenticate?(address: string, password: string, session: SmtpSession): Promise<Principal | null>
}

/** RFC 3848 and RFC 6531 4.3: the protocol of a Received line. */
export function protocolName(session: SmtpSession, parameters: EnvelopeParameters): string {
  if (!session.esmtp) return 'SMTP'
  const base = 'SMTPUTF8' in parameters ? 'UTF8SMTP' : 'ESMTP'
  return `${base}${session.secure ? 'S' : ''}${session.principal ? 'A' : ''}`
}
