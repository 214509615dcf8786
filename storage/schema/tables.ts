/**
 * The tables as kysely sees them. Conventions, the same on both engines (spec/decisions/0006-storage.md): every key starts with the account's
 * number; times are epoch milliseconds; booleans are 0 and 1; JSON is text; bytes are bytea/blob; nothing is filtered inside JSON.
 */

import type {
  DeliveryMemoryTable,
  DraftRequestTable,
  EmailDeliveryTable,
  EventTable,
  SieveScriptTable,
  SpamLearnedTable,
  SpamMarkTable,
  SpamTokenTable,
  SpamTotalTable,
} from './delivery-tables.ts'
import type { IdempotencyStepTable, IdempotencyTable } from './idempotency-tables.ts'
import type { PushSubscriptionTable } from './push-tables.ts'
import type {
  OwnerNoticeTable,
  ReputationTable,
  SendingTallyTable,
  SendingUsageTable,
  StsPolicyTable,
  SubmissionTagTable,
  SuppressionTable,
} from './sending-tables.ts'
import type { WebhookDeliveryTable, WebhookSubscriptionTable } from './webhook-tables.ts'

export type * from './delivery-tables.ts'
export type * from './push-tables.ts'
export type * from './webhook-tables.ts'

/** Small facts about the installation: keys made once, the number of the schema. */
export interface InstallationTable {
  name: string
  value: string
}

/** One row per account (organization or mailbox). `seq` numbers its changes, `next_object` its objects; both only grow. */
export interface AccountTable {
  id: number
  kind: 'organization' | 'mailbox'
  organization: number
  name: string
  seq: number
  next_object: number
  /** Octets of the messages it holds. */
  used_bytes: number
  created_at: number
  suspended_at: number | null
  deleted_at: number | null
}

/** Append-only; one sequence number per row, so that every boundary is a legal state (spec/decisions/0006-storage.md). */
export interface ChangeTable {
  account: number
  type: string
  seq: number
  object: number
  kind: 'c' | 'u' | 'd'
  /** Comma-separated names of changed properties; null: unknown. */
  props: string | null
  at: number
}

/** Per account and type: the sequence number below which the log was trimmed. */
export interface ChangeFloorTable {
  account: number
  type: string
  floor: number
}

/** Objects of small types: one JSON text each. */
export interface ObjectTable {
  account: number
  type: string
  id: number
  data: string
  created_at: number
}

/** Every address that mail is taken for, over all organizations. */
export interface AddressTable {
  address: string
  account: number
  kind: 'mailbox' | 'alias'
  domain: string
  /** 0: an alias that is switched off. Its address stays taken. */
  enabled: number
}

/** Domain names over all organizations: who claims them, and in which state. */
export interface DomainNameTable {
  name: string
  account: number
  object: number
  status: string
  /** Mailbox account that takes what no address matches. */
  catch_all: number | null
}

/** When the DNS records of a domain are checked next: the queue of the checks. */
export interface DomainCheckTable {
  account: number
  /** Object number of the Domain. */
  domain: number
  due_at: number
  lease: string | null
  lease_until: number
}

/** What a secret leads to. `hash` is SHA-256 of an API key in hex, or `mailbox:<account>` for a mailbox password. */
export interface CredentialTable {
  hash: string
  account: number
  object: number
  /** argon2id text for passwords; null for API keys, whose hash is the key of the row. */
  verifier: string | null
  created_at: number
}

/** Stored octets, once per content over all accounts. Small ones are in `data`, others at `location`. */
export interface BlobTable {
  hash: Uint8Array
  size: number
  data: Uint8Array | null
  location: string | null
  created_at: number
}

/** An account's reference to octets: what makes a blob readable there, under the account's own number. */
export interface AccountBlobTable {
  account: number
  id: number
  hash: Uint8Array
  size: number
  /** Media type given at upload. */
  type: string
  /** Credentials of the uploaders, with spaces between, while nothing refers to it (RFC 8620 6.1); null once an email does. */
  uploader: string | null
  uploaded_at: number
}

export interface MailboxTable {
  account: number
  id: number
  name: string
  /** Case-folded name, for uniqueness among siblings. */
  name_key: string
  /** 0: top level. */
  parent: number
  role: string | null
  sort_order: number
  is_subscribed: number
  total_emails: number
  unread_emails: number
  total_threads: number
  unread_threads: number
  /** Threads with an unread email in this very mailbox (decision D9). */
  own_unread_threads: number
  created_at: number
}

export interface ThreadTable {
  account: number
  id: number
  total: number
  /** Unread emails that are in a mailbox other than Trash, and those in Trash (RFC 8621 2: unreadThreads). */
  unread_elsewhere: number
  unread_in_trash: number
  created_at: number
  latest_at: number
  latest_email: number
}

/** How many emails of a thread are in a mailbox. */
export interface ThreadMailboxTable {
  account: number
  thread: number
  mailbox: number
  total: number
  unread: number
}

/** From a message id and a base subject to the thread they belong to. */
export interface ThreadRefTable {
  account: number
  ref: string
  thread: number
}

