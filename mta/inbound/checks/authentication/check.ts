import type { AuthenticationResults } from '../../../../jmap/delivery/inbound-verdict.ts'
import type { Clock } from '../../../../server/base/clock.ts'
import type { Logger } from '../../../../server/base/logger.ts'
import type { DnsResolver } from '../../../dns/resolver.ts'
import { reply } from '../../../smtp/reply.ts'
import type { CheckedMessage, CheckResult, InboundCheck } from '../check.ts'
import type { DmarcRules } from './dmarc.ts'
import { resultsField } from './results-header.ts'
import { SignaturePool } from './signature-pool.ts'

export interface AuthenticationOptions {
  readonly hostname: string
  readonly dns: DnsResolver
  readonly rules: DmarcRules
  readonly clock: Clock
  readonly log: Logger
}

/** SPF, DKIM, ARC, DMARC and iprev: the results are written in front of the message, and the DMARC policy is applied. */
export function authenticationCheck({ hostname, dns, rules, clock, log }: AuthenticationOptions): InboundCheck {
  const pool = new SignaturePool({ dns, clock, log })
  const work = { dns, clock, pool, hostname, rules }
  const library = import('./authenticate.ts')
  return {
    name: 'authentication',
    async run(checked) {
      const { authenticate } = await library
      const { results, deferred } = await authenticate(work, checked)
      return deferred ? DEFERRED : outcome(hostname, checked, results)
    },
    close: () => pool.close(),
  }
}

const DEFERRED: CheckResult = {
  refusal: reply(451, '4.7.24', 'The sender cannot be authenticated at present, try again later'),
}

function outcome(hostname: string, { message }: CheckedMessage, authentication: AuthenticationResults): CheckResult {
  const { domain, disposition } = authentication.dmarc
  // RFC 7372 3.3: several mechanisms failed.
  if (disposition === 'reject')
    return { refusal: reply(550, '5.7.26', `Not authenticated as ${domain}, whose DMARC policy is to refuse it`) }
  const quarantine = domain
    ? `DMARC: the message is not shown to be from ${domain}, which asks to put such mail aside`
    : 'DMARC: the message names several authors in From'
  return {
    fields: resultsField(hostname, message.session.remoteAddress, authentication),
    verdict: { authentication, ...(disposition === 'quarantine' && { quarantine }) },
  }
}
