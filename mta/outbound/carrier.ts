/** What takes a message out of this installation: MX, a relay, or the folder of capture mode. */
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import type { RecipientOutcome } from '../../jmap/mail/submission/queue-report.ts'
import { type Reply, replyLine } from '../smtp/reply.ts'

export interface OutgoingMail {
  /** Of the submission: in file names and logs. */
  readonly id: string
  readonly mailFrom: string
  /** URL of the relay that the sender's domain wants it to go to. */
  readonly relay: string | null
  readonly parameters: EnvelopeParameters
  readonly recipients: readonly QueuedRecipient[]
  /** Signed; its lines end with CRLF. */
  readonly bytes: Buffer
  /** Octets beyond ASCII occur: it needs 8BITMIME (RFC 6152). */
  readonly eightBit: boolean
  /** They occur in the header: it needs SMTPUTF8 (RFC 6531). */
  readonly utf8Header: boolean
}

export interface CarriedRecipient extends RecipientOutcome {
  /** The next hop took it and will report nothing: the sender who asked for it is told so by us (RFC 3461 5.2.2). */
  readonly relayed?: boolean
}

export interface Carrier {
  /** One outcome for each recipient; never rejects. When `signal` is aborted what is open becomes `deferred`. */
  carry(mail: OutgoingMail, signal: AbortSignal): Promise<CarriedRecipient[]>
  /** Ends idle connections. */
  close(): Promise<void>
}

/** RFC 8689: it goes over verified TLS or not at all. */
export function isTlsRequired({ parameters }: Pick<OutgoingMail, 'parameters'>): boolean {
  return Object.hasOwn(parameters, 'REQUIRETLS')
}

/** The same outcome for several recipients, from a reply of our own. */
export function outcomes(
  recipients: readonly { readonly address: string }[],
  status: RecipientOutcome['status'],
  reply: Reply | string,
  host: string | null = null,
): CarriedRecipient[] {
  const smtpReply = typeof reply === 'string' ? reply : replyLine(reply)
  return recipients.map(({ address }) => ({ address, status, smtpReply, host }))
}
