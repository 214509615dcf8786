/** A transport sends a message out of this installation: to the MX hosts, to a relay, or into the folder of capture mode. */
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import type { RecipientOutcome } from '../../jmap/mail/submission/queue-report.ts'
import { type Reply, replyLine } from '../smtp/reply.ts'
import type { Contact } from './destinations.ts'
import type { WireMessage } from './wire-message.ts'

/** A message with its envelope. */
export interface OutgoingMessage extends WireMessage {
  /** Id of the submission, in file names and logs. */
  readonly id: string
  readonly mailFrom: string
  /** URL of the relay that the sender's domain has configured; null: none. */
  readonly relay: string | null
  readonly parameters: EnvelopeParameters
  readonly recipients: readonly QueuedRecipient[]
  /** Made before this one. */
  readonly attempts: number
  /** Epoch ms after which the transaction must not begin; null: any time. */
  readonly startBy: number | null
}

export interface RecipientResult extends RecipientOutcome {
  /** The next hop accepted it and does not support DSN: this server reports success as `relayed` (RFC 3461 5.2.2). */
  readonly relayed?: boolean
  /** Default `answered`. */
  readonly contact?: Contact
}

export interface Transport {
  /** One result for each recipient; never rejects. When `signal` is aborted, open recipients become `deferred`. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<RecipientResult[]>
  /** Closes idle connections. */
  close(): Promise<void>
}

/** RFC 8689: the message goes over verified TLS, or not at all. */
export function isTlsRequired({ parameters }: Pick<OutgoingMessage, 'parameters'>): boolean {
  return Object.hasOwn(parameters, 'REQUIRETLS')
}

/** The same result for several recipients. @param host that replied; null: this server */
export function sameResult(
  recipients: readonly { readonly address: string }[],
  status: RecipientOutcome['status'],
  reply: Reply | string,
  host: string | null = null,
): RecipientResult[] {
  const smtpReply = typeof reply === 'string' ? reply : replyLine(reply)
  return recipients.map(({ address }) => ({ address, status, smtpReply, host }))
}
