/** Limits the rate of each client, and of each sender, on port 25. Refusals are temporary (4xx), so no mail is lost. */
import type { Clock } from '../../server/base/clock.ts'
import { forgetOldest } from '../../server/base/forget-oldest.ts'
import { SMTP_PACE_PLACES_MAX } from '../../server/base/inbound-limits.ts'
import { clientKeysOf } from './connection-counter.ts'

/** Each per minute, which is also the size of a burst; 0: no limit. */
export interface ClientRates {
  /** Connections of one client: an IPv4 address or an IPv6 /64. */
  readonly connections: number
  readonly messages: number
  readonly recipients: number
  /** Replies 5xx to one client; a client with more may not connect for a while. */
  readonly errors: number
  /** Messages of one sender (the address of MAIL FROM) over all clients. */
  readonly senderMessages: number
}

type Kind = keyof ClientRates

interface Bucket {
  tokens: number
  /** Epoch ms at which `tokens` was counted. */
  at: number
}

const MINUTE_MS = 60_000

export class ClientRateLimiter {
  readonly #limits: ClientRates
  readonly #clock: Clock
  readonly #isExempt: (address: string) => boolean
  /** In the order of last use; the oldest are forgotten first. */
  readonly #buckets = new Map<string, Bucket>()

  /** @param isExempt clients without limits */
  constructor(limits: ClientRates, clock: Clock, isExempt: (address: string) => boolean = () => false) {
    this.#limits = limits
    this.#clock = clock
    this.#isExempt = isExempt
  }

  /** Whether a client may connect now. */
  connection(ip: string): boolean {
    if (this.#isExempt(ip)) return true
    return this.#tokens('errors', clientKey(ip)) >= 1 && this.#take('connections', clientKey(ip))
  }

  /** Whether a client may begin a message now. The null sender ('') has no limit of its own. */
  message(ip: string, mailFrom: string): boolean {
    if (this.#isExempt(ip)) return true
    if (mailFrom !== '' && this.#tokens('senderMessages', mailFrom.toLowerCase()) < 1) return false
    if (!this.#take('messages', clientKey(ip))) return false
    if (mailFrom !== '') this.#take('senderMessages', mailFrom.toLowerCase())
    return true
  }

  recipient(ip: string): boolean {
    return this.#isExempt(ip) || this.#take('recipients', clientKey(ip))
  }

  error(ip: string): void {
    if (!this.#isExempt(ip)) this.#take('errors', clientKey(ip))
  }

  #tokens(kind: Kind, name: string): number {
    const most = this.#limits[kind]
    if (most <= 0) return Number.POSITIVE_INFINITY
    const bucket = this.#buckets.get(`${kind} ${name}`)
    if (!bucket) return most
    const passed = Math.max(0, this.#clock.now() - bucket.at)
    return Math.min(most, bucket.tokens + (passed * most) / MINUTE_MS)
  }

  #take(kind: Kind, name: string): boolean {
    const tokens = this.#tokens(kind, name)
    if (tokens < 1) return false
    if (tokens === Number.POSITIVE_INFINITY) return true
    const key = `${kind} ${name}`
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: tokens - 1, at: this.#clock.now() })
    forgetOldest(this.#buckets, SMTP_PACE_PLACES_MAX)
    return true
  }
}

function clientKey(ip: string): string {
  return clientKeysOf(ip).address
}
