/** Listeners on free loopback ports, over a MemoryCore, that are stopped with the test. */
import type { KeyObject } from 'node:crypto'
import type { Test } from 'tap'
import type { Core } from '../../jmap/services.ts'
import { createDnsResolver } from '../../mta/dns/resolver.ts'
import { createChecks, type SenderChecks } from '../../mta/inbound/checks/index.ts'
import { createInboundListener } from '../../mta/inbound/listener.ts'
import { createLocalDelivery } from '../../mta/inbound/local-delivery.ts'
import { withReturnAddresses } from '../../mta/inbound/with-return-addresses.ts'
import { ClientRateLimiter, type ClientRates } from '../../mta/smtp/client-rate-limiter.ts'
import type { SmtpLimits } from '../../mta/smtp/limits.ts'
import type { SmtpServer } from '../../mta/smtp/server.ts'
import { createSubmissionListener } from '../../mta/submission/listener.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { MemoryCore } from './memory-core.ts'
import { tlsMaterial } from './tls-material.ts'

export interface StartedListener {
  readonly core: MemoryCore
  readonly clock: ManualClock
  readonly server: SmtpServer
  readonly port: number
}

interface Options {
  readonly limits?: Partial<SmtpLimits>
  readonly tls?: boolean
}

export interface InboundOptions extends Options {
  /** Settings of the sender checks; without it senders are not checked. */
  readonly senderChecks?: Partial<SenderChecks>
  /** `address:port` of the DNS server. */
  readonly dns?: string
  /** Per minute; rates that are not given are unlimited. */
  readonly clientRates?: Partial<ClientRates>
  /** Every peer is a balancer. */
  readonly balanced?: boolean
  readonly returnKeys?: readonly KeyObject[]
  /** Takes the mail in place of the MemoryCore. */
  readonly mailCore?: Pick<Core, 'recipients' | 'ingest'>
}

const NO_RATES: ClientRates = { connections: 0, messages: 0, recipients: 0, errors: 0, senderMessages: 0 }

const NO_RULES: SenderChecks = { dmarc: { overrides: new Map(), trustedSealers: new Set() }, dnsLists: [] }

const HOSTNAME = 'mx.posthouse.test'
const POSTMASTER = 'postmaster@posthouse.test'

export async function startInbound(t: Test, options: InboundOptions = {}): Promise<StartedListener> {
  const { limits, tls = false, senderChecks, dns = '127.0.0.1:9', clientRates, balanced, returnKeys } = options
  const { mailCore } = options
  const clock = new ManualClock()
  const core = new MemoryCore(() => clock.now())
  const checks = createChecks({
    hostname: HOSTNAME,
    // Answers come over real sockets: a clock that does not advance would wait for a lost one for ever.
    dns: createDnsResolver({ server: dns, timeoutMs: 200, tries: 1 }),
    senderChecks: senderChecks ? { ...NO_RULES, ...senderChecks } : null,
    clock,
    log: silentLogger,
  })
  t.teardown(() => Promise.all(checks.map((check) => check.close?.())))
  const server = createInboundListener({
    hostname: HOSTNAME,
    postmaster: POSTMASTER,
    delivery: withReturnAddresses(createLocalDelivery(mailCore ?? core, HOSTNAME), returnKeys ?? [], clock),
    checks,
    tls: tls ? await tlsMaterial() : null,
    clock,
    logger: silentLogger,
    ...(limits && { limits }),
    ...(returnKeys && { returnKeys }),
    ...(clientRates && { rateLimiter: new ClientRateLimiter({ ...NO_RATES, ...clientRates }, clock) }),
    ...(balanced && { isBalancer: () => true }),
  })
  return started(t, core, clock, server)
}

export async function startSubmission(
  t: Test,
  { limits, implicitTls = false }: Options & { readonly implicitTls?: boolean } = {},
): Promise<StartedListener> {
  const clock = new ManualClock()
  const core = new MemoryCore(() => clock.now())
  const server = createSubmissionListener({
    hostname: HOSTNAME,
    postmaster: POSTMASTER,
    core,
    delivery: createLocalDelivery(core),
    implicitTls,
    tls: await tlsMaterial(),
    clock,
    logger: silentLogger,
    ...(limits && { limits }),
  })
  return started(t, core, clock, server)
}

async function started(t: Test, core: MemoryCore, clock: ManualClock, server: SmtpServer): Promise<StartedListener> {
  const { port } = await server.start({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    const stopped = server.stop()
    clock.advance(60_000)
    await stopped
  })
  return { core, clock, server, port }
}
