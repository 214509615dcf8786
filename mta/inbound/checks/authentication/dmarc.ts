/** DMARC (RFC 9989): whether what SPF and DKIM have shown is about the domain of From, and what is done when it is not. */
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import type { DmarcPolicy, DmarcResult, SpfResult } from '../../../../jmap/mail/inbound-verdict.ts'
import type { Lookup } from './lookup.ts'
import type { SignatureReport } from './signature-report.ts'

export interface Author {
  /** Addresses of all From fields. */
  readonly addresses: readonly string[]
  /** How many From fields there are. */
  readonly fields: number
}

/** What the operator has decided, instead of the domains. */
export interface DmarcRules {
  /** By domain in lower case: what is done about it, and its subdomains, when DMARC fails. */
  readonly overrides: ReadonlyMap<string, DmarcPolicy>
  /** Sealers of ARC chains who are believed when they say that DMARC passed before them. */
  readonly trustedSealers: ReadonlySet<string>
}

export interface DmarcOutcome extends DmarcResult {
  /** Domains of signatures that count for From. */
  readonly aligned: ReadonlySet<string>
  /** It cannot be decided now, and would not go to the inbox if it failed. */
  readonly deferred: boolean
}

const POLICIES = ['none', 'quarantine', 'reject'] as const

export async function checkDmarc(
  lookup: Lookup,
  author: Author,
  spf: SpfResult,
  signatures: SignatureReport,
  rules: DmarcRules,
): Promise<DmarcOutcome> {
  const { response, dkimAligned, reason, authorDomains } = await evaluateDmarc({
    headerFrom: [...author.addresses],
    fromFields: author.fields,
    spfDomains: spf.result === 'pass' ? [spf.domain] : [],
    dkimDomains: signatures.dkim.filter(({ result }) => result === 'pass').map(({ domain }) => ({ domain })),
    resolver: lookup,
    strict: true,
  })
  const nothing = { aligned: new Set<string>(), deferred: false }
  if (!response) {
    // RFC 9989 11.5: readers show one of several authors, and the sender chooses which. Such mail is put aside.
    const several = reason === 'multiple-from-fields' || (authorDomains?.length ?? 0) > 1
    return { result: 'permerror', domain: null, policy: null, disposition: several ? 'quarantine' : 'none', ...nothing }
  }
  const domain = String(response.status.header?.['from'] ?? response.domain)
  const policy = POLICIES.find((each) => each === response.policy) ?? null
  const wanted = dispositionOf(domain, policy ?? 'none', signatures, rules)
  const decided = {
    domain,
    policy,
    disposition: 'none' as const,
    aligned: dkimAligned ?? new Set<string>(),
    deferred: false,
  }
  const { result } = response.status
  if (result === 'pass' || result === 'none') return { ...decided, result }
  // A failure is one only when all is known: what could not be looked up may have passed. Whoever makes his own names hard to look up
  // must not get past the policy of another by it, so the message has to come again.
  const unknown = spf.result === 'temperror' || signatures.dkim.some((signature) => signature.result === 'temperror')
  if (result !== 'fail' || unknown) return { ...decided, result: 'temperror', deferred: wanted !== 'none' }
  return { ...decided, result, disposition: wanted }
}

function dispositionOf(
  domain: string,
  policy: DmarcPolicy,
  { arc }: SignatureReport,
  { overrides, trustedSealers }: DmarcRules,
): DmarcPolicy {
  for (let name = domain.toLowerCase(); name !== ''; name = name.slice(name.indexOf('.') + 1 || name.length)) {
    const override = overrides.get(name)
    if (override) return override
  }
  // RFC 8617 7.2.1: the chain of a list that is known to seal truly counts instead.
  const believed = arc.result === 'pass' && arc.sealedDmarc === 'pass' && arc.domain !== null
  return believed && trustedSealers.has(arc.domain) ? 'none' : policy
}
