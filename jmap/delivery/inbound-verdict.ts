/** The results of inbound checks on a message before it was stored: plain data, stored with the Email. */
import type { AuthenticationFacts, DnsListHit } from './spam/facts.ts'
import type { SpamVerdict } from './spam/verdict.ts'

/** RFC 8601 2.7: names of results. */
export type CheckResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'policy' | 'temperror' | 'permerror'

export type DmarcPolicy = 'none' | 'quarantine' | 'reject'

/** RFC 7208. `domain` is that of the checked identity: MAIL FROM, or EHLO if the sender is null. */
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
  /** Whether its domain aligns with that of From, as DMARC defines it. */
  readonly aligned: boolean
  /** Why the signature does not pass, in words. */
  readonly reason?: string
}

/** RFC 9989 */
export interface DmarcResult {
  readonly result: CheckResult
  /** The domain of From; null: there is none, or more than one. */
  readonly domain: string | null
  /** The policy that the domain publishes for `fail`; null: none. */
  readonly policy: DmarcPolicy | null
  /** The applied policy: the domain's, unless the operator has set another one. */
  readonly disposition: DmarcPolicy
}

/** RFC 8617: of the whole chain. */
export interface ArcResult {
  readonly result: CheckResult
  /** Domain of the last seal; null: there is no chain. */
  readonly domain: string | null
}

/** RFC 8601 3: whether the name of the client's address resolves back to the address. */
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
  /** The client's address and its HELO name. */
  readonly client?: { readonly address: string; readonly helo: string }
  readonly authentication?: AuthenticationResults
  readonly dnsLists?: readonly DnsListHit[]
  /** The verdict of an external filter. */
  readonly outside?: SpamVerdict
  /** Why the message belongs into Junk whatever its score, in words. */
  readonly quarantine?: string
}

/** The results in the short form that the spam score reads. */
export function authenticationFacts({ spf, dkim, dmarc, arc, iprev }: AuthenticationResults): AuthenticationFacts {
  const best = BEST_FIRST.find((result) => dkim.some((signature) => signature.result === result))
  return {
    spf: spf.result,
    dkim: best ?? 'none',
    dmarc: dmarc.result,
    // The operator's policy counts, not the domain's.
    ...(dmarc.policy && { dmarcPolicy: dmarc.disposition }),
    arc: arc.result,
    iprev: iprev.result,
  }
}

const BEST_FIRST: readonly CheckResult[] = ['pass', 'temperror', 'policy', 'neutral', 'permerror', 'fail']
