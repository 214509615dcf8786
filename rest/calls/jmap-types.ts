/** The JMAP objects that REST reads, with the properties that it reads: those of RFC 8621, and the vendor types of `urn:posthouse:params:jmap:service`. */

import type { EVENT_TYPES } from '../../jmap/events/event-types.ts'
import type { InboxRule } from '../../jmap/mail/rules/rule.ts'

type EventType = (typeof EVENT_TYPES)[number]

export interface DomainObject {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly managedBy: string
  readonly dnsProvider: string
  readonly mxVerified: boolean
  readonly spfVerified: boolean
  readonly dkimVerified: boolean
  readonly dmarcVerified: boolean
  readonly outboundVerified: boolean
  readonly dmarcManagedExternally: boolean
  readonly catchAllMailboxId: string | null
  readonly verifiedAt: string | null
  readonly dnsRecords: DnsRecordSetObject
  readonly createdAt: string
  readonly updatedAt: string
}

export interface DnsRecordSetObject {
  readonly checkedAt: string | null
  readonly allVerified: boolean
  readonly records: readonly {
    readonly key: string
    readonly type: string
    readonly host: string
    readonly value: string | null
    readonly priority: number | null
    readonly ttl: number
    readonly isRecommended: boolean
    readonly status: 'verified' | 'not_found' | 'mismatch' | 'pending'
    readonly foundValues: readonly string[]
    readonly neededUntil: string | null
  }[]
}

export interface MailAccountObject {
  /** Also the id of the mailbox's JMAP account. */
  readonly id: string
  readonly domainId: string
  readonly address: string
  readonly displayName: string | null
  readonly suspendedAt: string | null
  readonly spamFilterThreshold: number
  readonly autoReply: {
    readonly enabled: boolean
    readonly subject: string | null
    readonly body: string | null
    readonly fromDate: string | null
    readonly toDate: string | null
  }
  readonly createdAt: string
  readonly updatedAt: string
}

/** RFC 8621 2 */
export interface MailboxObject {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly role: string | null
  readonly sortOrder: number
  readonly totalEmails: number
  readonly unreadEmails: number
  /** Vendor: threads with an unread email in this mailbox. `unreadThreads` of RFC 8621 counts unread emails of the thread in other mailboxes too. */
  readonly ownUnreadThreads: number
}

/** RFC 8621 3, with the vendor properties that a summary needs. */
export interface ThreadObject {
  readonly id: string
  readonly emailIds: readonly string[]
  readonly subject: string | null
  readonly latestEmailId: string
  readonly createdAt: string
  readonly latestAt: string
  readonly messageCount: number
}

export interface AddressObject {
  readonly name: string | null
  readonly email: string
}

/** RFC 8621 4.1.4 */
export interface BodyPartObject {
  readonly partId: string | null
  readonly blobId: string | null
  readonly size: number
  readonly name: string | null
  readonly type: string
  readonly disposition: string | null
  readonly cid: string | null
}

export interface BodyValueObject {
  readonly value: string
  readonly isEncodingProblem: boolean
  readonly isTruncated: boolean
}

/** Vendor property of Email; null: the message is not from outside. */
export interface AuthenticationObject {
  readonly spf: { readonly result: string; readonly domain: string }
  readonly dkim: readonly {
    readonly result: string
    readonly domain: string
    readonly selector: string
    readonly aligned: boolean
  }[]
  readonly dmarc: {
    readonly result: string
    readonly domain: string | null
    readonly policy: string | null
    readonly disposition: string
  }
  readonly arc: { readonly result: string; readonly domain: string | null }
  readonly iprev: { readonly result: string; readonly name: string | null }
}

/** Vendor property of Email; null: the message has no spam score. */
export interface SpamVerdictObject {
  readonly score: number
  readonly threshold?: number
  readonly engine: string
  readonly symbols: readonly {
    readonly name: string
    readonly score: number
    readonly description: string
    readonly detail?: string
  }[]
}

export interface TraceNoteObject {
  readonly by: string
  readonly name?: string
  readonly text: string
}

