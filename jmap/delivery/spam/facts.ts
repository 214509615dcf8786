/**
 * What the spam score is made from beside the message itself, and what comes out: plain data, so that the checks which find the facts
 * may run in another thread than the score. Whatever is not known is left out, and counts for nothing.
 */

/** Results as the authentication checks name them (RFC 8601 2.7): `pass`, `fail`, `softfail`, `neutral`, `none`, `temperror`, `permerror`. */
export interface AuthenticationFacts {
  readonly spf?: string
  /** `pass` when at least one signature holds. */
  readonly dkim?: string
  readonly dmarc?: string
  /** What the domain of From asks for when DMARC fails (RFC 9989 4.7: p, or sp for a subdomain). */
  readonly dmarcPolicy?: string
  readonly arc?: string
  /** RFC 8601 3: the name of the client's address leads back to it. */
  readonly iprev?: string
}

/** An entry of a DNS list (RFC 5782). */
export interface DnsListHit {
  readonly zone: string
  /** What was looked up: the client's address, or a domain that the message names. */
  readonly subject: string
  /** Points instead of the usual ones; negative for a list of the trusted. */
  readonly score?: number
}

/** What a classifier says: 0 is surely wanted, 1 surely spam. */
export interface BayesFact {
  readonly probability: number
  /** Tokens of the message that told it something. */
  readonly known: number
  /** How much its word counts, up to 1. */
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
  /** What a filter outside (Rspamd) said; then it counts alone. */
  readonly outside?: SpamVerdict
}

/** One reason, with the points it gave. */
export interface SpamSymbol {
  /** Stable, in capitals. */
  readonly name: string
  readonly score: number
  /** A sentence for people. */
  readonly description: string
  /** What it was found in, cut to a few words. */
  readonly detail?: string
}

export interface SpamVerdict {
  /** Points, to hundredths; at or above the threshold of a mailbox the message is junk. */
  readonly score: number
  /** The threshold it was measured against, once that is known. */
  readonly threshold?: number
  /** The weightiest first. */
  readonly symbols: readonly SpamSymbol[]
  readonly engine: 'posthouse' | 'rspamd'
}
