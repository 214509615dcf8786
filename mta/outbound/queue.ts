/**
 * The outbound queue: a worker (worker.ts) claims submissions of the core and attempts them (attempt.ts) over one of three transports (MX, relay,
 * capture); senders get notifications (status-notifications.ts). It has no state of its own, and changes messages only as wire-message.ts
 * states.
 */
import type { KeyObject } from 'node:crypto'
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { DnsResolver } from '../dns/resolver.ts'
import type { LocalDelivery } from '../inbound/local-delivery.ts'
import { attempt } from './attempt.ts'
import { createCaptureTransport } from './capture-transport.ts'
import { ConnectionPool } from './connection-pool.ts'
import { createMxTransport } from './mx-transport.ts'
import { PeerHistory } from './peer-history.ts'
import { createRelayTransport, type RelayOptions } from './relay-transport.ts'
import { DEFAULT_SCHEDULE, type RetrySchedule } from './retry-schedule.ts'
import { withSenderRelays } from './sender-relays.ts'
import { StsPolicies } from './sts-policy.ts'
import type { Transport } from './transport.ts'
import { QueueWorker, type QueueWorkerOptions } from './worker.ts'

/** How messages leave. */
export type Routing =
  | { readonly mode: 'capture'; readonly folder: string }
  | {
      readonly mode: 'mx'
      readonly port?: number
      readonly allowLoopback?: boolean
      /** Whether the AD bit of the resolver is trusted (mta/outbound/dane.ts); default false. */
      readonly dane?: boolean
    }
  | ({ readonly mode: 'relay' } & RelayOptions)

export type QueueCore = QueueWorkerOptions['core'] & Pick<Core, 'transportPolicies'>

export interface QueueOptions {
  readonly core: QueueCore
  readonly delivery: LocalDelivery
  /** When messages are attempted again; default DEFAULT_SCHEDULE. */
  readonly schedule?: RetrySchedule
  /** Secrets of the return addresses, the newest first; without any, the reverse-path is the sender's address. */
  readonly returnKeys?: readonly KeyObject[]
  /** Whether an address is on the public Internet, where relays of tenants have to be; without it any address is allowed. */
  readonly isPublic?: (address: string) => boolean
  /** Fetches the MTA-STS policy of a domain (RFC 8461 3.3): its text, or null; without it MTA-STS is not used. */
  readonly fetchPolicy?: (domain: string) => Promise<string | null>
  readonly dns: DnsResolver
  readonly routing: Routing
  readonly hostname: string
  readonly postmaster: string
  readonly clock: Clock
  readonly logger: Logger
  /** 0 to 1; default Math.random. It orders hosts and jitters retries: nothing secret. */
  readonly random?: () => number
}

export interface OutboundQueue {
  start(): void
  stop(): Promise<void>
  /** Claims due submissions now. */
  wake(): void
}

/** RFC 5321 4.5.4.2: mail between servers goes to port 25. */
const SMTP_PORT = 25

/** @throws Failure `configuration` for an invalid relay URL */
export function createOutboundQueue(options: QueueOptions): OutboundQueue {
  const {
    core,
    delivery,
    hostname,
    postmaster,
    clock,
    random = Math.random,
    returnKeys = [],
    schedule = DEFAULT_SCHEDULE,
  } = options
  const log = options.logger.child({ service: 'queue' })
  const transport = createTransport(options, random)
  const settings = { delivery, transport, returnKeys, schedule, hostname, postmaster, clock, random, log }
  const worker = new QueueWorker({
    core,
    clock,
    log,
    attempt: (submission, signal) => attempt(submission, signal, settings),
  })
  return {
    start: () => worker.start(),
    wake: () => worker.wake(),
    async stop() {
      await worker.stop()
      await transport.close()
    },
  }
}

function createTransport(options: QueueOptions, random: () => number): Transport {
  const { core, routing, dns, hostname, clock, logger, fetchPolicy, isPublic } = options
  const log = logger.child({ service: 'queue' })
  if (routing.mode === 'capture') return createCaptureTransport(routing.folder, clock, log)
  const nextHop = { hostname, pool: new ConnectionPool(clock), peers: new PeerHistory(clock), clock, log }
  const relays = { dns, mayConnect: isPublic ?? (() => true) }
  if (routing.mode === 'relay') return withSenderRelays(createRelayTransport(routing, nextHop), relays, nextHop)
  const { port = SMTP_PORT, allowLoopback = false, dane = false } = routing
  const sts = fetchPolicy ? new StsPolicies({ dns, fetchPolicy, kept: core.transportPolicies, clock }) : null
  const mx = createMxTransport({ dns, hostname, port, allowLoopback, random, dane, sts }, nextHop)
  return withSenderRelays(mx, relays, nextHop)
}