export interface EmailTable {
  account: number
  id: number
  thread: number
  /** Number of the account's blob. */
  blob: number
  size: number
  received_at: number
  sent_at: number | null
  has_attachment: number
  /** Neither $seen nor $draft. */
  unread: number
  /** JSON object text with keywords in lower case. */
  keywords: string
  /** Comma-separated numbers of its mailboxes, ascending. */
  mailboxes: string
  from_sort: string
  to_sort: string
  subject_sort: string
  /** What lists show, ready to send: JSON texts of fixed properties, joined (jmap/mail/email/packed.ts). */
  packed: string
  /** MIME structure with offsets (jmap/mail/message/structure.ts). */
  structure: string
  source: string
  created_at: number
}

/** Emails that are not in the search index yet: rows of their own, as marking a row of `email` would write all of it again. */
export interface EmailUnindexedTable {
  account: number
  email: number
  blob: number
}

export interface EmailMailboxTable {
  account: number
  mailbox: number
  received_at: number
  email: number
}

export interface EmailKeywordTable {
  account: number
  keyword: string
  received_at: number
  email: number
}

/** EmailSubmission; as long as something is open, rows of `outgoing` say what is done about it. */
export interface SubmissionTable {
  account: number
  id: number
  identity: number
  email: number
  thread: number
  blob: number
  mail_from: string
  /** JSON of RFC 3461 and other MAIL parameters. */
  parameters: string
  send_at: number
  undo_status: 'pending' | 'final' | 'canceled'
  /** When it was first to be tried; null: nothing is open any more. */
  due_at: number | null
  created_at: number
  /** Of the message, without angle brackets: by which reports find it. */
  message_id: string | null
  /** Of the account. */
  organization: number
  /** JSON object text: labels of the sender's own. */
  tags: string
  /** JSON text of what is told of the message once its email is gone (jmap/mail/submission/kept.ts); null: that is there. */
  kept: string | null
}

export interface SubmissionRecipientTable {
  account: number
  submission: number
  position: number
  address: string
  parameters: string
  status: 'open' | 'sent' | 'refused'
  smtp_reply: string | null
  /** The server that said so; null: this one. */
  host: string | null
  tried_at: number | null
  /** What a delivery status notification said later. */
  delivered: 'yes' | 'no' | null
  /** A read receipt came. */
  displayed: number
  /** Domain of the address, as A-labels in lower case. */
  destination: string
  /** 1: an authentic feedback report came; 2: one that anybody could have written. Absent in a new row: 0. */
  complained?: number | undefined
  /** 1: its bounce was counted, from an attempt or a report that is authentic. Absent in a new row: 0. */
  bounced?: number | undefined
}

/** The queue of outgoing mail: a row for each domain that a message is still to go to. */
export interface OutgoingTable {
  account: number
  submission: number
  destination: string
  /** Of the account, for fairness. */
  organization: number
  /** When it may be claimed: its next attempt, or the end of its lease. */
  due_at: number
  attempts: number
  /** Fencing token of the worker that has it. */
  lease: string | null
  /** 1: an administrator keeps it back. */
  held: number
}

/** Reports that came back about a submission, in order of receipt (RFC 8621 7: dsnBlobIds, mdnBlobIds). */
export interface SubmissionReportTable {
  account: number
  submission: number
  position: number
  kind: 'dsn' | 'mdn'
  blob: number
}

/** SQLite only: the numbers of rows in its search index, in the order of time (storage/search/doc-numbers.ts). */
export interface EmailFtsDocTable {
  account: number
  doc: number
  email: number
  thread: number
  received_at: number
}

export interface Tables {
  installation: InstallationTable
  account: AccountTable
  change: ChangeTable
  change_floor: ChangeFloorTable
  object: ObjectTable
  address: AddressTable
  domain_name: DomainNameTable
  domain_check: DomainCheckTable
  credential: CredentialTable
  blob: BlobTable
  account_blob: AccountBlobTable
  mailbox: MailboxTable
  thread: ThreadTable
  thread_mailbox: ThreadMailboxTable
  thread_ref: ThreadRefTable
  email: EmailTable
  email_unindexed: EmailUnindexedTable
  email_fts_doc: EmailFtsDocTable
  email_mailbox: EmailMailboxTable
  email_keyword: EmailKeywordTable
  push_subscription: PushSubscriptionTable
  submission: SubmissionTable
  submission_recipient: SubmissionRecipientTable
  outgoing: OutgoingTable
  submission_report: SubmissionReportTable
  submission_tag: SubmissionTagTable
  suppression: SuppressionTable
  sending_usage: SendingUsageTable
  sending_tally: SendingTallyTable
  reputation: ReputationTable
  sts_policy: StsPolicyTable
  owner_notice: OwnerNoticeTable
  idempotency: IdempotencyTable
  idempotency_step: IdempotencyStepTable
  event: EventTable
  webhook_subscription: WebhookSubscriptionTable
  webhook_delivery: WebhookDeliveryTable
  email_delivery: EmailDeliveryTable
  delivery_memory: DeliveryMemoryTable
  draft_request: DraftRequestTable
  sieve_script: SieveScriptTable
  spam_mark: SpamMarkTable
  spam_learned: SpamLearnedTable
  spam_token: SpamTokenTable
  spam_total: SpamTotalTable
}
