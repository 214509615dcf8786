/**
 * Mail that leaves: takes submissions from the core's queue (worker.ts), tries them (attempt.ts) by one of three ways out (mx, relay,
 * capture), and tells senders what became of them (notifier.ts). It keeps no state of its own and changes no message but by signing.
 */
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { DnsResolver } from '../dns/resolver.ts'
import type { Delivery } from '../inbound/delivery.ts'
import { attempt } from './attempt.ts'
import { createCaptureCarrier } from './capture-carrier.ts'
import type { Carrier } from './carrier.ts'
import { ConnectionPool } from './connection-pool.ts'
import { createMxCarrier } from './mx-carrier.ts'
import { createRelayCarrier, type RelayOptions } from './relay-carrier.ts'
import { type RetrySchedule, USUAL_SCHEDULE } from './schedule.ts'
import { withSenderRelays } from './sender-relays.ts'
import { StsPolicies } from './sts-policy.ts'
import { QueueWorker, type QueueWorkerOptions } from './worker.ts'

/** The way out. */
export type Routing =
  | { readonly mode: 'capture'; readonly folder: string }
  | {
      readonly mode: 'mx'
      readonly port?: number
      readonly allowLoopback?: boolean
      /** Whether what the resolver says of DNSSEC is believed (mta/outbound/dane.ts); by default it is not. */
      readonly dane?: boolean
    }
  | ({ readonly mode: 'relay' } & RelayOptions)

export type QueueCore = QueueWorkerOptions['core'] & Pick<Core, 'transportPolicies'>

export interface QueueOptions {
  readonly core: QueueCore
  readonly delivery: Delivery
  /** When mail is tried again; the usual one when it is not given. */
  readonly schedule?: RetrySchedule
  /** Secrets of return addresses, the newest first; without any, mail returns to who sent it. */
  readonly returnKeys?: readonly Uint8Array[]
  /** Whether an address is on the public Internet: where the relays of tenants may be; without it anywhere. */
  readonly isPublic?: (address: string) => boolean
  /** Fetches the MTA-STS policy of a domain (RFC 8461 3.3): its text, or null; without it policies are not looked at. */
  readonly fetchPolicy?: (domain: string) => Promise<string | null>
  readonly dns: DnsResolver
  readonly routing: Routing
  readonly hostname: string
  readonly postmaster: string
  readonly clock: Clock
  readonly logger: Logger
  /** 0 to 1; Math.random by default. It orders hosts and moves retries: nothing secret. */
  readonly random?: () => number
}

export interface OutboundQueue {
  start(): void
  stop(): Promise<void>
  /** Looks at the queue now. */
  wake(): void
}

/** RFC 5321 4.5.4.2: mail between servers goes to port 25. */
const SMTP_PORT = 25

/** @throws Failure `configuration` for a relay that is no URL. */
export function createOutboundQueue(options: QueueOptions): OutboundQueue {
  const {
    core,
    delivery,
    hostname,
    postmaster,
    clock,
    random = Math.random,
    returnKeys = [],
    schedule = USUAL_SCHEDULE,
  } = options
  const log = options.logger.child({ service: 'queue' })
  const carrier = createCarrier(options, random)
  const settings = { delivery, carrier, returnKeys, schedule, hostname, postmaster, clock, random, log }
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
      await carrier.close()
    },
  }
}

function createCarrier(options: QueueOptions, random: () => number): Carrier {
  const { core, routing, dns, hostname, clock, logger, fetchPolicy, isPublic } = options
  const log = logger.child({ service: 'queue' })
  if (routing.mode === 'capture') return createCaptureCarrier(routing.folder, clock, log)
  const transport = { hostname, pool: new ConnectionPool(clock), log }
  const relays = { dns, mayReach: isPublic ?? (() => true) }
  if (routing.mode === 'relay') return withSenderRelays(createRelayCarrier(routing, transport), relays, transport)
  const { port = SMTP_PORT, allowLoopback = false, dane = false } = routing
  const sts = fetchPolicy ? new StsPolicies({ dns, fetchPolicy, kept: core.transportPolicies, clock }) : null
  const mx = createMxCarrier({ dns, hostname, port, allowLoopback, random, dane, sts }, transport)
  return withSenderRelays(mx, relays, transport)
}
