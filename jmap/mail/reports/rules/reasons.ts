/** The rules for reasons in their order: the first match counts, so the more certain ones come first. */
import { NO_MAIL, UNKNOWN_HOST } from './about-domains.ts'
import { POLICY, REJECTED, SPAM, TOO_LARGE, VIRUS } from './about-messages.ts'
import {
  DISABLED,
  FILTERED,
  MAILBOX_FULL,
  MOVED,
  RECIPIENT_REJECTED,
  SUSPENDED,
  UNKNOWN_USER,
} from './about-recipients.ts'
import { AUTHENTICATION, BLOCKED, SENDER, SENDER_VERIFICATION, SENDING_QUOTA } from './about-senders.ts'
import { BUSY, DEFERRED, EXPIRED, INTERRUPTED, MAIL_SYSTEM, NETWORK, SYSTEM } from './about-transport.ts'
import type { ReasonRule } from './rule.ts'

export const REASON_RULES: readonly ReasonRule[] = [
  ...RECIPIENT_REJECTED,
  ...INTERRUPTED,
  ...AUTHENTICATION,
  ...SENDER_VERIFICATION,
  ...SENDING_QUOTA,
  ...MAILBOX_FULL,
  ...TOO_LARGE,
  ...VIRUS,
  ...SPAM,
  ...FILTERED,
  ...SUSPENDED,
  ...BUSY,
  ...BLOCKED,
  ...SENDER,
  ...MOVED,
  ...NO_MAIL,
  ...UNKNOWN_HOST,
  ...UNKNOWN_USER,
  ...DISABLED,
  ...POLICY,
  ...DEFERRED,
  ...EXPIRED,
  ...NETWORK,
  ...SYSTEM,
  ...REJECTED,
  ...MAIL_SYSTEM,
]
