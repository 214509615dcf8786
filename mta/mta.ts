/**
 * Mail transport: SMTP in (inbound/ on 25, submission/ on 587 and 465) and out (outbound/), with reports/ and dns/. It owns sockets and
 * protocol; what is stored, who may send and what is queued belongs to the core, which it knows only by its door (jmap/services.ts).
 * It never touches storage, and acknowledges nothing that the core has not committed.
 */
import type { Core } from '../jmap/services.ts'
import type { Clock } from '../server/base/clock.ts'
import { Failure } from '../server/base/errors.ts'
import type { Logger } from '../server/base/logger.ts'
import { createDnsResolver } from './dns/resolver.ts'
import { createChecks, type SenderChecks } from './inbound/checks/index.ts'
import type { Rspamd } from './inbound/checks/spam-rspamd.ts'
import { createDelivery } from './inbound/delivery.ts'
import { createInboundListener } from './inbound/listener.ts'
import { withReturnAddresses } from './inbound/returned-mail.ts'
import { createOutboundQueue, type OutboundQueue, type QueueCore, type Routing } from './outbound/queue.ts'
import type { RetrySchedule } from './outbound/schedule.ts'
import { Pace, type PaceLimits } from './smtp/pace.ts'
import { isEnvelopeAddress } from './smtp/path.ts'
import type { Endpoint, SmtpLimits, SmtpServer, TlsMaterial } from './smtp/server.ts'
import { createSubmissionListener } from './submission/listener.ts'

export type { SenderChecks } from './inbound/checks/index.ts'
export type { Rspamd } from './inbound/checks/spam-rspamd.ts'
export type { Routing } from './outbound/queue.ts'
export type { Endpoint, SmtpLimits, TlsMaterial } from './smtp/server.ts'

export interface MtaConfig {
  /** Name of this server: in greetings, EHLO, Received lines and the ids of notifications. */
  readonly hostname: string
  /** Who `<postmaster>` without a domain is, and whom notifications come from; default `postmaster@` the hostname. */
  readonly postmaster?: string
  /** Where to listen; null: not. */
  readonly inbound: Endpoint | null
  readonly submission: Endpoint | null
  readonly submissions: Endpoint | null
  /** The way out; null: this process does not work on the queue. */
  readonly routing: Routing | null
  /** When outgoing mail is tried again (mta/outbound/schedule.ts); without it as usual. */
  readonly retries?: RetrySchedule
  /** `address:port` of the DNS server; null: those of the system. */
  readonly dnsServer: string | null
  readonly limits?: Partial<SmtpLimits>
  /** What is asked about senders of mail from outside; without it nothing. */
  readonly senderChecks?: SenderChecks | null
  /** How fast clients from outside may be; without it, and on this machine, as fast as they like. */
  readonly pace?: PaceLimits
  /** Peers that say by the PROXY protocol who connects. */
  readonly isBalancer?: (address: string) => boolean
}

export interface MtaOptions {
  readonly core: QueueCore & Pick<Core, 'recipients' | 'ingest' | 'authenticate' | 'submit'>
  readonly config: MtaConfig
  readonly clock: Clock
  readonly logger: Logger
  /** For STARTTLS on 25 and for submission; null: no STARTTLS, and no submission. */
  readonly tls: TlsMaterial | null
  /** Asked for the spam score of mail from outside instead of our own. */
  readonly rspamd?: Rspamd | null
  /** Secrets of the return addresses of recipients, the newest first; without any, mail returns to who sent it. */
  readonly returnKeys?: readonly Uint8Array[]
  /** Whether an address is on the public Internet: where the relays of tenants may be; without it anywhere. */
  readonly isPublic?: (address: string) => boolean
  /** Fetches the MTA-STS policy of a domain (RFC 8461 3.3): its text, or null; without it policies are not looked at. */
  readonly fetchPolicy?: (domain: string) => Promise<string | null>
  readonly random?: () => number
}

/** Where the listeners are, with the ports they got. */
export interface MtaAddresses {
  readonly inbound: Endpoint | null
  readonly submission: Endpoint | null
  readonly submissions: Endpoint | null
}

export interface Mta {
  /** Rejects with Failure `configuration` naming the port when one cannot be had; nothing listens then. */
  start(): Promise<MtaAddresses>
  /** Takes nothing new, finishes what was accepted, and closes. */
  stop(): Promise<void>
  /** A new certificate, for connections from now on. */
  renewTls(tls: TlsMaterial): void
}

/** @throws Failure `configuration` for settings that contradict each other. */
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
  const delivery = withReturnAddresses(createDelivery(core, hostname), returnKeys, clock)
  const dns = createDnsResolver({ server: config.dnsServer, clock })
  const checks = config.inbound
    ? createChecks({ hostname, dns, senderChecks: config.senderChecks ?? null, rspamd, clock, log: logger })
    : []
  const { isBalancer, pace } = config
  const optional = { ...(limits && { limits }), ...(isBalancer && { isBalancer }) }
  const common = { hostname, postmaster, delivery, clock, logger, ...optional }
  const paced = pace && { pace: new Pace(pace, clock, isLoopback) }
  const servers: { [name in keyof MtaAddresses]: SmtpServer | null } = {
    inbound: config.inbound && createInboundListener({ ...common, ...paced, checks, returnKeys, tls }),
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
