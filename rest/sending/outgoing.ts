import type { EmailAddress } from '../schema/addresses.ts'
import type { Content } from './content.ts'
import type { Sender } from './sender.ts'
import type { Threading } from './threading.ts'

/** A message that is ready to be sent. */
export interface Outgoing {
  /** Epoch ms at which the request was made. */
  readonly now: number
  readonly sender: Sender
  readonly to: readonly EmailAddress[]
  readonly cc: readonly EmailAddress[]
  readonly bcc: readonly EmailAddress[]
  readonly content: Content
  readonly threading: Threading
  /** Whether the mailbox keeps it. */
  readonly saveToSent: boolean
  /** RFC 8689 */
  readonly requireTls: boolean
}
