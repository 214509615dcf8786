/**
 * /archive: newsletters for everybody (decision D19): the page of one, and the index and the feeds of the public ones of an organization. The
 * page of one is its author's HTML, so that it is sandboxed (promise N1), and if configured on a host of its own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArchiveIndex, ArchivePage } from '../../../jmap/newsletters/archive/read-archive.ts'
import { NEWSLETTER_PAGE_POLICY } from '../../../jmap/newsletters/content/page-policy.ts'
import type { Core } from '../../../jmap/services.ts'
import type { Clock } from '../../base/clock.ts'
import { addressGroup } from '../../base/http/client-address.ts'
import { setHeaders } from '../../base/http/respond.ts'
import { TokenBuckets, takeEach } from '../../base/http/token-buckets.ts'
import { ARCHIVE_LOOKS_PER_MINUTE } from '../../base/newsletter-limits.ts'
import type { ClientView } from '../../http/client.ts'
import { type EncodedHtml, encodeHtml, redirect, sendHtml } from '../booking/answers.ts'
import { layout } from '../booking/views/layout.ts'
import { newsletterWords } from '../newsletter-words/languages.ts'
import type { NewsletterWords } from '../newsletter-words/words.ts'
import { card } from '../sign-up/views.ts'
import { orFailedPage } from '../temporary.ts'
import { jsonFeedOf, rssOf } from './feeds.ts'
import { KeptAnswers } from './kept-answers.ts'
import { UnsentPages } from './unsent-pages.ts'
import { indexPage } from './views.ts'

const PAGE = /^\/archive\/([0-9a-z]{1,10}\.[A-Za-z0-9_-]{1,16}\.[A-Za-z0-9_-]{27})$/
const INDEX = /^\/archive\/([a-z0-9-]{1,64})(\/feed\.(?:xml|json))?$/

/** The archive, what its pages load, and probes. */
const SHOWN =
  /^\/(?:archive\/|media\/|book\/assets\/|book\/[a-z0-9-]{1,64}\/logo\.|healthz$|readyz$|\.well-known\/acme-challenge\/)/

export interface ArchiveDeps {
  readonly core: Pick<Core, 'archive'>
  readonly clock: Clock
  /** URL of the host that alone shows the archive; null: every host of the server does. */
  readonly ownUrl: string | null
}

interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly words: NewsletterWords
  readonly baseUrl: string
}

export class ArchivePages {
  readonly #deps: ArchiveDeps
  readonly #client: Pick<ClientView, 'ip' | 'host'>
  readonly #looks: TokenBuckets
  /** Rendering takes long in another thread, and visitors who read slowly share the octets. */
  readonly #pages: KeptAnswers<Omit<ArchivePage, 'html'> & { readonly bytes: EncodedHtml }>
  readonly #unsent = new UnsentPages()
  /** A page of the index reads up to a thousand rows in the thread of the sockets. */
  readonly #indexes: KeptAnswers<ArchiveIndex>

  constructor(deps: ArchiveDeps, client: Pick<ClientView, 'ip' | 'host'>) {
    this.#deps = deps
    this.#client = client
    this.#pages = new KeptAnswers(deps.clock, ({ bytes }) => bytes.plain.length + bytes.zipped.length)
    this.#indexes = new KeptAnswers(deps.clock)
    this.#looks = new TokenBuckets(deps.clock, ARCHIVE_LOOKS_PER_MINUTE, ARCHIVE_LOOKS_PER_MINUTE)
  }

  owns(path: string): boolean {
    return path.startsWith('/archive/')
  }

  /** On the archive's own host there is no page with a login or a right. */
  keepsOut(host: string, path: string): boolean {
    const { ownUrl } = this.#deps
    return ownUrl !== null && host === new URL(ownUrl).host && !SHOWN.test(path)
  }

  /** Links of unlisted newsletters are secrets. */
  logged(path: string): string {
    return path.replace(/^(\/archive\/)[^/]*\.[^/]*/, '$1...')
  }

