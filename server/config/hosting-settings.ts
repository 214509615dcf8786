/** What the DNS records of domains refer to, from the settings. */
import type { Hosting } from '../../jmap/type/host-ports.ts'
import type { SettingReader } from './setting-reader.ts'

/** Port of a listener for clients, if the setting lets the system choose one. */
const SUBMISSION_PORT = 587
const SUBMISSIONS_PORT = 465

export interface Listening {
  readonly hostname: string
  /** null: made of `hostname` and the port. */
  readonly baseUrl: string | null
  readonly httpPort: number
  readonly submission: { readonly port: number; readonly tlsPort: number }
  /** The certificate is the operator's, so that others trust it. */
  readonly hasCertificate: boolean
}

export function readHosting(
  read: SettingReader,
  { hostname, baseUrl, httpPort, submission, hasCertificate }: Listening,
): Hosting {
  const mechanism = read.text('spf_mechanism') ?? `a:${hostname}`
  // RFC 7208 4.6.1: one term, without a qualifier.
  if (!/^(?:include|a|mx|ip4|ip6|exists)(?:[:=/][\x21-\x7e]{1,250})?$/i.test(mechanism))
    read.refuse('spf_mechanism', 'must be one SPF mechanism, such as include:_spf.example.net or a:mail.example.com')
  const web = URL.parse(baseUrl ?? `https://${hostname}`)!
  return {
    mailHost: hostname,
    spfMechanism: mechanism,
    webHost: web.hostname,
    baseUrl: baseUrl ?? `http://${hostname}:${httpPort}`,
    webPort: Number(web.port) || (web.protocol === 'http:' ? 80 : 443),
    submissionsPort: submission.tlsPort || SUBMISSIONS_PORT,
    submissionPort: submission.port || SUBMISSION_PORT,
    hasPolicy: hasCertificate,
    caaIssuer: read.hostName('caa_issuer') ?? 'letsencrypt.org',
  }
}
