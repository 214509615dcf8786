/** Tables of what delivery decides, learns and remembers; conventions as in tables.ts. */

/** What happened, in the words of api/decisions.md D24: written with what it reports. */
export interface EventTable {
  organization: number
  /** Account that it happened in; its objects and events are numbered together. */
  account: number
  number: number
  type: string
  /** JSON object text, as a webhook tells it. */
  data: string
  at: number
}

/** What delivery found and did about an email from outside. */
export interface EmailDeliveryTable {
  account: number
  email: number
  /** JSON of the checks' findings (jmap/mail/inbound-verdict.ts); null: nothing was checked. */
  verdict: string | null
  /** JSON array of what was done, in words. */
  trace: string
}

/** What delivery must not do twice within a time. */
export interface DeliveryMemoryTable {
  account: number
  /** `answer`: an automatic reply to an address; `duplicate`: a key of RFC 7352. */
  kind: 'answer' | 'duplicate'
  key: string
  /** Epoch ms from which it is forgotten. */
  until: number
}

/** Drafts that are to be asked for outside: the queue of what inbox rules owe. */
export interface DraftRequestTable {
  account: number
  id: number
  email: number
  /** JSON of the action and its rule. */
  data: string
  due_at: number
  attempts: number
  lease: string | null
  lease_until: number
  created_at: number
}

/** Marks that a spam classifier has still to learn from. */
export interface SpamMarkTable {
  account: number
  email: number
  blob: number
  /** `none`: whatever was learned of it is taken back. */
  kind: 'spam' | 'ham' | 'none'
  /** Of this mark, by which another one in its place is told from it. */
  number: number
}

/** Contents that the classifier of an organization has learned. */
export interface SpamLearnedTable {
  account: number
  hash: Uint8Array
  kind: 'spam' | 'ham'
  /** Days since 1970. */
  day: number
}

/** How many learned messages of each kind have a token (jmap/mail/spam/tokens.ts). */
export interface SpamTokenTable {
  account: number
  token: number
  spam: number
  ham: number
  /** Day on which it was learned last. */
  day: number
}

/** Messages that the classifier of an organization has learned. */
export interface SpamTotalTable {
  account: number
  spam: number
  ham: number
  /** Grows with each change. */
  version: number
}

/** RFC 9661: a script; `blob` is the account's number of its octets. At most one of an account is active. */
export interface SieveScriptTable {
  account: number
  id: number
  name: string
  blob: number
  is_active: number
  created_at: number
}
