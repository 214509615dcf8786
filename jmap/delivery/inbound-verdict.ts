/** What the checks of the way in found out about a message before it was stored: plain data, kept with the Email. */
import type { AuthenticationFacts, DnsListHit, SpamVerdict } from './spam/facts.ts'

/** RFC 8601 2.7: the words that results are told in. */
export type CheckResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'policy' | 'temperror' | 'permerror'

export type DmarcPolicy = 'none' | 'quarantine' | 'reject'

/** RFC 7208. `domain` is that of the identity that was checked: MAIL FROM, or EHLO when the sender is null. */
export interface SpfResult {
  readonly result: CheckResult
  readonly identity: 'mailfrom' | 'helo'
  readonly domain: string
}

/** RFC 6376: one signature. */
export interface DkimResult {
  readonly result: CheckResult
  readonly domain: string
  readonly selector: string
  readonly algorithm: string
  /** Whether its domain is that of From, as DMARC compares them. */
  readonly aligned: boolean
  /** Why it does not pass, in words. */
  readonly reason?: string
}

/** RFC 9989 */
export interface DmarcResult {
  readonly result: CheckResult
  /** The domain of From; null when there is none, or more than one. */
  readonly domain: string | null
  /** What the domain asks for when the result is `fail`; null: it asks for nothing. */
  readonly policy: DmarcPolicy | null
  /** What was done about it: the policy, unless the operator has set another one for the domain. */
  readonly disposition: DmarcPolicy
}

/** RFC 8617: of the whole chain. */
export interface ArcResult {
  readonly result: CheckResult
  /** Who sealed it last; null when there is no chain. */
  readonly domain: string | null
}

/** RFC 8601 3: the name of the client's address, when it leads back to the address. */
export interface IprevResult {
  readonly result: CheckResult
  readonly name: string | null
}

export interface AuthenticationResults {
  readonly spf: SpfResult
  /** Empty: not signed. */
  readonly dkim: readonly DkimResult[]
  readonly dmarc: DmarcResult
  readonly arc: ArcResult
  readonly iprev: IprevResult
}

export interface InboundVerdict {
  /** The client's address, and what it called itself. */
  readonly client?: { readonly address: string; readonly helo: string }
  readonly authentication?: AuthenticationResults
  readonly dnsLists?: readonly DnsListHit[]
  /** What a filter outside said of it. */
  readonly outside?: SpamVerdict
  /** The message belongs into Junk whatever its score; why, in words. */
  readonly quarantine?: string
}

/** The results in the short form that the spam score reads. */
export function authenticationFacts({ spf, dkim, dmarc, arc, iprev }: AuthenticationResults): AuthenticationFacts {
  const best = BEST_FIRST.find((result) => dkim.some((signature) => signature.result === result))
  return {
    spf: spf.result,
    dkim: best ?? 'none',
    dmarc: dmarc.result,
    // What the operator has decided counts, not what the domain asks for.
    ...(dmarc.policy && { dmarcPolicy: dmarc.disposition }),
    arc: arc.result,
    iprev: iprev.result,
  }
}

const BEST_FIRST: readonly CheckResult[] = ['pass', 'temperror', 'policy', 'neutral', 'permerror', 'fail']
