/** A check judges one whole message before it is delivered. The list of checks/index.ts is run in order; the first refusal ends it. */
import type { InboundVerdict } from '../../../jmap/mail/inbound-verdict.ts'
import type { HeaderBlock } from '../../../jmap/mail/message/header-block.ts'
import type { Reply } from '../../smtp/reply.ts'
import type { ReceivedMail } from '../../smtp/session.ts'

export interface CheckedMail {
  readonly mail: ReceivedMail
  readonly header: HeaderBlock
}

/**
 * Goes on, perhaps with header fields to write in front of the message (each with its line end) and with what was found out; or ends
 * the transaction.
 */
export type CheckResult = { readonly fields?: string; readonly verdict?: InboundVerdict } | { readonly refusal: Reply }

export interface InboundCheck {
  readonly name: string
  /** @param verdict what the checks before it found out */
  run(checked: CheckedMail, verdict: InboundVerdict): CheckResult | Promise<CheckResult>
  /** Gives back what it holds; nothing is checked after it. */
  close?(): Promise<void>
}

/** Nothing to say against it. */
export const PASS: CheckResult = {}
