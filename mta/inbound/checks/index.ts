import type { Clock } from '../../../server/base/clock.ts'
import type { Logger } from '../../../server/base/logger.ts'
import type { DnsResolver } from '../../dns/resolver.ts'
import { authenticationCheck } from './authentication/check.ts'
import type { DmarcRules } from './authentication/dmarc.ts'
import type { InboundCheck } from './check.ts'
import { type DnsList, dnsListsCheck } from './dns-lists.ts'
import { hops } from './hops.ts'
import { type Rspamd, rspamdCheck } from './spam-rspamd.ts'

/** Settings of the checks. */
export interface SenderChecks {
  readonly dmarc: DmarcRules
  readonly dnsLists: readonly DnsList[]
}

export interface CheckOptions {
  readonly hostname: string
  readonly dns: DnsResolver
  /** null: senders are not checked. */
  readonly senderChecks: SenderChecks | null
  /** Rspamd scores messages instead of the built-in spam filter. */
  readonly rspamd?: Rspamd | null
  readonly clock: Clock
  readonly log: Logger
}

/** The checks in the order in which they run. */
export function createChecks(options: CheckOptions): readonly InboundCheck[] {
  const { rspamd, clock, log } = options
  return [hops, ...senderChecksOf(options), ...(rspamd ? [rspamdCheck({ ...rspamd, clock, log })] : [])]
}

function senderChecksOf({ hostname, dns, senderChecks, clock, log }: CheckOptions): readonly InboundCheck[] {
  if (!senderChecks) return []
  const { dmarc, dnsLists } = senderChecks
  const lists = dnsLists.length > 0 ? [dnsListsCheck(dns, dnsLists, clock)] : []
  return [...lists, authenticationCheck({ hostname, dns, rules: dmarc, clock, log })]
}
