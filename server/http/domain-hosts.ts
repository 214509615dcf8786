/**
 * HTTP resources under names of hosted domains: the MTA-STS policy (RFC 8461 3.3), and the configuration of mail programs by autoconfig
 * (Thunderbird's clients-config 1.1) and autodiscover (Outlook's POX). Names of other domains are answered like any other name.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hosting } from '../../jmap/service/domain/domain-dns.ts'
import { stsPolicy } from '../../jmap/service/domain/sts-policy.ts'
import type { Core } from '../../jmap/services.ts'
import { send } from '../base/http/respond.ts'
import { methodNotAllowed } from './problem.ts'

/** A cheap check whether a host name may be one of these. */
export function isServiceHost(host: string): boolean {
  return /^(?:mta-sts|autoconfig|autodiscover)\./i.test(host)
}

interface Page {
  readonly methods: readonly string[]
  readonly type: string
  readonly text: (domain: string, hosting: Hosting) => string
}

export class DomainHosts {
  readonly #core: Pick<Core, 'recipients'>
  readonly #hosting: Hosting

  constructor(core: Pick<Core, 'recipients'>, hosting: Hosting) {
    this.#core = core
    this.#hosting = hosting
  }

  /**
   * @param host as the client wrote it, with or without a port
   * @returns whether the request was answered here
   */
  async answer(request: IncomingMessage, response: ServerResponse, host: string, path: string): Promise<boolean> {
    const [, service = '', domain = ''] =
      /^(mta-sts|autoconfig|autodiscover)\.([a-z0-9_.-]+)(?::\d+)?$/i.exec(host) ?? []
    const page = this.#page(service.toLowerCase(), path.toLowerCase())
    if (!page || !(await this.#isHosted(domain.toLowerCase()))) return false
    if (!page.methods.includes(request.method ?? '')) throw methodNotAllowed(page.methods)
    // The body names the user. The answer is the same for all users of a domain.
    request.resume()
    send(response, 200, page.type, page.text(domain.toLowerCase(), this.#hosting))
    return true
  }

  #page(service: string, path: string): Page | null {
    if (service === 'mta-sts' && path === '/.well-known/mta-sts.txt') return this.#hosting.hasPolicy ? POLICY : null
    if (service === 'autoconfig' && AUTOCONFIG_PATHS.includes(path)) return AUTOCONFIG
    return service === 'autodiscover' && path === '/autodiscover/autodiscover.xml' ? AUTODISCOVER : null
  }

  async #isHosted(domain: string): Promise<boolean> {
    const [verdict] = await this.#core.recipients([`postmaster@${domain}`])
    return verdict !== undefined && verdict.status !== 'notLocal'
  }
}

const AUTOCONFIG_PATHS = ['/mail/config-v1.1.xml', '/.well-known/autoconfig/mail/config-v1.1.xml']
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
const READ = ['GET', 'HEAD']

const POLICY: Page = {
  methods: READ,
  type: 'text/plain; charset=utf-8',
  text: (_domain, { mailHost }) => stsPolicy(mailHost),
}

const AUTOCONFIG: Page = {
  methods: READ,
  type: 'text/xml; charset=utf-8',
  text: (domain, hosting) => `${XML}<clientConfig version="1.1">
  <emailProvider id="${xmlText(domain)}">
    <domain>${xmlText(domain)}</domain>
    <displayName>${xmlText(domain)}</displayName>
    <displayShortName>${xmlText(domain)}</displayShortName>
    <incomingServer type="jmap">
      <url>${xmlText(webUrl(hosting))}/.well-known/jmap</url>
      <username>%EMAILADDRESS%</username>
      <authentication>http-basic</authentication>
    </incomingServer>
${outgoing(hosting)}  </emailProvider>
</clientConfig>
`,
}

const AUTODISCOVER: Page = {
  methods: [...READ, 'POST'],
  type: 'text/xml; charset=utf-8',
  text: (
    _domain,
    { mailHost, submissionsPort, submissionPort },
  ) => `${XML}<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006">
  <Response xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a">
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
      <Protocol>
        <Type>SMTP</Type>
        <Server>${xmlText(mailHost)}</Server>
        <Port>${submissionsPort ?? submissionPort ?? ''}</Port>
        <DomainRequired>off</DomainRequired>
        <SPA>off</SPA>
        <Encryption>${submissionsPort === null ? 'TLS' : 'SSL'}</Encryption>
        <AuthRequired>on</AuthRequired>
      </Protocol>
    </Account>
  </Response>
</Autodiscover>
`,
}

function outgoing({ mailHost, submissionsPort, submissionPort }: Hosting): string {
  const server = (port: number | null, socketType: string) =>
    port === null
      ? ''
      : `    <outgoingServer type="smtp">
      <hostname>${xmlText(mailHost)}</hostname>
      <port>${port}</port>
      <socketType>${socketType}</socketType>
      <username>%EMAILADDRESS%</username>
      <authentication>password-cleartext</authentication>
    </outgoingServer>
`
  return `${server(submissionsPort, 'SSL')}${server(submissionPort, 'STARTTLS')}`
}

function webUrl({ webHost, webPort }: Hosting): string {
  return `https://${webHost}${webPort === 443 ? '' : `:${webPort}`}`
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
