/**
 * The interface by which the core queries the DNS records of domains. The host implements it (mta/dns/authority.ts), because the core
 * opens no sockets.
 */

export type DnsType = 'MX' | 'TXT' | 'CNAME' | 'SRV' | 'TLSA' | 'CAA'

export interface DnsQuestion {
  /** In lower case, without a dot at the end. */
  readonly name: string
  readonly type: DnsType
}

/** A record in zone file format: TXT unquoted and in one piece, names without a dot at the end, the priority of MX and SRV apart. */
export interface DnsRecord {
  readonly value: string
  readonly priority?: number
}

/** `unknown`: no authoritative server has responded. It never counts as absence. */
export type DnsFinding =
  | { readonly status: 'found'; readonly records: readonly DnsRecord[] }
  | { readonly status: 'absent' }
  | { readonly status: 'unknown' }

export interface DomainFindings {
  /** Names of the servers that the domain is delegated to; empty if unknown. */
  readonly nameServers: readonly string[]
  /** The parent zone has a DS record for the domain. */
  readonly isSigned: boolean
  /** In the order of the queries. */
  readonly answers: readonly DnsFinding[]
}

/** Queries the authoritative servers of a domain, without caches. Never rejects. */
export interface DomainDns {
  ask(domain: string, questions: readonly DnsQuestion[]): Promise<DomainFindings>
}

/** Why a webhook may not use a URL, as the end of "url cannot be used:"; null: no reason is known. Never rejects. */
export type WebhookTargets = (url: string) => Promise<string | null>

/** Of a server-to-server OAuth app at Zoom. */
export interface ZoomCredentials {
  readonly accountId: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Why Zoom refuses credentials, as the end of "Zoom cannot be connected:"; null: it takes them. Never rejects. */
export type ZoomFault = (credentials: ZoomCredentials) => Promise<string | null>

/** Fetches an image from a URL of a user. `fault` is the end of a sentence. Never rejects. */
export type FetchImage = (url: string) => Promise<{ readonly bytes: Uint8Array } | { readonly fault: string }>

/** A frame of a video as an image; null: none could be made. Never rejects. */
export type VideoFrame = (video: {
  /** Number of the organization: videos of different ones take turns. */
  readonly owner: number
  readonly size: number
  /** From `start` up to, but not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>
  readonly container: 'mov' | 'webm'
}) => Promise<Uint8Array | null>

/** Hosts and ports of this installation, from the configuration. The DNS records of every domain name them. */
export interface Hosting {
  /** Mail host: the target of MX records. */
  readonly mailHost: string
  /** SPF mechanism that covers the hosts which send mail for this installation: `a:mail.example.com`, `include:_spf.example.net`. */
  readonly spfMechanism: string
  /** Host that serves JMAP, MTA-STS policies and autoconfiguration over HTTPS. */
  readonly webHost: string
  readonly webPort: number
  /** URL of the server in links of mails, without a slash at the end. */
  readonly baseUrl: string
  /** Ports of submission; null: not offered. */
  readonly submissionsPort: number | null
  readonly submissionPort: number | null
  /** Whether an MTA-STS policy is published: it needs a publicly trusted certificate. */
  readonly hasPolicy: boolean
  /** Certification authority that may issue for the domain's service names (RFC 8659). */
  readonly caaIssuer: string
}

/** For a core without DNS. */
export const NO_DNS: DomainDns = {
  ask: async (_domain, questions) => ({
    nameServers: [],
    isSigned: false,
    answers: questions.map(() => ({ status: 'unknown' })),
  }),
}

export const IMAP_PROVIDERS = ['gmail', 'yahoo', 'aol', 'icloud', 'fastmail', 'zoho', 'imap'] as const

/** An IMAP account that mail is imported from (decision D12). */
export interface ImapAccount {
  readonly provider: (typeof IMAP_PROVIDERS)[number]
  readonly email: string
  readonly password: string
  /** Of the provider `imap` only, as are the next three; null: it is found by SRV, autoconfiguration or `imap.<domain>`. */
  readonly host: string | null
  readonly port: number | null
  readonly security: 'tls' | 'starttls' | null
  /** null: the address. */
  readonly username: string | null
}

/** Why mail cannot be imported from an account. `message` is a sentence without secrets. */
export interface ImapLoginFault {
  readonly code: 'source_authentication_failed' | 'source_tls_untrusted' | 'source_unreachable'
  readonly message: string
}

/** Where and with which name a login succeeded. */
export interface ImapPlace {
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls'
  readonly username: string
}

/** Logs in once and out again; the place that was found, or why it cannot. Takes at most 30 s. Never rejects. */
export type ImapLogin = (account: ImapAccount) => Promise<ImapPlace | ImapLoginFault>
