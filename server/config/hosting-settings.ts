/** What the DNS records of domains refer to, from the settings. */
import type { Hosting } from '../../jmap/type/host-ports.ts'
import type { SettingReader } from './setting-reader.ts'

/** Port of a listener for clients, if the setting lets the system choose one. */
const SUBMISSION_PORT = 587
const SUBMISSIONS_PORT = 465

/** What the server's own URL is made of. */
export interface OwnAddress {
  readonly hostname: string
  /** The operator's setting; null: made of `hostname`, or in dev mode of `bind`, and the port. */
  readonly baseUrl: string | null
  /** In dev mode nobody can look up `hostname`. */
  readonly isDev: boolean
  readonly bind: string
}

export interface Listening extends OwnAddress {
  readonly httpPort: number
  readonly submission: { readonly port: number; readonly tlsPort: number }
  /** The certificate is the operator's, so that others trust it. */
  readonly hasCertificate: boolean
}

/** URL of the server for links in mails, without a slash at the end. */
export function ownUrl({ hostname, baseUrl, isDev, bind }: OwnAddress, httpPort: number): string {
  return baseUrl ?? `http://${isDev ? urlHost(bind) : hostname}:${httpPort}`
}

/** How clients on this machine reach a listener: one that listens on all addresses by loopback. */
export function clientHost(bind: string): string {
  return bind === '0.0.0.0' || bind === '::' ? '127.0.0.1' : bind
}

/** RFC 3986 3.2.2: an IPv6 address stands in brackets. */
export function urlHost(bind: string): string {
  const host = clientHost(bind)
  return host.includes(':') ? `[${host}]` : host
}

export function readHosting(read: SettingReader, listening: Listening): Hosting {
  const { hostname, baseUrl, httpPort, submission, hasCertificate } = listening
  const mechanism = read.text('spf_mechanism') ?? `a:${hostname}`
  // RFC 7208 4.6.1: one term, without a qualifier.
  if (!/^(?:include|a|mx|ip4|ip6|exists)(?:[:=/][\x21-\x7e]{1,250})?$/i.test(mechanism))
    read.refuse('spf_mechanism', 'must be one SPF mechanism, such as include:_spf.example.net or a:mail.example.com')
  const web = URL.parse(baseUrl ?? `https://${hostname}`)!
  return {
    mailHost: hostname,
    spfMechanism: mechanism,
    webHost: web.hostname,
    baseUrl: ownUrl(listening, httpPort),
    webPort: Number(web.port) || (web.protocol === 'http:' ? 80 : 443),
    submissionsPort: submission.tlsPort || SUBMISSIONS_PORT,
    submissionPort: submission.port || SUBMISSION_PORT,
    hasPolicy: hasCertificate,
    caaIssuer: read.hostName('caa_issuer') ?? 'letsencrypt.org',
  }
}
