/** Symbols of the sender checks and the DNS lists. */
import { SPAM_DNS_LISTS_MAX_SCORE } from '../../../server/base/spam-limits.ts'
import type { AuthenticationFacts, DnsListHit } from './facts.ts'
import { SYMBOLS } from './symbols.ts'
import type { Tally } from './tally.ts'

export function judgeAuthentication({ spf, dkim, dmarc, dmarcPolicy, iprev }: AuthenticationFacts, tally: Tally): void {
  if (spf === 'pass') tally.add('SPF_PASS')
  else if (spf === 'fail') tally.add('SPF_FAIL')
  else if (spf === 'softfail') tally.add('SPF_SOFTFAIL')
  if (dkim === 'pass') tally.add('DKIM_PASS')
  else if (dkim === 'fail' || dkim === 'permerror') tally.add('DKIM_FAIL')
  if (dmarc === 'pass') tally.add('DMARC_PASS')
  else if (dmarc === 'fail') {
    if (dmarcPolicy === 'reject') tally.add('DMARC_REJECT')
    else if (dmarcPolicy === 'quarantine') tally.add('DMARC_QUARANTINE')
    else tally.add('DMARC_FAIL')
  }
  // A temporary lookup failure is no evidence about the sender.
  const results = [spf, dkim, dmarc]
  const wasAsked = spf !== undefined && dkim !== undefined
  if (wasAsked && !results.includes('pass') && !results.includes('temperror')) tally.add('UNAUTHENTICATED')
  if (iprev === 'fail' || iprev === 'permerror') tally.add('REVERSE_NAME_MISSING')
}

export function judgeDnsLists(hits: readonly DnsListHit[], tally: Tally): void {
  if (hits.length === 0) return
  const sum = hits.reduce((total, { score }) => total + (score ?? SYMBOLS.DNS_LISTED.weight), 0)
  const bounded = Math.max(-SPAM_DNS_LISTS_MAX_SCORE, Math.min(SPAM_DNS_LISTS_MAX_SCORE, sum))
  tally.add('DNS_LISTED', hits.map(({ subject, zone }) => `${subject} in ${zone}`).join(', '), bounded)
}
