/** Tables of what organizations may send, and of what became of it. */

/** Addresses that an organization sends nothing to (decision D25). */
export interface SuppressionTable {
  /** Of the organization. */
  account: number
  /** Normalised. */
  address: string
  id: number
  reason: 'hard_bounce' | 'complaint' | 'manual'
  /** Id of the Email that bounced or was complained about. */
  source_message_id: string | null
  smtp_response: string | null
  created_at: number
}

/** Recipients that an organization's messages were admitted for, by month (`2026-11`) and, while it is held back, by hour. */
export interface SendingUsageTable {
  organization: number
  period: string
  sends: number
}

/** What became of recipients, by account and hour (epoch ms / 3,600,000): rows of a mailbox are written under its own lock. */
export interface SendingTallyTable {
  organization: number
  account: number
  hour: number
  recipients: number
  bounces: number
  complaints: number
}

/** Reputation of organizations that have not always been healthy (decision D26). */
export interface ReputationTable {
  organization: number
  status: 'healthy' | 'warning' | 'throttled' | 'suspended'
  /** Epoch ms of the last move. */
  since: number
  /** Since when both rates are under the numbers of a warning; null: they are not. */
  calm_since: number | null
  /** When an administrator has let it send again. */
  released_at: number | null
}

/** Tags of submissions, by which an organization finds them again; the whole is in the submission. */
export interface SubmissionTagTable {
  organization: number
  name: string
  value: string
  /** Of the submission. */
  created_at: number
  account: number
  submission: number
}

/** MTA-STS policies of the domains that mail goes to (RFC 8461 5). */
export interface StsPolicyTable {
  domain: string
  /** Of its record in DNS. */
  id: string
  /** As it was fetched. */
  policy: string
  /** Epoch ms. */
  kept_until: number
}

/** What the owner of an organization has been told in a period of its plan (decision D27). */
export interface OwnerNoticeTable {
  organization: number
  period: string
  /** Resource and percent: `sends_80`. */
  notice: string
  told_at: number
}
