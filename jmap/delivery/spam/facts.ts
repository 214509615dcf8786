/**
 * The input of the spam score beside the message: plain data, because the checks may run in another thread than the score. Unknown
 * facts are absent and do not count.
 */
import type { SpamVerdict } from './verdict.ts'

/** Results as the authentication checks name them (RFC 8601 2.7): `pass`, `fail`, `softfail`, `neutral`, `none`, `temperror`, `permerror`. */
export interface AuthenticationFacts {
  readonly spf?: string
  /** `pass` if at least one signature is valid. */
  readonly dkim?: string
  readonly dmarc?: string
  /** The policy of the domain of From for DMARC failures (RFC 9989 4.7: p, or sp for a subdomain). */
  readonly dmarcPolicy?: string
  readonly arc?: string
  /** RFC 8601 3: whether the name of the client's address resolves back to it. */
  readonly iprev?: string
}

/** An entry of a DNS list (RFC 5782). */
export interface DnsListHit {
  readonly zone: string
  /** The looked-up subject: the client's address, or a domain in the message. */
  readonly subject: string
  /** Points instead of the usual ones; negative for an allow list. */
  readonly score?: number
}

/** The result of a classifier: 0 is certainly wanted, 1 certainly spam. */
export interface BayesFact {
  readonly probability: number
  /** Number of significant tokens of the message. */
  readonly known: number
  /** Weight of the result, up to 1. */
  readonly weight: number
}

export interface SpamFacts {
  /** The octets that were parsed. */
  readonly bytes: Uint8Array
  /** Epoch ms. */
  readonly receivedAt: number
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly mailFrom: string
  readonly authentication?: AuthenticationFacts
  readonly dnsLists?: readonly DnsListHit[]
  readonly bayes?: BayesFact
  /** The verdict of an external filter (Rspamd); if present, it alone counts. */
  readonly outside?: SpamVerdict
}
