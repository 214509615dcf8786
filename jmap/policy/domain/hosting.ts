/** Hosts that the DNS records of domains name. */
import type { Hosting } from '../../type/host-ports.ts'

/** A single host with the usual ports. */
export function plainHosting(mailHost: string): Hosting {
  return {
    mailHost,
    spfMechanism: `a:${mailHost}`,
    webHost: mailHost,
    webPort: 443,
    baseUrl: `https://${mailHost}`,
    submissionsPort: 465,
    submissionPort: 587,
    hasPolicy: false,
    caaIssuer: 'letsencrypt.org',
  }
}

/** Label of the custom MAIL FROM domain, which receives bounces (decision D7). */
const MAIL_FROM_LABEL = 'bounces'

export function mailFromDomain(domain: string): string {
  return `${MAIL_FROM_LABEL}.${domain}`
}
