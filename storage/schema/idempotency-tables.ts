/** Tables of requests that carry an Idempotency-Key (decision D2). */

/** One use of a key. */
export interface IdempotencyTable {
  organization: number
  /** Hash of method, path and key. */
  name: string
  /** Hash of the request. */
  fingerprint: string
  begun_at: number
  expires_at: number
  /** Who runs it; null: nobody. */
  lease: string | null
  lease_until: number
  /** Sealed; null: it is not finished. */
  answer: string | null
}

/** What a unit of work of such a request came to, written with its effect, until the answer is there. */
export interface IdempotencyStepTable {
  organization: number
  name: string
  /** Which of the rounds of JMAP calls, from 0, and which unit of work within it. */
  round: number
  step: number
  /** Sealed answers of the rounds before; null: another step of the round tells them. */
  past: string | null
  /** Sealed. */
  outcome: string
}