/** RFC 8621 4.1, with vendor properties from `deliveryStatus` on. */
export interface EmailObject {
  readonly id: string
  readonly blobId: string
  readonly threadId: string
  readonly mailboxIds: { readonly [id: string]: boolean }
  readonly keywords: { readonly [keyword: string]: boolean }
  readonly size: number
  readonly receivedAt: string
  readonly messageId: readonly string[] | null
  readonly inReplyTo: readonly string[] | null
  readonly references: readonly string[] | null
  readonly from: readonly AddressObject[] | null
  readonly to: readonly AddressObject[] | null
  readonly cc: readonly AddressObject[] | null
  readonly bcc: readonly AddressObject[] | null
  readonly replyTo: readonly AddressObject[] | null
  readonly subject: string | null
  readonly hasAttachment: boolean
  readonly preview: string
  readonly bodyValues: { readonly [partId: string]: BodyValueObject }
  readonly textBody: readonly BodyPartObject[]
  readonly htmlBody: readonly BodyPartObject[]
  readonly attachments: readonly BodyPartObject[]
  readonly deliveryStatus: string
  readonly source: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly recipients:
    | readonly { readonly address: string; readonly status: string; readonly smtpReply: string | null }[]
    | null
  readonly authentication: AuthenticationObject | null
  readonly spamVerdict: SpamVerdictObject | null
  readonly deliveryTrace: readonly TraceNoteObject[]
  /** Of a scheduled message. */
  readonly scheduledAt: string | null
  readonly tags: { readonly [name: string]: string }
}

/** Vendor (jmap/service/sent-messages.ts): the record of a message that was sent, under the id of its email. */
export interface SentMessageObject
  extends Pick<
    EmailObject,
    'id' | 'threadId' | 'deliveryStatus' | 'recipients' | 'scheduledAt' | 'updatedAt' | 'tags'
  > {
  readonly mailboxId: string
  readonly submissionId: string
  readonly submittedAt: string
  /** The copy in the mailbox is gone; `email` is what is left of it. */
  readonly isDeleted: boolean
  readonly email: Pick<EmailObject, 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'source' | 'createdAt'> | null
}

/** RFC 8621 6 */
export interface IdentityObject {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** The rules of a mailbox: a singleton, vendor (jmap/mail/rules). */
export interface InboxRulesObject {
  readonly id: string
  readonly rules: readonly InboxRule[]
}

/** Vendor (jmap/service/suppression). */
export interface SuppressionObject {
  readonly id: string
  readonly email: string
  readonly reason: string
  readonly sourceMessageId: string | null
  readonly smtpResponse: string | null
  readonly createdAt: string
}

/** Vendor (jmap/service/webhook). */
export interface WebhookObject {
  readonly id: string
  readonly url: string
  readonly events: readonly EventType[]
  readonly active: boolean
  readonly description: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Only in the answer to its creation. */
  readonly secret?: string
}

/** Vendor (jmap/service/webhook). */
export interface WebhookDeliveryObject {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly lastStatusCode: number | null
  readonly lastError: string | null
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  readonly deliveredAt: string | null
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** Vendor (jmap/service/alias.ts). */
export interface AliasObject {
  readonly id: string
  readonly domainId: string
  readonly address: string
  readonly mailboxId: string
  readonly enabled: boolean
  readonly description: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Vendor (jmap/service/api-key.ts). */
export interface ApiKeyObject {
  readonly id: string
  readonly name: string
  readonly prefix: string
  /** Only in the answer to its creation. */
  readonly key?: string
  readonly scopes: readonly string[]
  readonly mailboxIds: readonly string[] | null
  readonly domainIds: readonly string[] | null
  readonly allowedIps: readonly string[] | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** RFC 8621 7 */
export interface EmailSubmissionObject {
  readonly id: string
  readonly emailId: string
  readonly sendAt: string
  readonly undoStatus: 'pending' | 'final' | 'canceled'
}

export interface JmapObjects {
  readonly Domain: DomainObject
  readonly MailAccount: MailAccountObject
  readonly Alias: AliasObject
  readonly ApiKey: ApiKeyObject
  readonly Suppression: SuppressionObject
  readonly Webhook: WebhookObject
  readonly WebhookDelivery: WebhookDeliveryObject
  readonly Mailbox: MailboxObject
  readonly Thread: ThreadObject
  readonly Email: EmailObject
  readonly Identity: IdentityObject
  readonly EmailSubmission: EmailSubmissionObject
  readonly InboxRules: InboxRulesObject
}
