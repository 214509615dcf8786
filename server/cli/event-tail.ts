/** New events of a server, as `GET /v1/events` lists them, from the time at which the tail began. */
import { Failure } from '../base/errors.ts'
import { LISTEN_OVERLAP_MS, LISTEN_REQUEST_MS } from '../base/webhook-limits.ts'
import { jsonIn } from './transfer/http.ts'

export interface TailedEvent {
  readonly event_id: string
  readonly event_type: string
  readonly created_at: string
  readonly data: { readonly [name: string]: unknown }
}

interface Page {
  readonly data: readonly (TailedEvent & { readonly object: string })[]
  readonly pagination: { readonly next_cursor: string | null }
}

const PAGE = 100

export class EventTail {
  readonly #server: string
  readonly #key: string
  /** Ids of returned events, with their times (epoch ms). */
  readonly #told = new Map<string, number>()
  /** Epoch ms by the clock of the server: earlier events are not listed. */
  readonly #from: number
  #newest: number

  /** @param server base URL without a slash at the end. @param from epoch ms by the clock of the server */
  constructor(server: string, key: string, from: number) {
    this.#server = server
    this.#key = key
    this.#from = from
    this.#newest = from
  }

  /** Epoch ms of the server. @throws Failure `configuration` if the server does not answer as one */
  static async timeOf(server: string): Promise<number> {
    const status = await askJson<{ readonly time?: string }>(`${server}/api/v1/status`, {})
    const time = Date.parse(status.time ?? '')
    if (Number.isNaN(time)) throw new Failure('configuration', `${server} is not a Posthouse server`)
    return time
  }

  /** Events since the last call, oldest first. @throws Failure; the next call returns the missed ones */
  async next(): Promise<readonly TailedEvent[]> {
    // Events are listed by the time at which their units of work began; one may be committed after a later one.
    const after = Math.max(this.#from, this.#newest - LISTEN_OVERLAP_MS)
    const found: TailedEvent[] = []
    let query = `created_after=${encodeURIComponent(new Date(after).toISOString())}`
    for (;;) {
      const { data, pagination } = await this.#page(query)
      for (const { object: _object, ...event } of data) if (!this.#told.has(event.event_id)) found.push(event)
      if (pagination.next_cursor === null) break
      query = `cursor=${pagination.next_cursor}`
    }
    for (const { event_id, created_at } of found) {
      const at = Date.parse(created_at)
      this.#told.set(event_id, at)
      this.#newest = Math.max(this.#newest, at)
    }
    for (const [id, at] of this.#told) if (at < this.#newest - LISTEN_OVERLAP_MS) this.#told.delete(id)
    return found.reverse()
  }

  #page(query: string): Promise<Page> {
    const headers = { Authorization: `Bearer ${this.#key}` }
    return askJson(`${this.#server}/api/v1/events?limit=${PAGE}&${query}`, headers)
  }
}

/** The server refused the key or the request: a retry does not help. */
export class Refused extends Failure {
  constructor(message: string) {
    super('configuration', message)
  }
}

async function askJson<T>(url: string, headers: Record<string, string>): Promise<T> {
  const { origin } = new URL(url)
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(LISTEN_REQUEST_MS) }).catch(() => {
    throw new Failure('storageUnavailable', `${origin} does not answer`)
  })
  const text = await response.text()
  if (response.ok) return jsonIn<T>(text, origin)
  const message = messageOf(text) ?? `it answers ${response.status}`
  if (response.status === 429 || response.status >= 500)
    throw new Failure('storageUnavailable', `${origin}: ${message}`)
  throw new Refused(`${origin} refuses the request: ${message}`)
}

/** Of the error envelope of REST; null: it is none. */
function messageOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    return error?.message === undefined ? null : String(error.message).slice(0, 300)
  } catch {
    return null
  }
}
