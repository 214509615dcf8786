/**
 * Builds the parts of a server out of its configuration, explicitly and in order, each given only what it needs. Nothing listens yet.
 * `overrides` is the seam for tests.
 */
import { BlockList, isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Core } from '../jmap/core.ts'
import { createMta, type Mta, type Routing, type Rspamd } from '../mta/mta.ts'
import { createRestRouter, restIds } from '../rest/rest.ts'
import { Authenticator } from './authenticator.ts'
import { type Clock, systemClock } from './base/clock.ts'
import type { Logger } from './base/logger.ts'
import { WEBHOOK_CONCURRENCY } from './base/webhook-limits.ts'
import { CAPTURE_FOLDER, type Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { addNetwork } from './config/setting-reader.ts'
import { isPublicAddress } from './egress/public-address.ts'
import { Egress } from './egress/safe-fetch.ts'
import { createClientView } from './http/client.ts'
import { DomainHosts } from './http/domain-hosts.ts'
import { JmapHttp } from './http/jmap/routes.ts'
import { HttpListener } from './http/listener.ts'
import { createPolicyFetcher } from './policy-fetcher.ts'
import { openHost } from './threads/host.ts'
import { type LocalCore, webhookReach } from './threads/local-core.ts'
import { tlsMaterial } from './tls/material.ts'
import { TlsRenewal } from './tls/renewal.ts'
import { createWorkers, type Worker } from './workers/workers.ts'

export interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly logger: Logger
  /** A thread that the server cannot do without has died. */
  readonly onFatal: (error: Error) => void
  readonly overrides?: { readonly clock?: Clock; readonly host?: LocalCore }
}

export interface Context {
  readonly config: Config
  readonly logger: Logger
  readonly clock: Clock
  readonly core: Core
  readonly http: HttpListener
  readonly mta: Mta
  /** What works behind everybody's back, in the order in which it starts. */
  readonly workers: readonly Worker[]
  /** Closes what was opened here; listeners are stopped before. */
  close(): Promise<void>
}

/** The data folder is there and locked. @throws Failure `configuration`, and what the store says */
export async function createContext({
  config,
  secrets,
  logger,
  onFatal,
  overrides = {},
}: ContextOptions): Promise<Context> {
  const clock = overrides.clock ?? systemClock
  const tls = await tlsMaterial(config, clock)
  const host = overrides.host ?? (await openHost({ config, secrets, clock, logger, onFatal }))
  const authenticator = new Authenticator(host.core, clock, config.rates.failedAuth)
  const egress = new Egress({ clock, allowLoopback: config.egressLoopback })
  // To what the operator names, which may stand inside.
  const inside = new Egress({ clock, allowInside: true })
  const webhookEgress = new Egress({ clock, ...webhookReach(config), connectionsPerHost: WEBHOOK_CONCURRENCY })
  const close = async () => {
    authenticator.close()
    await Promise.all([egress.close(), webhookEgress.close(), inside.close()])
    await host.core.close()
  }
  try {
    // Every door asks the same authenticator.
    const core = { ...host.core, authenticate: authenticator.authenticate.bind(authenticator) }
    const http = createHttp(config, clock, logger, host, authenticator, core)
    const mta = createMta({
      core,
      config: mtaConfig(config, secrets),
      clock,
      logger,
      tls,
      rspamd: rspamdOf(config, inside),
      returnKeys: host.returnKeys,
      // In dev mode everything is on this machine.
      isPublic: (address) => config.egressLoopback || isPublicAddress(address),
      fetchPolicy: createPolicyFetcher(egress.fetch.bind(egress)),
    })
    const workers = createWorkers({
      config,
      secrets,
      clock,
      logger,
      core,
      host: host.core,
      egress,
      webhookEgress,
      inside,
    })
    if (config.tls) workers.push(new TlsRenewal(config.tls, mta.renewTls, clock, logger))
    return { config, logger, clock, core, http, mta, workers, close }
  } catch (error) {
    await close()
    throw error
  }
}

function createHttp(
  config: Config,
  clock: Clock,
  logger: Logger,
  host: LocalCore,
  authenticator: Authenticator,
  core: Core,
): HttpListener {
  const { corsOrigins, trustedProxies, baseUrl } = config.http
  const client = createClientView(trustedProxies, baseUrl)
  const rest = createRestRouter({
    core,
    clock,
    logger,
    ids: restIds(host.core.ids),
    idempotency: host.core.idempotency,
    config: { cursorKey: host.cursorKey, rates: config.rates, corsOrigins, checkAnswers: config.dev },
  })
  const jmap = new JmapHttp({ core, limits: host.core.limits, authenticator, client, corsOrigins, clock, logger })
  const health = { probe: () => core.nextSubmissionAt(), clock }
  const domainHosts = new DomainHosts(core, config.hosting)
  return new HttpListener({ jmap, rest, client, health, domainHosts, clock, logger })
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
      // In dev mode everything is on this machine, a mail host to try things on too.
      return { mode: 'mx', port: mxPort, allowLoopback: dev, dane }
    case 'relay':
      return { mode: 'relay', url: secrets.relayUrl! }
  }
}
