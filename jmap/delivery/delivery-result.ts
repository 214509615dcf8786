import type { FailureCode } from '../../server/base/errors.ts'

/** One per recipient, in order. Only `stored` means that the message was stored. */
export type DeliveryResult =
  | { readonly status: 'stored'; readonly emailId: string; readonly threadId: string }
  /** Accepted and discarded by the recipient's script (RFC 5228 4.4), or read as a report about a newsletter. */
  | { readonly status: 'discarded' }
  /** Every recipient's script refuses the message; the sender gets the reason (RFC 5429). */
  | { readonly status: 'rejected'; readonly reason: string }
  | { readonly status: 'overQuota' | 'unknownAccount' }
  /** Nothing of the message was stored, for none of its recipients. `code`: of a Failure; null: an unexpected error. */
  | { readonly status: 'failed'; readonly code: FailureCode | null; readonly message: string }
