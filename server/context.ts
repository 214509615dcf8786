/**
 * Builds the parts of a server from its configuration, in order. Each part gets only what it needs. Nothing listens yet.
 */
import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Core } from '../jmap/services.ts'
import { createMta, type Mta, type Routing, type Rspamd } from '../mta/mta.ts'
import { createRestRouter, restIds } from '../rest/rest.ts'
import { Authenticator } from './authentication/authenticator.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { FATAL_WORDS, type Fatal } from './base/fatal.ts'
import type { Logger } from './base/logger.ts'
import { WEBHOOK_CONCURRENCY } from './base/webhook-limits.ts'
import { createVerify } from './billing/stripe-signature.ts'
import { CAPTURE_FOLDER, type Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { addNetwork } from './config/setting-reader.ts'
import { isPublicAddress } from './egress/public-address.ts'
import { Egress } from './egress/safe-fetch.ts'
import { createPolicyFetcher } from './egress/sts-policy-fetcher.ts'
import { createClientView } from './http/client.ts'
import { DomainHosts } from './http/domain-hosts.ts'
import { Health } from './http/health.ts'
import { JmapHttp } from './http/jmap/routes.ts'
import { HttpListener, type Pages } from './http/listener.ts'
import { openSource } from './imports/open-source.ts'
import { openStagedStore } from './imports/staging/open-staged-store.ts'
import type { StagedStore } from './imports/staging/staged-store.ts'
import { ArchivePages } from './pages/archive/archive-pages.ts'
import { FakeBillingPages } from './pages/billing/fake-billing-pages.ts'
import { StripeWebhook } from './pages/billing/stripe-webhook.ts'
import { BookingPages } from './pages/booking/booking-pages.ts'
import { BookingRates } from './pages/booking/booking-rates.ts'
import { CalendarFeeds } from './pages/calendar-feed/calendar-feeds.ts'
import { answerDocs, isDocsPath } from './pages/docs/docs.ts'
import { ImportUploads } from './pages/import-upload/import-uploads.ts'
import { MediaPages } from './pages/media/media-pages.ts'
import { SignUpPages } from './pages/sign-up/sign-up-pages.ts'
import { SignUpRates } from './pages/sign-up/sign-up-rates.ts'
import { UnsubscribePages } from './pages/unsubscribe/unsubscribe-pages.ts'
import { UnsubscribeRates } from './pages/unsubscribe/unsubscribe-rates.ts'
import { imapReach, webhookReach } from './threads/core-plan.ts'
import { ImapThreads } from './threads/imap-threads.ts'
import { openCore } from './threads/open-core.ts'
import type { OpenedCore } from './threads/threaded-core.ts'
import { tlsMaterial } from './tls/material.ts'
import type { Worker } from './workers/worker.ts'
import { createWorkers } from './workers/workers.ts'

export interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly logger: Logger
  /** Default: the system's. Threads of the core have their own, so that another one needs a core without. */
  readonly clock?: Clock
  /** Called when the server must end. */
  readonly onFatal: (fatal: Fatal) => void
}

export interface Context {
  readonly config: Config
  readonly logger: Logger
  readonly clock: Clock
  readonly core: Core
  readonly http: HttpListener
  readonly mta: Mta
  /** In the order in which they start. */
  readonly workers: readonly Worker[]
  /** Ends the reading threads. */
  endReads(): Promise<void>
  /** Closes the parts that were opened here. The listeners must be stopped first. */
  close(): Promise<void>
}