  /** @throws failures that a later request meets too */
  async answer(request: IncomingMessage, response: ServerResponse, path: string, baseUrl: string): Promise<void> {
    const words = newsletterWords(request.headers['accept-language'])
    const { ownUrl } = this.#deps
    const visit = { request, response, words, baseUrl: ownUrl ?? baseUrl }
    if (ownUrl !== null && this.#client.host(request) !== new URL(ownUrl).host)
      return redirect(response, ownUrl + (request.url ?? '/'), 308)
    await orFailedPage(
      response,
      () => this.#show(visit, path),
      (headers) => problem(visit, 503, 'failed', headers),
    )
  }

  async #show(visit: Visit, path: string): Promise<void> {
    const { method } = visit.request
    if (method !== 'GET' && method !== 'HEAD') return problem(visit, 405, 'failed', { Allow: 'GET, HEAD' })
    const wait = takeEach([[this.#looks, addressGroup(this.#client.ip(visit.request))]])
    if (wait !== null) return problem(visit, 429, 'tooMany', { 'Retry-After': String(wait) })
    const [, token] = PAGE.exec(path) ?? []
    if (token !== undefined) return this.#page(visit, token)
    const [, slug, feed] = INDEX.exec(path) ?? []
    return slug === undefined ? problem(visit, 404, 'notFound') : this.#index(visit, slug, feed)
  }

  async #page(visit: Visit, token: string): Promise<void> {
    const page = await this.#pages.get(token, () => this.#find(token))
    if (!page) return problem(visit, 404, 'notFound')
    const { bytes: text, language, isPublic, slug } = page
    const feed = `<${visit.baseUrl}/archive/${slug}/feed.xml>; rel="alternate"; type="application/rss+xml"`
    await sendHtml(visit.request, visit.response, {
      status: 200,
      text,
      language,
      headers: {
        'Content-Security-Policy': NEWSLETTER_PAGE_POLICY,
        'Cache-Control': CACHED,
        ...(isPublic ? { Link: feed } : { 'X-Robots-Tag': 'noindex' }),
      },
    })
    this.#unsent.hold(visit.response, text.plain.length)
  }

  async #find(token: string) {
    const page = await this.#deps.core.archive.page(token)
    if (!page) return null
    const { html, ...about } = page
    return { ...about, bytes: await encodeHtml(html) }
  }

  async #index(visit: Visit, slug: string, feed: string | undefined): Promise<void> {
    const { request, response, words, baseUrl } = visit
    const before = feed ? null : new URL(request.url ?? '/', 'http://host').searchParams.get('before')
    const index = await this.#indexes.get(`${slug} ${before ?? ''}`, () => this.#deps.core.archive.index(slug, before))
    if (!index) return problem(visit, 404, 'notFound')
    const path = `/archive/${slug}`
    const title = words.archive.title(index.organization.name)
    if (feed === '/feed.xml')
      return sendFeed(visit, 'application/rss+xml', rssOf(index, title, { baseUrl, index: path }))
    if (feed) return sendFeed(visit, 'application/feed+json', jsonFeedOf(index, title, { baseUrl, index: path }))
    const { language } = words
    const body = indexPage(words, index, path)
    const text = layout({
      language,
      title,
      organization: index.organization,
      isListed: true,
      feed: `${path}/feed.xml`,
      body,
    })
    return sendHtml(request, response, { status: 200, text, language, headers: { 'Cache-Control': CACHED } })
  }
}

const CACHED = 'public, max-age=60'

function sendFeed({ request, response }: Visit, type: string, text: string): void {
  setHeaders(response, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': CACHED,
    'Content-Length': String(Buffer.byteLength(text)),
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

function problem(
  { request, response, words }: Visit,
  status: number,
  what: 'notFound' | 'tooMany' | 'failed',
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { language, archive } = words
  const title = archive[`${what}Title`]
  const text = layout({ language, title, organization: null, body: card(title, archive[what]) })
  return sendHtml(request, response, { status, text, language, headers })
}
