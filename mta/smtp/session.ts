/** The interface between a connection and its handlers: plain values, nothing of smtp-server. */
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
  /** The authenticated principal; null before AUTH and on port 25. */
  readonly principal: Principal | null
}

export interface AcceptedRecipient extends EnvelopeRecipient {
  readonly parameters: EnvelopeParameters
  /** The account of the mailbox; null: the recipient is not local. */
  readonly account: number | null
}

export interface SmtpEnvelope {
  readonly mailFrom: string
  readonly parameters: EnvelopeParameters
  readonly recipients: readonly AcceptedRecipient[]
}

/** A message with its envelope and session. */
export interface ReceivedMessage extends SmtpEnvelope {
  readonly session: SmtpSession
  /** Id of this transaction, in the Received field, the logs and the reply. */
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
  message(message: ReceivedMessage): Promise<Reply>
  /** AUTH; absent where it is not offered. null: the credentials are wrong. Rejects when they could not be checked. */
  authenticate?(address: string, password: string, session: SmtpSession): Promise<Principal | null>
}

/** RFC 3848 and RFC 6531 4.3: the protocol in a Received field. */
export function protocolName(session: SmtpSession, parameters: EnvelopeParameters): string {
  if (!session.esmtp) return 'SMTP'
  const base = 'SMTPUTF8' in parameters ? 'UTF8SMTP' : 'ESMTP'
  return `${base}${session.secure ? 'S' : ''}${session.principal ? 'A' : ''}`
}
