/** /calendar/feeds: calendars under secret URLs, for programs that subscribe to them (http:, https: and webcal:). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGunzip } from 'node:zlib'
import { FEED_FOLDER } from '../../../jmap/calendars/feed/feed-token.ts'
import type { Core } from '../../../jmap/services.ts'
import { FEED_READS_PER_MINUTE } from '../../base/calendar-exchange-limits.ts'
import type { Clock } from '../../base/clock.ts'
import { addressGroup } from '../../base/http/client-address.ts'
import { copyPieces } from '../../base/http/files.ts'
import { answerNotModified, setHeaders } from '../../base/http/respond.ts'
import { TokenBuckets, takeEach } from '../../base/http/token-buckets.ts'
import type { ClientView } from '../../http/client.ts'
import { methodNotAllowed, notFound, problem } from '../../http/problem.ts'
import { acceptsGzip } from '../booking/assets.ts'
import { MadeFeeds } from './made-feeds.ts'

const SECOND_MS = 1_000

export interface FeedDeps {
  readonly core: Pick<Core, 'calendarFeeds'>
  readonly clock: Clock
}

export class CalendarFeeds {
  readonly #deps: FeedDeps
  readonly #client: Pick<ClientView, 'ip'>
  readonly #reads: TokenBuckets
  readonly #made: MadeFeeds

  constructor(deps: FeedDeps, client: Pick<ClientView, 'ip'>) {
    this.#deps = deps
    this.#client = client
    this.#reads = new TokenBuckets(deps.clock, FEED_READS_PER_MINUTE, FEED_READS_PER_MINUTE)
    this.#made = new MadeFeeds(deps.core)
  }

  owns(path: string): boolean {
    return path.startsWith(FEED_FOLDER)
  }

  /** The path is a secret. */
  logged(): string {
    return `${FEED_FOLDER}...`
  }

  /** @throws HttpProblem */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
    this.#requireRate(request)
    const feed = await this.#deps.core.calendarFeeds.find(path.slice(FEED_FOLDER.length))
    if (!feed) throw notFound()
    const modified = this.#lastModified(feed.changedAt)
    setHeaders(response, {
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept-Encoding',
      ...(modified !== null && { 'Last-Modified': new Date(modified).toUTCString() }),
    })
    if (answerNotModified(request, response, `"${feed.key}.${feed.state}"`)) return
    if (modified !== null && isSince(request, modified)) {
      response.statusCode = 304
      response.end()
      return
    }
    setHeaders(response, {
      'Content-Type': 'text/calendar; charset=utf-8',
      'Content-Disposition': 'inline; filename="calendar.ics"',
    })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    const zipped = await this.#made.zipped(feed)
    if (!acceptsGzip(request)) {
      // The whole text may have a thousand times the octets.
      const plain = createGunzip()
      plain.end(zipped)
      return copyPieces(plain, response)
    }
    setHeaders(response, { 'Content-Encoding': 'gzip', 'Content-Length': String(zipped.length) })
    response.end(zipped)
  }

  /** @throws HttpProblem 429 */
  #requireRate(request: IncomingMessage): void {
    const wait = takeEach([[this.#reads, addressGroup(this.#client.ip(request))]])
    if (wait !== null) throw problem(429, 'Too many requests for calendars.', { 'Retry-After': String(wait) })
  }

  /** In whole seconds; null: unknown, or so recent that another change may get the same second (RFC 9110 8.8.2.2). */
  #lastModified(changedAt: number | null): number | null {
    if (changedAt === null) return null
    const second = Math.floor(changedAt / SECOND_MS) * SECOND_MS
    return second + SECOND_MS <= this.#deps.clock.now() ? second : null
  }
}

/** RFC 9110 13.1.3: with If-None-Match it has no meaning. */
function isSince({ headers }: IncomingMessage, modified: number): boolean {
  const { 'if-none-match': tag, 'if-modified-since': since } = headers
  return tag === undefined && since !== undefined && Date.parse(since) >= modified
}
