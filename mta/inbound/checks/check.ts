/** A check judges one whole message before it is delivered. The list in checks/index.ts is run in order; the first refusal ends it. */
import type { HeaderBlock } from '../../smtp/header-block.ts'
import type { Reply } from '../../smtp/reply.ts'
import type { ReceivedMail } from '../../smtp/session.ts'

export interface CheckedMail {
  readonly mail: ReceivedMail
  readonly header: HeaderBlock
}

/** Goes on, perhaps with header fields to write in front of the message (each with its line end); or ends the transaction. */
export type CheckResult = { readonly fields?: string } | { readonly refusal: Reply }

export interface InboundCheck {
  readonly name: string
  run(checked: CheckedMail): CheckResult | Promise<CheckResult>
}

/** Nothing to say against it. */
export const PASS: CheckResult = {}
