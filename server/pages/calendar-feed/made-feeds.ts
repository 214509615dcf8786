/** Compressed texts of feeds by their state. Requests for a text that is being made wait for it. */
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import type { Feed, FeedPage } from '../../../jmap/calendars/feed/read-feed.ts'
import type { Core } from '../../../jmap/services.ts'
import {
  FEED_CACHE_BYTES,
  FEED_MAX_BYTES,
  FEEDS_MADE_AT_ONCE,
  FEEDS_WAITING_MAX,
} from '../../base/calendar-exchange-limits.ts'
import { HTTP_RETRY_AFTER_SECONDS } from '../../base/limits.ts'
import { Semaphore } from '../../base/semaphore.ts'
import { notFound, problem } from '../../http/problem.ts'

type FeedCore = Pick<Core, 'calendarFeeds'>

interface Made {
  readonly state: string
  readonly zipped: Promise<Buffer>
  /** Octets; 0: it is being made. */
  size: number
}

export class MadeFeeds {
  readonly #core: FeedCore
  /** By the key of the feed, in the order of last use. */
  readonly #made = new Map<string, Made>()
  readonly #turns = new Semaphore(FEEDS_MADE_AT_ONCE, FEEDS_WAITING_MAX)
  #bytes = 0

  constructor(core: FeedCore) {
    this.#core = core
  }

  /** The text of a feed, compressed by gzip. @throws HttpProblem 404, 503 */
  zipped(feed: Feed): Promise<Buffer> {
    const { key, state } = feed
    const known = this.#made.get(key)
    if (known?.state === state) {
      this.#made.delete(key)
      this.#made.set(key, known)
      return known.zipped
    }
    this.#forget(key)
    const made: Made = { state, zipped: this.#turns.within(tooMany, () => zip(this.#core, feed)), size: 0 }
    this.#made.set(key, made)
    made.zipped.then(
      ({ length }) => this.#count(key, made, length),
      () => this.#forgetFailed(key, made),
    )
    return made.zipped
  }

  #count(key: string, made: Made, size: number): void {
    if (this.#made.get(key) !== made) return
    made.size = size
    this.#bytes += size
    for (const [other, { size: octets }] of this.#made) {
      if (this.#bytes <= FEED_CACHE_BYTES) return
      if (octets > 0) this.#forget(other)
    }
  }

  #forgetFailed(key: string, made: Made): void {
    if (this.#made.get(key) === made) this.#made.delete(key)
  }

  #forget(key: string): void {
    this.#bytes -= this.#made.get(key)?.size ?? 0
    this.#made.delete(key)
  }
}

function tooMany(): Error {
  return problem(503, 'Too many calendars are being read.', { 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) })
}

/** Pages are read one by one in reading threads, and compressed in the pool of libuv. */
async function zip(core: FeedCore, feed: Feed): Promise<Buffer> {
  const gzip = createGzip()
  const pieces: Buffer[] = []
  let size = 0
  gzip.on('data', (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
  })
  let page: FeedPage | null = null
  do {
    page = await core.calendarFeeds.page(feed, page?.next ?? null)
    if (page === null) throw notFound()
    if (size > FEED_MAX_BYTES) throw problem(503, 'The calendar is too large for a feed.')
    if (!gzip.write(page.text)) await once(gzip, 'drain')
  } while (page.next !== null)
  gzip.end()
  await once(gzip, 'end')
  return Buffer.concat(pieces)
}
