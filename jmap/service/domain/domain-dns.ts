/** How the core asks for the DNS records of domains. The host implements it (mta/dns/authority.ts): the core opens no sockets. */

export type DnsType = 'MX' | 'TXT' | 'CNAME' | 'SRV' | 'TLSA' | 'CAA'

export interface DnsQuestion {
  /** In lower case, without a dot at the end. */
  readonly name: string
  readonly type: DnsType
}

/** As zone files write it, TXT unquoted and in one piece, names without a dot at the end; the priority of MX and SRV apart. */
export interface DnsRecord {
  readonly value: string
  readonly priority?: number
}

/** `unknown`: no authoritative server has answered. It is never taken as absence. */
export type DnsFinding =
  | { readonly status: 'found'; readonly records: readonly DnsRecord[] }
  | { readonly status: 'absent' }
  | { readonly status: 'unknown' }

export interface DomainFindings {
  /** Names of the servers that the domain is delegated to; empty when that is not known. */
  readonly nameServers: readonly string[]
  /** Its parent has a DS record for it. */
  readonly isSigned: boolean
  /** In the order of the questions. */
  readonly answers: readonly DnsFinding[]
}

/** Asks the authoritative servers of a domain, past all caches. Never rejects. */
export interface DomainDns {
  ask(domain: string, questions: readonly DnsQuestion[]): Promise<DomainFindings>
}

/** Why a webhook may not lead to a URL, as what follows "It cannot be used:"; null: it may, as far as can be told now. Never rejects. */
export type WebhookTargets = (url: string) => Promise<string | null>

/** Hosts and ports of this installation, from configuration: the DNS records of every domain name them. */
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

/** For a core that was given no DNS. */
export const NO_DNS: DomainDns = {
  ask: async (_domain, questions) => ({
    nameServers: [],
    isSigned: false,
    answers: questions.map(() => ({ status: 'unknown' })),
  }),
}
