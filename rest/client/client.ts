/**
 * A client of the REST API for TypeScript. The OpenAPI document types paths, parameters, bodies and answers. It runs wherever there is
 * `fetch`, and imports nothing of the server.
 *
 *     const api = createClient({ baseUrl: 'https://mail.example.com/api', key: 'sk_...' })
 *     const sent = await api.post('/v1/messages', { body: { from: 'a@example.com', to: 'b@example.org', text: 'Hello' } })
 *     for await (const domain of api.list('/v1/domains')) console.log(domain.name)
 */
import { readError } from './api-error.ts'
import type { Args, CallOptions, Item, ListPath, Method, Operation, Output, PathsOf } from './operations.ts'

export { ApiError } from './api-error.ts'
export type { CallOptions, Schemas, WebhookEvent } from './operations.ts'

export interface ClientOptions {
  /** Ends in `/api`: `https://mail.example.com/api`. */
  readonly baseUrl: string
  readonly key: string
  /** How often a call is repeated when the server asks for it. */
  readonly retries?: number
  /** Seconds. When the server asks for a longer wait, the call fails. */
  readonly longestWait?: number
  readonly fetch?: typeof fetch
  readonly wait?: (ms: number) => Promise<void>
}

const RETRIES = 3
const LONGEST_WAIT_SECONDS = 60

interface AnyInput extends CallOptions {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** One method for each HTTP method. An answer 204 gives undefined. @throws ApiError for every answer that is no success */
export class ApiClient {
  readonly #options: Required<ClientOptions>

  constructor(options: ClientOptions) {
    this.#options = {
      retries: RETRIES,
      longestWait: LONGEST_WAIT_SECONDS,
      fetch: (input, init) => fetch(input, init),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      ...options,
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
    }
  }

  get<P extends PathsOf<'get'>>(path: P, ...[input]: Args<Operation<P, 'get'>>): Promise<Output<Operation<P, 'get'>>> {
    return this.#call('get', path, input)
  }

  post<P extends PathsOf<'post'>>(
    path: P,
    ...[input]: Args<Operation<P, 'post'>>
  ): Promise<Output<Operation<P, 'post'>>> {
    return this.#call('post', path, input)
  }

  put<P extends PathsOf<'put'>>(path: P, ...[input]: Args<Operation<P, 'put'>>): Promise<Output<Operation<P, 'put'>>> {
    return this.#call('put', path, input)
  }

  patch<P extends PathsOf<'patch'>>(
    path: P,
    ...[input]: Args<Operation<P, 'patch'>>
  ): Promise<Output<Operation<P, 'patch'>>> {
    return this.#call('patch', path, input)
  }

  delete<P extends PathsOf<'delete'>>(
    path: P,
    ...[input]: Args<Operation<P, 'delete'>>
  ): Promise<Output<Operation<P, 'delete'>>> {
    return this.#call('delete', path, input)
  }

  /** Every item of a list. Each page is fetched when its first item is read. */
  async *list<P extends ListPath>(
    path: P,
    ...[input]: Args<Operation<P, 'get'>>
  ): AsyncGenerator<Item<Operation<P, 'get'>>> {
    const given: AnyInput = input ?? {}
    let next: object = {}
    for (;;) {
      const query = { ...given.query, ...next }
      const page: Page<Item<Operation<P, 'get'>>> = await this.#call('get', path, { ...given, query })
      yield* page.data
      const { has_more, next_cursor, next_position } = page.pagination
      if (!has_more) return
      next = next_cursor ? { cursor: next_cursor } : { position: next_position }
    }
  }

  /** The answer with a file, such as an attachment, for the caller to read. `path` may be a `download_path`. */
  async download(path: string, input: AnyInput = {}): Promise<Response> {
    return this.#send('get', path, input)
  }

  async #call<T>(method: Method, path: string, input: AnyInput = {}): Promise<T> {
    const response = await this.#send(method, path, input)
    const text = await response.text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  async #send(method: Method, path: string, input: AnyInput): Promise<Response> {
    const { baseUrl, retries, longestWait, wait, fetch } = this.#options
    const init = this.#request(method, input)
    for (let tried = 0; ; tried++) {
      const response = await fetch(baseUrl + pathOf(path, input), init)
      if (response.ok) return response
      const error = await readError(response)
      // Only errors that the server asks to repeat: rate limits, unavailability, and the same request still running.
      const again = [409, 429, 503].includes(error.status) ? error.retryAfter : null
      if (again === null || again > longestWait || tried >= retries) throw error
      await wait(again * 1000)
    }
  }

  #request(method: Method, { body, headers, idempotencyKey, signal }: AnyInput): RequestInit {
    const fields = new Headers(headers)
    fields.set('Authorization', `Bearer ${this.#options.key}`)
    // The only texts among the bodies are calendars.
    const isText = typeof body === 'string'
    if (body !== undefined) fields.set('Content-Type', isText ? 'text/calendar' : 'application/json')
    // The same for each attempt, so that the request has its effect once.
    if (method === 'post') fields.set('Idempotency-Key', idempotencyKey ?? crypto.randomUUID())
    return {
      method: method.toUpperCase(),
      headers: fields,
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    }
  }
}

interface Page<T> {
  readonly data: readonly T[]
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor?: string | null
    readonly next_position?: number | null
  }
}

function pathOf(template: string, { path = {}, query = {} }: AnyInput): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`
}

export function createClient(options: ClientOptions): ApiClient {
  return new ApiClient(options)
}
