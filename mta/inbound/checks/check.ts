/** A check judges a message before delivery. Checks run in the order of mta/inbound/checks/index.ts; the first refusal ends the run. */
import type { InboundVerdict } from '../../../jmap/delivery/inbound-verdict.ts'
import type { HeaderBlock } from '../../../jmap/message/header-block.ts'
import type { Reply } from '../../smtp/reply.ts'
import type { ReceivedMessage } from '../../smtp/session.ts'

export interface CheckedMessage {
  readonly message: ReceivedMessage
  readonly header: HeaderBlock
}

/**
 * Either the next check runs, with header fields to write in front of the message (each with its line end) and with findings; or the message
 * is refused.
 */
export type CheckResult = { readonly fields?: string; readonly verdict?: InboundVerdict } | { readonly refusal: Reply }

export interface InboundCheck {
  readonly name: string
  /** It may still be sending the octets of the message when it has its result. */
  readonly mayStillSend?: boolean
  /** @param verdict findings of the checks before it */
  run(checked: CheckedMessage, verdict: InboundVerdict): CheckResult | Promise<CheckResult>
  /** Releases its resources; no check runs after it. */
  close?(): Promise<void>
}

/** No objection and no finding. */
export const PASS: CheckResult = {}
