/**
 * Mail transport: SMTP in (inbound/ on 25, submission/ on 587 and 465) and out (outbound/), with smtp/, dns/ and reports/ below them
 * (spec/architecture/mta-rooms.ts has their order). It owns sockets and protocol. Storage, permissions and the queue belong to the core, which it
 * uses through the interface of jmap/services.ts. It acknowledges nothing that the core has not committed.
 */
import type { KeyObject } from 'node:crypto'
import type { Core } from '../jmap/services.ts'
import type { Clock } from '../server/base/clock.ts'
import { Failure } from '../server/base/errors.ts'
import type { Logger } from '../server/base/logger.ts'
import { createDnsResolver } from './dns/resolver.ts'
import { createChecks, type SenderChecks } from './inbound/checks/index.ts'
import type { Rspamd } from './inbound/checks/spam-rspamd.ts'
import { createInboundListener } from './inbound/listener.ts'
import { createLocalDelivery } from './inbound/local-delivery.ts'
import { withReturnAddresses } from './inbound/with-return-addresses.ts'
import { createOutboundQueue, type OutboundQueue, type QueueCore, type Routing } from './outbound/queue.ts'
import type { RetrySchedule } from './outbound/retry-schedule.ts'
import { ClientRateLimiter, type ClientRates } from './smtp/client-rate-limiter.ts'
import type { SmtpLimits } from './smtp/limits.ts'
import { isEnvelopeAddress } from './smtp/path.ts'
import type { Endpoint, SmtpServer, TlsMaterial } from './smtp/server.ts'
import { createSubmissionListener } from './submission/listener.ts'

export type { SenderChecks } from './inbound/checks/index.ts'
export type { Rspamd } from './inbound/checks/spam-rspamd.ts'
export type { Routing } from './outbound/queue.ts'
export type { SmtpLimits } from './smtp/limits.ts'
export type { Endpoint, TlsMaterial } from './smtp/server.ts'

export interface MtaConfig {
  /** Name of this server: in greetings, EHLO, Received fields and the ids of notifications. */
  readonly hostname: string
  /** The address for `<postmaster>` without a domain, and From of notifications; default `postmaster@` the hostname. */
  readonly postmaster?: string
  /** Addresses to listen on; null: no such listener. */
  readonly inbound: Endpoint | null
  readonly submission: Endpoint | null
  readonly submissions: Endpoint | null
  /** How messages leave; null: this process does not work on the queue. */
  readonly routing: Routing | null
  /** When outgoing messages are attempted again; default: DEFAULT_SCHEDULE of mta/outbound/retry-schedule.ts. */
  readonly retries?: RetrySchedule
  /** `address:port` of the DNS server; null: those of the system. */
  readonly dnsServer: string | null
  readonly limits?: Partial<SmtpLimits>
  /** Checks of the senders of mail from outside; without it senders are not checked. */
  readonly senderChecks?: SenderChecks | null
  /** Rate limits of clients on port 25; without it, and for clients on this machine, there are none. */
  readonly clientRates?: ClientRates
  /** Whether a peer is a load balancer that sends a PROXY header. */
  readonly isBalancer?: (address: string) => boolean
}

export interface MtaOptions {
  readonly core: QueueCore & Pick<Core, 'recipients' | 'ingest' | 'authenticate' | 'submit'>
  readonly config: MtaConfig
  readonly clock: Clock
  readonly logger: Logger
  /** For STARTTLS on 25 and for submission; null: no STARTTLS, and no submission. */
  readonly tls: TlsMaterial | null
  /** Rspamd scores mail from outside instead of the built-in spam filter. */
  readonly rspamd?: Rspamd | null
  /** Secrets of the return addresses, the newest first; without any, the reverse-path is the sender's address. */
  readonly returnKeys?: readonly KeyObject[]
  /** Whether an address is on the public Internet, where relays of tenants have to be; without it any address is allowed. */
  readonly isPublic?: (address: string) => boolean
  /** Fetches the MTA-STS policy of a domain (RFC 8461 3.3): its text, or null; without it MTA-STS is not used. */
  readonly fetchPolicy?: (domain: string) => Promise<string | null>
  readonly random?: () => number
}

/** The addresses of the listeners, with their ports. */
export interface MtaAddresses {
  readonly inbound: Endpoint | null
  readonly submission: Endpoint | null
  readonly submissions: Endpoint | null
}

export interface Mta {
  /** Rejects with Failure `configuration` and the port when a port cannot be used; then nothing listens. */
  start(): Promise<MtaAddresses>
  /** Accepts nothing new, finishes the messages under way, and closes. */
  stop(): Promise<void>
  /** A new certificate, for new connections. */
  renewTls(tls: TlsMaterial): void
}

/** @throws Failure `configuration` for contradictory settings */
export function createMta({
  core,
  config,
  clock,
  logger,
  tls,
  rspamd = null,
  random,
  fetchPolicy,
  returnKeys = [],
  isPublic,
}: MtaOptions): Mta {
  const { hostname, routing, limits } = config
  const postmaster = config.postmaster ?? `postmaster@${hostname}`
  if (!isEnvelopeAddress(postmaster)) throw new Failure('configuration', `postmaster: ${postmaster} is not an address`)
  if (!tls && (config.submission || config.submissions)) {
    throw new Failure('configuration', 'submission needs a TLS certificate: passwords do not pass in clear')
  }
  const delivery = withReturnAddresses(createLocalDelivery(core, hostname), returnKeys, clock)
  const dns = createDnsResolver({ server: config.dnsServer, clock })
  const checks = config.inbound
    ? createChecks({ hostname, dns, senderChecks: config.senderChecks ?? null, rspamd, clock, log: logger })
    : []
  const { isBalancer, clientRates } = config
  const optional = { ...(limits && { limits }), ...(isBalancer && { isBalancer }) }
  const common = { hostname, postmaster, delivery, clock, logger, ...optional }
  const limited = clientRates && { rateLimiter: new ClientRateLimiter(clientRates, clock, isLoopback) }
  const servers: { [name in keyof MtaAddresses]: SmtpServer | null } = {
    inbound: config.inbound && createInboundListener({ ...common, ...limited, checks, returnKeys, tls }),
    submission: config.submission && tls && createSubmissionListener({ ...common, core, tls, implicitTls: false }),
    submissions: config.submissions && tls && createSubmissionListener({ ...common, core, tls, implicitTls: true }),
  }
  let queue: OutboundQueue | null = null
  if (routing) {
    queue = createOutboundQueue({
      ...common,
      core,
      dns,
      routing,
      ...(random && { random }),
      returnKeys,
      ...(config.retries && { schedule: config.retries }),
      ...(isPublic && { isPublic }),
      ...(fetchPolicy && { fetchPolicy }),
    })
  }
  const all = Object.values(servers).filter((server) => server !== null)
  const listen = async (name: keyof MtaAddresses) => servers[name]?.start(config[name]!) ?? null
  return {
    async start() {
      try {
        const [inbound, submission, submissions] = [
          await listen('inbound'),
          await listen('submission'),
          await listen('submissions'),
        ]
        queue?.start()
        return { inbound, submission, submissions }
      } catch (error) {
        await Promise.all(all.map((server) => server.stop()))
        throw error
      }
    },
    async stop() {
      await Promise.all([...all.map((server) => server.stop()), queue?.stop()])
      await Promise.all(checks.map((check) => check.close?.()))
    },
    renewTls(renewed) {
      for (const server of all) server.updateSecureContext({ key: renewed.key, cert: renewed.cert })
    },
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}
