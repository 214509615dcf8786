/** What the records of every domain refer to: the hosts and ports of this installation. Plain data, from configuration. */

export interface Hosting {
  /** Mail host: what MX records name. */
  readonly mailHost: string
  /** SPF mechanism that covers the hosts which send for us: `a:mail.example.com`, `include:_spf.example.net`. */
  readonly spfMechanism: string
  /** Where HTTPS of JMAP, MTA-STS policies and autoconfiguration answers. */
  readonly webHost: string
  readonly webPort: number
  /** Ports of submission; null: not offered. */
  readonly submissionsPort: number | null
  readonly submissionPort: number | null
  /** Whether an MTA-STS policy is published: it needs a certificate that others trust. */
  readonly hasPolicy: boolean
  /** Certification authority that may issue for the domain's service names (RFC 8659). */
  readonly caaIssuer: string
}

/** A host by itself, with its usual ports. */
export function plainHosting(mailHost: string): Hosting {
  return {
    mailHost,
    spfMechanism: `a:${mailHost}`,
    webHost: mailHost,
    webPort: 443,
    submissionsPort: 465,
    submissionPort: 587,
    hasPolicy: false,
    caaIssuer: 'letsencrypt.org',
  }
}

/** Label of the custom MAIL FROM domain: bounces return there (decision D7). */
const MAIL_FROM_LABEL = 'bounces'

export function mailFromDomain(domain: string): string {
  return `${MAIL_FROM_LABEL}.${domain}`
}
