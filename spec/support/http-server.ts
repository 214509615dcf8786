/** The HTTP listener with all its parts over a real core, on a free port. */
import type { Test } from 'tap'
import { plainHosting } from '../../jmap/policy/domain/hosting.ts'
import type { Core } from '../../jmap/services.ts'
import type { BillingMode } from '../../jmap/type/billing-port.ts'
import type { FetchImage, VideoFrame, ZoomFault } from '../../jmap/type/host-ports.ts'
import type { Limits } from '../../jmap/type/limits.ts'
import { DEFAULT_RATES } from '../../rest/access/rate-tiers.ts'
import { createRestRouter, restIds } from '../../rest/rest.ts'
import { Authenticator } from '../../server/authentication/authenticator.ts'
import { BOOKINGS_PER_HOUR } from '../../server/base/booking-limits.ts'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import type { Keyring } from '../../server/base/keyring.ts'
import { type Logger, silentLogger } from '../../server/base/logger.ts'
import { UnsentAnswers } from '../../server/base/unsent-answers.ts'
import { createClientView } from '../../server/http/client.ts'
import { DomainHosts } from '../../server/http/domain-hosts.ts'
import { Health } from '../../server/http/health.ts'
import { JmapHttp } from '../../server/http/jmap/routes.ts'
import { HttpListener, type Pages } from '../../server/http/listener.ts'
import { ArchivePages } from '../../server/pages/archive/archive-pages.ts'
import { BookingPages } from '../../server/pages/booking/booking-pages.ts'
import { BookingRates } from '../../server/pages/booking/booking-rates.ts'
import { CalendarFeeds } from '../../server/pages/calendar-feed/calendar-feeds.ts'
import { answerDocs, isDocsPath } from '../../server/pages/docs/docs.ts'
import { MediaPages } from '../../server/pages/media/media-pages.ts'
import { SignUpPages } from '../../server/pages/sign-up/sign-up-pages.ts'
import { SignUpRates } from '../../server/pages/sign-up/sign-up-rates.ts'
import { UnsubscribePages } from '../../server/pages/unsubscribe/unsubscribe-pages.ts'
import { UnsubscribeRates } from '../../server/pages/unsubscribe/unsubscribe-rates.ts'
import { PASSWORD, startCore, type TestCore, type TestMailbox } from './core.ts'
import type { EngineName } from './engines.ts'
import { strictLogger } from './rest-server.ts'

export interface TestHttp extends TestCore {
  readonly url: string
  readonly listener: HttpListener
  readonly health: Health
  readonly alice: TestMailbox
  /** Value of an Authorization field for alice. */
  readonly login: string
  /** fetch, by default with alice's credentials. */
  ask(path: string, init?: RequestInit & { headers?: Record<string, string> }): Promise<Response>
}

export interface TestHttpOptions {
  readonly limits?: Partial<Limits>
  readonly corsOrigins?: '*' | readonly string[]
  /** The operator's setting base_url. */
  readonly baseUrl?: string
  /** The operator's setting archive_url. */
  readonly archiveUrl?: string
  /** Default: sqlite. */
  readonly engine?: EngineName
  /** Replaces calls of the core. */
  readonly around?: (core: Core) => Core
  /** Replaces the probe of the store for /readyz. */
  readonly probe?: () => Promise<unknown>
  /** Whether the disk has room; by default it has. */
  readonly hasRoom?: () => boolean
  /** Clock of the listener; by default the system's. */
  readonly clock?: Clock
  /** Bookings an hour of one client; 0: no limit. */
  readonly bookingsPerHour?: number
  /** How images are fetched; by default none is. */
  readonly fetchImage?: FetchImage
  /** How frames of videos are made; by default none is. */
  readonly videoFrame?: VideoFrame
  /** By default keys that are kept with the data. */
  readonly keyring?: Keyring
  /** Sign-ups an hour of one client; by default no limit. */
  readonly signUpsPerHour?: number
  /** What Zoom says of credentials; by default it takes them. */
  readonly zoomFault?: ZoomFault
  /** Who bills; by default nobody. */
  readonly billing?: BillingMode
  /** Further pages. */
  readonly pages?: (started: TestCore) => readonly Pages[]
  /** By default silent. */
  readonly logger?: Logger
}

export async function startHttp(t: Test, options: TestHttpOptions = {}): Promise<TestHttp> {
  const { zoomFault, fetchImage, videoFrame, keyring, billing } = options
  const given = {
    ...(zoomFault && { zoomFault }),
    ...(fetchImage && { fetchImage }),
    ...(videoFrame && { videoFrame }),
    ...(keyring && { keyring }),
    ...(billing && { billing }),
  }
  const started = await startCore(t, options.engine, options.limits, given)
  const core = options.around?.(started.core) ?? started.core
  const alice = await started.mailbox('alice')
  const { corsOrigins = '*', clock = systemClock, logger = silentLogger } = options
  const authenticator = new Authenticator(core, clock, DEFAULT_RATES.failedAuth)
  const client = createClientView([], { baseUrl: options.baseUrl ?? null, hostname: 'mail.example.test', isDev: true })
  const { probe = () => core.nextSubmissionAt(), hasRoom = () => true } = options
  const health = new Health({ probe, hasRoom, clock })
  const unsent = new UnsentAnswers()
  const rest = createRestRouter({
    core,
    clock,
    logger: strictLogger,
    ids: restIds(core.ids),
    idempotency: core.idempotency,
    isAvailable: () => health.isReady(),
    unsent,
    baseUrl: (request) => client.baseUrl(request),
    config: {
      cursorKey: new Uint8Array(32),
      rates: DEFAULT_RATES,
      corsOrigins,
      checkAnswers: true,
      showsWarnings: true,
    },
  })
  const jmap = new JmapHttp({
    core,
    limits: core.limits,
    unsent,
    authenticator,
    client,
    corsOrigins,
    clock,
    logger,
  })
  const domainHosts = new DomainHosts(core, { ...plainHosting('mx.example.net'), hasPolicy: true })
  const docs = { owns: isDocsPath, answer: answerDocs }
  const rates = new BookingRates(started.clock, options.bookingsPerHour ?? BOOKINGS_PER_HOUR)
  const feeds = new CalendarFeeds({ core, clock: started.clock }, client)
  const signUpRates = new SignUpRates(started.clock, options.signUpsPerHour ?? 0)
  const signUps = new SignUpPages({ core, rates: signUpRates }, client)
  const archive = new ArchivePages({ core, clock: started.clock, ownUrl: options.archiveUrl ?? null }, client)
  const unsubscribe = new UnsubscribePages({ core, rates: new UnsubscribeRates(started.clock) }, client)
  const pages = [
    docs,
    new BookingPages({ core, clock: started.clock, rates }, client),
    feeds,
    signUps,
    unsubscribe,
    new MediaPages(core, client),
    archive,
    ...(options.pages?.(started) ?? []),
  ]
  const listener = new HttpListener({ jmap, rest, client, health, domainHosts, pages, clock, logger })
  const { port } = await listener.start('127.0.0.1', 0)
  t.teardown(() => listener.stop())
  const url = `http://127.0.0.1:${port}`
  const login = basic(alice.address, PASSWORD)
  return {
    ...started,
    url,
    listener,
    health,
    alice,
    login,
    ask: (path, init = {}) => fetch(url + path, { ...init, headers: { Authorization: login, ...init.headers } }),
  }
}

export function basic(address: string, password: string): string {
  return `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`
}
