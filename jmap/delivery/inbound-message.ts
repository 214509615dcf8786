/** A message that is handed over for delivery. Plain data. */

import type { ReturnToken } from '../mail/submission/return-token.ts'
import type { InboundVerdict } from './inbound-verdict.ts'

/** Octets with trace headers written, for one or several accounts. The blob is stored once. */
export interface InboundMessage {
  readonly bytes: Uint8Array
  readonly recipients: readonly LocalRecipient[]
  /** Epoch ms: becomes receivedAt. */
  readonly receivedAt: number
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly mailFrom: string
  /** A notification that this server made about a submission of the account it goes to. */
  readonly reports?: OwnReport
  /** What the checks found; only for mail from outside. */
  readonly verdict?: InboundVerdict
  /** Authenticated return addresses of ours that the message was sent to or complains about. */
  readonly returned?: readonly ReturnToken[]
}

export interface OwnReport {
  /** Object number of the EmailSubmission. */
  readonly submission: number
  /** The report is stored even if the mailbox is full, because there is no other way to report. */
  readonly evenOverQuota: boolean
}

/** A recipient whose mailbox is here. */
export interface LocalRecipient {
  readonly account: number
  /** As the envelope names it. */
  readonly address: string
}
