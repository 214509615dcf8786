/**
 * Stripe's library over our own HTTP client. Its telemetry is off, and the fields about this machine are not sent; it does not repeat requests:
 * the queue does. It is loaded when it is first used, because most servers bill nobody.
 */
import type Stripe from 'stripe'
import { STRIPE_ANSWER_MAX_BYTES, STRIPE_REQUEST_MS } from '../base/billing-limits.ts'
import { onDemand } from '../base/on-demand.ts'
import type { EgressRequest, EgressResponse, SafeFetch } from '../egress/safe-fetch.ts'

export interface StripeOptions {
  /** Secret key of the API. */
  readonly key: string
  /** A server that stands for Stripe's, in dev mode; null: Stripe's own. */
  readonly base: string | null
  readonly fetch: SafeFetch
}

/** Loads the library at the first call. */
export type StripeSource = () => Promise<Stripe>

export function createStripe({ key, base, fetch }: StripeOptions): StripeSource {
  return onDemand(async () => {
    const { default: Library } = await import('stripe')
    const url = base === null ? null : new URL(base)
    return new Library(key, {
      telemetry: false,
      maxNetworkRetries: 0,
      timeout: STRIPE_REQUEST_MS,
      httpClient: new EgressClient(fetch),
      ...(url && {
        protocol: url.protocol === 'http:' ? 'http' : 'https',
        host: url.hostname,
        port: Number(url.port || (url.protocol === 'http:' ? 80 : 443)),
      }),
    })
  })
}

/** Of what the library sends. */
const SENT = ['authorization', 'accept', 'content-type', 'idempotency-key', 'stripe-version']

type HttpClient = InstanceType<typeof Stripe.HttpClient>
type HttpResponse = Awaited<ReturnType<HttpClient['makeRequest']>>

class EgressClient implements Pick<HttpClient, 'getClientName' | 'makeRequest'> {
  readonly #fetch: SafeFetch

  constructor(fetch: SafeFetch) {
    this.#fetch = fetch
  }

  getClientName(): string {
    return 'posthouse'
  }

  async makeRequest(
    host: string,
    port: string | number,
    path: string,
    method: string,
    headers: object,
    requestData: string | null,
    protocol: string,
    timeout: number,
  ): Promise<HttpResponse> {
    const answer = await this.#fetch(`${protocol}://${host}:${port}${path}`, {
      method: method as NonNullable<EgressRequest['method']>,
      headers: { ...sent(headers), 'user-agent': 'Posthouse' },
      ...(requestData && { body: requestData }),
      protocols: [protocol === 'http' ? 'http:' : 'https:'],
      timeoutMs: timeout,
      maxBytes: STRIPE_ANSWER_MAX_BYTES,
    })
    return responseOf(answer)
  }
}

function sent(headers: object): Record<string, string> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return Object.fromEntries(all.filter(([name]) => SENT.includes(name)))
}

function responseOf({ status, headers, body }: EgressResponse): HttpResponse {
  return {
    getStatusCode: () => status,
    getHeaders: () => ({ ...headers }),
    getRawResponse: () => body,
    toStream: () => body,
    toJSON: async () => JSON.parse(body.toString('utf8')),
  }
}
