/** Table of push subscriptions; conventions as in tables.ts. */

/** PushSubscription (RFC 8620 7.2): also the queue of pushes. */
export interface PushSubscriptionTable {
  /** Where the credential is at home: the mailbox account of a password, the organization of an API key. */
  account: number
  id: number
  organization: number
  /** Id of the credential that made it, and what changes when its secret does. */
  credential: string
  stamp: string | null
  device: string
  url: string
  p256dh: string | null
  auth: string | null
  code: string
  /** `new`: the code is to be sent; `sent`: its confirmation is awaited; `verified`: changes are pushed. */
  stage: 'new' | 'sent' | 'verified'
  /** JSON array; null: all. */
  types: string | null
  expires_at: number | null
  /** Push state that the client has been told of (jmap/push/push-state.ts). */
  delivered: string
  /** When it is looked at next. The due index of the queue. */
  due_at: number
  /** Nothing is sent before. */
  next_at: number
  /** Milliseconds to leave between two pushes. */
  pause: number
  /** Failed ones in a row. */
  attempts: number
  lease: string | null
  lease_until: number
  created_at: number
}