/** The data folder must exist and be locked. @throws Failure `configuration`, and failures of the store */
export async function createContext(options: ContextOptions): Promise<Context> {
  const { config, secrets, logger, clock = systemClock, onFatal } = options
  const tls = await tlsMaterial(config, clock)
  const fatal = Promise.withResolvers<Fatal>()
  const opened = await openCore({ config, secrets, clock, logger, onFatal: fatal.resolve })
  const { store } = opened
  const health = new Health({ probe: () => opened.core.nextSubmissionAt(), hasRoom: () => store.hasRoom(0), clock })
  void fatal.promise.then((what) => {
    health.failed(FATAL_WORDS[what.cause])
    onFatal(what)
  })
  const authenticator = new Authenticator(opened.core, clock, config.rates.failedAuth)
  const egress = new Egress({ clock, allowLoopback: config.egressLoopback })
  // For hosts that the operator names, which may be in private networks.
  const inside = new Egress({ clock, allowInside: true })
  const webhookEgress = new Egress({ clock, ...webhookReach(config), connectionsPerHost: WEBHOOK_CONCURRENCY })
  const imap = new ImapThreads({ clock, reach: imapReach(config) })
  const close = async () => {
    authenticator.close()
    await Promise.all([imap.close(), egress.close(), webhookEgress.close(), inside.close()])
    await opened.core.close()
  }
  try {
    // All listeners share the authenticator.
    const core = { ...opened.core, authenticate: authenticator.authenticate.bind(authenticator) }
    const staged = openStagedStore(config, secrets, { clock, logger, hasRoom: (bytes) => store.hasRoom(bytes) })
    const http = createHttp(config, secrets, { clock, logger, core, opened, authenticator, health, staged })
    const mta = createMta({
      core,
      config: mtaConfig(config, secrets),
      clock,
      logger,
      tls,
      rspamd: rspamdOf(config, inside),
      returnKeys: opened.returnKeys,
      // In dev mode all hosts are on this machine.
      isPublic: (address) => config.egressLoopback || isPublicAddress(address),
      fetchPolicy: createPolicyFetcher(egress.fetch.bind(egress)),
    })
    const { renewTls } = mta
    const openImap = imap.open.bind(imap)
    const deps = { config, secrets, clock, logger, core, egress, webhookEgress, inside, renewTls, staged }
    const workers = createWorkers({ ...deps, openSource: (source) => openSource({ staged, openImap }, source) })
    return { config, logger, clock, core, http, mta, workers, endReads: opened.endReads, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface HttpParts {
  readonly clock: Clock
  readonly logger: Logger
  readonly core: Core
  readonly opened: Pick<OpenedCore, 'unsent' | 'cursorKey' | 'executeRest' | 'turns'>
  readonly authenticator: Authenticator
  readonly health: Health
  readonly staged: StagedStore
}

function createHttp(config: Config, secrets: Secrets, parts: HttpParts): HttpListener {
  const { clock, logger, core, authenticator, health, staged } = parts
  const { unsent, cursorKey, executeRest, turns } = parts.opened
  const { corsOrigins, trustedProxies, baseUrl, archiveUrl } = config.http
  const client = createClientView(trustedProxies, { baseUrl, hostname: config.hostname, isDev: config.dev })
  const rest = createRestRouter({
    core,
    clock,
    logger,
    ids: restIds(core.ids),
    idempotency: core.idempotency,
    isAvailable: () => health.isReady(),
    unsent,
    baseUrl: (request) => client.baseUrl(request),
    config: { cursorKey, rates: config.rates, corsOrigins, checkAnswers: config.dev, showsWarnings: config.dev },
    elsewhere: executeRest,
    turns,
  })
  const jmap = new JmapHttp({ core, limits: core.limits, unsent, authenticator, client, corsOrigins, clock, logger })
  const domainHosts = new DomainHosts(core, config.hosting)
  const docs = { owns: isDocsPath, answer: answerDocs }
  const bookingRates = new BookingRates(clock, config.bookingsPerHour)
  const feeds = new CalendarFeeds({ core, clock }, client)
  const signUpRates = new SignUpRates(clock, config.signUpsPerHour)
  const signUps = new SignUpPages({ core, rates: signUpRates }, client)
  const bookings = new BookingPages({ core, clock, rates: bookingRates }, client)
  const unsubscribe = new UnsubscribePages({ core, rates: new UnsubscribeRates(clock) }, client)
  const media = new MediaPages(core, client)
  const archive = new ArchivePages({ core, clock, ownUrl: archiveUrl }, client)
  const uploads = new ImportUploads({ core, staged })
  const billing = billingPages(config, secrets, parts)
  const pages = [docs, bookings, feeds, signUps, unsubscribe, media, archive, uploads, ...billing]
  return new HttpListener({ jmap, rest, client, health, domainHosts, pages, clock, logger })
}

function billingPages({ billing }: Config, { stripeWebhookSecret }: Secrets, { core, clock }: HttpParts): Pages[] {
  switch (billing.kind) {
    case 'none':
      return []
    case 'fake':
      return [new FakeBillingPages({ core })]
    case 'stripe':
      return [new StripeWebhook({ core, verify: createVerify(stripeWebhookSecret!, clock) })]
  }
}

function mtaConfig(config: Config, secrets: Secrets): Parameters<typeof createMta>[0]['config'] {
  const { hostname, postmaster, bind, dns, smtpLimits, incoming, retries } = config
  const at = (port: number) => ({ host: bind, port })
  return {
    hostname,
    postmaster,
    inbound: at(config.smtp.port),
    submission: at(config.submission.port),
    submissions: at(config.submission.tlsPort),
    routing: routingOf(config, secrets),
    retries,
    dnsServer: dns && (dns.host.includes(':') ? `[${dns.host}]:${dns.port}` : `${dns.host}:${dns.port}`),
    limits: smtpLimits,
    senderChecks: incoming.senderChecks,
    clientRates: incoming.clientRates,
    isBalancer: isWithin(incoming.balancers),
  }
}

function rspamdOf({ incoming }: Config, egress: Egress): Rspamd | null {
  return incoming.rspamd === null ? null : { url: incoming.rspamd, fetch: egress.fetch.bind(egress) }
}

function isWithin(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) addNetwork(list, network)
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function routingOf({ outbound, data, mxPort, dane, dev }: Config, secrets: Secrets): Routing {
  switch (outbound.kind) {
    case 'capture':
      return { mode: 'capture', folder: join(data, CAPTURE_FOLDER) }
    case 'mx':
      // In dev mode all hosts are on this machine, also a mail host for experiments.
      return { mode: 'mx', port: mxPort, allowLoopback: dev, dane }
    case 'relay':
      return { mode: 'relay', url: secrets.relayUrl! }
  }
}
