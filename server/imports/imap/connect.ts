/**
 * Connects and logs in. The host is resolved when the connection is made, all its addresses must be allowed, and the connection goes to
 * them (promise W3). Nothing is sent before TLS stands and the certificate is trusted.
 */
import { type LookupAddress, Resolver, type SrvRecord, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { ImapFlow } from 'imapflow'
import type { Clock } from '../../base/clock.ts'
import {
  IMAP_CONNECT_MS,
  IMAP_DNS_MS,
  IMAP_DNS_TRIES,
  IMAP_LINE_MAX_BYTES,
  IMAP_SILENCE_MS,
} from '../../base/imap-limits.ts'
import { checkedLookup } from '../../egress/checked-lookup.ts'
import { createReach, isOtherService, type Reach } from '../../egress/reach.ts'
import { SourceError } from '../import-source.ts'
import { listenForErrors } from './deadline.ts'
import { INSIDE, loginFault } from './faults.ts'
import { type ImapTarget, STARTTLS_PORT, TLS_PORT } from './providers.ts'
import type { ImapReach } from './session-port.ts'

export interface Connection {
  readonly client: ImapFlow
  /** With the one user name that was taken. */
  readonly target: ImapTarget
}

export interface Connecting {
  readonly targets: readonly ImapTarget[]
  readonly password: string
  /** Octets of one literal. */
  readonly maxLiteral: number
  readonly clock: Clock
  /** Milliseconds for all tries. */
  readonly ms: number
}

export class Connector {
  readonly #reach: Reach
  readonly #lookup: LookupFunction
  readonly #resolver: Resolver
  readonly #ca: readonly string[] | null

  constructor({ reach, ca, dns }: ImapReach) {
    this.#reach = createReach(reach)
    this.#resolver = new Resolver({ timeout: IMAP_DNS_MS, tries: IMAP_DNS_TRIES })
    if (dns !== null) this.#resolver.setServers([dns])
    const lookup = dns === null ? (systemLookup as LookupFunction) : lookupBy(this.#resolver)
    this.#lookup = checkedLookup(this.#reach, lookup)
    this.#ca = ca === null ? null : [...rootCertificates, ca]
  }

  srv(name: string): Promise<readonly SrvRecord[]> {
    return new Promise((resolve) => this.#resolver.resolveSrv(name, (error, records) => resolve(error ? [] : records)))
  }

  /** Tries each place and each user name, until one takes the login. @throws SourceError */
  async connect({ targets, password, maxLiteral, clock, ms }: Connecting): Promise<Connection> {
    const until = clock.now() + ms
    let fault = new SourceError('unreachable', 'No server is known for this address.')
    for (const target of targets) {
      for (const username of target.usernames) {
        const left = Math.min(IMAP_CONNECT_MS, until - clock.now())
        if (left <= 0) throw fault
        try {
          return {
            client: await this.#once(target, { user: username, pass: password }, maxLiteral, left, clock),
            target: { ...target, usernames: [username] },
          }
        } catch (error) {
          const found = loginFault(error, clock.now())
          // Another place may be reached. What the first that responded says counts more than that another does not respond.
          if (fault.fault === 'unreachable') fault = found
          if (found.fault === 'unreachable') break
          if (found.fault !== 'authentication') throw found
        }
      }
      if (fault.fault === 'authentication') throw fault
    }
    throw fault
  }

  async #once(
    target: ImapTarget,
    auth: { user: string; pass: string },
    maxLiteral: number,
    ms: number,
    clock: Clock,
  ): Promise<ImapFlow> {
    const { host, port, security } = target
    const refusal = this.#refusal(host, port)
    if (refusal) throw refusal
    const client = new ImapFlow({
      host,
      port,
      auth,
      secure: security === 'tls',
      // RFC 8314 3: never in clear text. Without STARTTLS the library ends the connection before the login.
      ...(security === 'starttls' && { doSTARTTLS: true }),
      tls: { lookup: this.#lookup, minVersion: 'TLSv1.2', ...(this.#ca && { ca: [...this.#ca] }) } as object,
      // Its log has what the server says.
      logger: false,
      clientInfo: { name: 'Posthouse' },
      disableAutoIdle: true,
      // Plain IMAP4rev1 is enough, and every server has tested it. Compressed octets would escape the limits.
      disableAutoEnable: true,
      disableCompression: true,
      connectionTimeout: ms,
      greetingTimeout: ms,
      socketTimeout: IMAP_SILENCE_MS,
      maxLineLength: IMAP_LINE_MAX_BYTES,
      maxLiteralSize: maxLiteral,
      maxResponseSize: maxLiteral + 2 * IMAP_LINE_MAX_BYTES,
    })
    listenForErrors(client)
    const cancel = clock.after(ms, () => client.close())
    try {
      await client.connect()
      return client
    } catch (error) {
      client.close()
      throw error
    } finally {
      cancel()
    }
  }

  /** Addresses and ports that no lookup checks. */
  #refusal(host: string, port: number): SourceError | null {
    const isMail = port === TLS_PORT || port === STARTTLS_PORT
    if (!isMail && (port < 1_024 || isOtherService(port)))
      return new SourceError('unreachable', `Port ${port} is not one of IMAP.`)
    const address = host.replace(/^\[|\]$/g, '')
    if (isIP(address) !== 0 && !this.#reach.mayConnect(address)) return new SourceError('unreachable', INSIDE)
    // RFC 6761 6.3: it means this machine, whatever a resolver answers.
    if (/(^|\.)localhost\.?$/i.test(host) && !this.#reach.mayConnect('127.0.0.1'))
      return new SourceError('unreachable', INSIDE)
    return null
  }
}

/** A lookup by the operator's resolver, of IPv4 and IPv6 addresses. */
function lookupBy(resolver: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    if (/(^|\.)localhost\.?$/i.test(hostname)) {
      systemLookup(hostname, options, callback)
      return
    }
    let left = 2
    const found: LookupAddress[] = []
    const done = (addresses: readonly string[], family: 4 | 6) => {
      found.push(...addresses.map((address) => ({ address, family })))
      if (--left > 0) return
      if (found.length > 0) callback(null, found)
      else callback(Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' }), [])
    }
    resolver.resolve4(hostname, (error, addresses) => done(error ? [] : addresses, 4))
    resolver.resolve6(hostname, (error, addresses) => done(error ? [] : addresses, 6))
  }
}
