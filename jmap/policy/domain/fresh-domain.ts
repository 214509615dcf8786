/** The stored values of a domain that is new. */
import { formatUTCDate } from '../../protocol/primitives.ts'
import { type MadeDkimKey, publicOf } from './dkim-keys.ts'
import type { StoredDomain } from './domain.type.ts'
import { showKey } from './stored.ts'

export function freshDomain(name: string, keys: readonly MadeDkimKey[], isVerified: boolean, now: number) {
  const rsa = keys.find(({ algorithm }) => algorithm === 'rsa')!
  return {
    name,
    status: isVerified ? 'verified' : 'pending',
    managedBy: 'external',
    dnsProvider: 'manual',
    mxVerified: isVerified,
    spfVerified: isVerified,
    dkimVerified: isVerified,
    dmarcVerified: isVerified,
    outboundVerified: isVerified,
    verifiedAt: isVerified ? formatUTCDate(now) : null,
    dkim: showKey(name, rsa),
    dkimKeys: keys.map(publicOf),
    expiresAt: null,
    renewalError: null,
    check: null,
  } satisfies Partial<StoredDomain>
}
