/** Limits that the session advertises (RFC 8620 2, RFC 8621 1.3) and the methods enforce. The configuration may change them. */
import { DKIM_LIFETIME_MS } from '../../server/base/domain-limits.ts'
import * as defaults from '../../server/base/limits.ts'
import { NEWSLETTER_CONTENTS_MAX_BYTES } from '../../server/base/newsletter-limits.ts'
import {
  DEFAULT_REPUTATION,
  type Plan,
  type ReputationPolicy,
  UNLIMITED_PLAN,
} from '../../server/base/sending-limits.ts'
import { SMTP_MAX_MESSAGE_BYTES } from '../../server/base/smtp-limits.ts'
import { WEBHOOK_RETRY_MS } from '../../server/base/webhook-limits.ts'

export interface Limits {
  readonly maxSizeUpload: number
  readonly maxConcurrentUpload: number
  readonly maxSizeRequest: number
  readonly maxConcurrentRequests: number
  readonly maxCallsInRequest: number
  readonly maxObjectsInGet: number
  readonly maxObjectsInSet: number
  readonly maxMailboxesPerEmail: number
  readonly maxMailboxDepth: number
  readonly maxSizeMailboxName: number
  readonly maxSizeAttachmentsPerEmail: number
  /** Octets of an outgoing message. */
  readonly maxSizeMessage: number
  readonly maxDelayedSend: number
  readonly maxRecipients: number
  /** Messages that one `header` filter reads. */
  readonly headerFilterMaxEmails: number
  /** Octets and number of unreferenced uploads of one credential in an account (RFC 8620 6). */
  readonly uploadQuotaBytes: number
  readonly uploadQuotaBlobs: number
  /** Octets a mailbox may hold; 0: no limit. */
  readonly mailboxStorageBytes: number
  /** Milliseconds for which the content of a deleted mailbox is kept; 0: not at all. */
  readonly mailboxRetentionMs: number
  /** Milliseconds after which domains get new DKIM keys; 0: no rotation. */
  readonly dkimLifetimeMs: number
  /** Plan of organizations without a subscription. */
  readonly plan: Plan
  /** false: plans have no limits. */
  readonly hasPlanLimits: boolean
  readonly reputation: ReputationPolicy
  /** Octets of what the newsletters of an organization say. */
  readonly newsletterContentBytes: number
  /** false: newsletters are sent as fast as the queue takes them. */
  readonly hasNewsletterPace: boolean
  /** false: domains that have sent few newsletters may send as many as others. */
  readonly hasNewsletterWarmUp: boolean
  /** Milliseconds until each next attempt at a webhook delivery; after the last one the delivery has failed. */
  readonly webhookRetryMs: readonly number[]
}

export const DEFAULT_LIMITS: Limits = {
  maxSizeUpload: defaults.MAX_SIZE_UPLOAD,
  maxConcurrentUpload: defaults.MAX_CONCURRENT_UPLOAD,
  maxSizeRequest: defaults.MAX_SIZE_REQUEST,
  maxConcurrentRequests: defaults.MAX_CONCURRENT_REQUESTS,
  maxCallsInRequest: defaults.MAX_CALLS_IN_REQUEST,
  maxObjectsInGet: defaults.MAX_OBJECTS_IN_GET,
  maxObjectsInSet: defaults.MAX_OBJECTS_IN_SET,
  maxMailboxesPerEmail: defaults.MAX_MAILBOXES_PER_EMAIL,
  maxMailboxDepth: defaults.MAX_MAILBOX_DEPTH,
  maxSizeMailboxName: defaults.MAX_SIZE_MAILBOX_NAME,
  maxSizeAttachmentsPerEmail: defaults.MAX_SIZE_ATTACHMENTS_PER_EMAIL,
  maxSizeMessage: SMTP_MAX_MESSAGE_BYTES,
  maxDelayedSend: defaults.MAX_DELAYED_SEND_SECONDS,
  maxRecipients: defaults.MAX_RECIPIENTS,
  headerFilterMaxEmails: defaults.HEADER_FILTER_MAX_EMAILS,
  uploadQuotaBytes: defaults.UPLOAD_QUOTA_BYTES,
  uploadQuotaBlobs: defaults.UPLOAD_QUOTA_BLOBS,
  dkimLifetimeMs: DKIM_LIFETIME_MS,
  mailboxStorageBytes: 0,
  mailboxRetentionMs: defaults.MAILBOX_RETENTION_MS,
  plan: UNLIMITED_PLAN,
  hasPlanLimits: true,
  reputation: DEFAULT_REPUTATION,
  newsletterContentBytes: NEWSLETTER_CONTENTS_MAX_BYTES,
  hasNewsletterPace: true,
  hasNewsletterWarmUp: true,
  webhookRetryMs: WEBHOOK_RETRY_MS,
}
