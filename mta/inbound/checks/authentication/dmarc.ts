/** DMARC (RFC 9989): whether SPF or DKIM authenticate the domain of From, and what is done if not. */
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import type { DmarcPolicy, DmarcResult, SpfResult } from '../../../../jmap/delivery/inbound-verdict.ts'
import type { Lookup } from './lookup.ts'
import type { SignatureReport } from './signature-report.ts'

export interface Author {
  /** Addresses of all From fields. */
  readonly addresses: readonly string[]
  /** How many From fields there are. */
  readonly fields: number
}

/** Decisions of the operator that override the policies of domains. */
export interface DmarcRules {
  /** By domain in lower case: the policy for it and its subdomains. */
  readonly overrides: ReadonlyMap<string, DmarcPolicy>
  /** Domains of ARC sealers that are trusted when they state that DMARC passed. */
  readonly trustedSealers: ReadonlySet<string>
}

export interface DmarcOutcome extends DmarcResult {
  /** Domains of signatures that are aligned with From. */
  readonly aligned: ReadonlySet<string>
  /** The result is not known now, and a failure would keep the message out of the inbox. */
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
    // RFC 9989 11.5: a reader shows one of several authors, and the sender chooses which. Such mail goes to Junk.
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
  // DMARC fails only when all results are known: a failed lookup could have been a pass. A sender must not get past the policy of another
  // domain by names that cannot be looked up, so the message is refused for now.
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
  // RFC 8617 7.2.1: the ARC chain of a trusted sealer, such as a mailing list, replaces the policy.
  const isTrusted = arc.result === 'pass' && arc.sealedDmarc === 'pass' && arc.domain !== null
  return isTrusted && trustedSealers.has(arc.domain) ? 'none' : policy
}
