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

/** For a core without DNS. */
export const NO_DNS: DomainDns = {
  ask: async (_domain, questions) => ({
    nameServers: [],
    isSigned: false,
    answers: questions.map(() => ({ status: 'unknown' })),
  }),
}
