/** How much one client, and one sender, may do in a minute on port 25. What is too fast is told to come again later; nothing is lost. */
import type { Clock } from '../../server/base/clock.ts'
import { forgetOldest } from '../../server/base/forget-oldest.ts'
import { SMTP_PACE_PLACES_MAX } from '../../server/base/inbound-limits.ts'
import { placesOf } from './connection-counter.ts'

/** Each a minute, and so many at once; 0: no limit. */
export interface PaceLimits {
  /** Of one client: an IPv4 address or an IPv6 /64. */
  readonly connections: number
  readonly messages: number
  readonly recipients: number
  /** Refusals 5xx; a client with more is not spoken to for a while. */
  readonly errors: number
  /** Messages of one sender, the address of MAIL FROM, from all clients together. */
  readonly senderMessages: number
}

type Kind = keyof PaceLimits

interface Bucket {
  tokens: number
  /** Epoch ms at which `tokens` was right. */
  at: number
}

const MINUTE_MS = 60_000

export class Pace {
  readonly #limits: PaceLimits
  readonly #clock: Clock
  readonly #isExempt: (address: string) => boolean
  /** In the order of last use: the first is the first to be forgotten. */
  readonly #buckets = new Map<string, Bucket>()

  /** @param isExempt clients without limits */
  constructor(limits: PaceLimits, clock: Clock, isExempt: (address: string) => boolean = () => false) {
    this.#limits = limits
    this.#clock = clock
    this.#isExempt = isExempt
  }

  /** Whether a client may connect now. */
  connection(ip: string): boolean {
    if (this.#isExempt(ip)) return true
    return this.#tokens('errors', placeOf(ip)) >= 1 && this.#take('connections', placeOf(ip))
  }

  /** Whether a client may begin a message now; '' is the null sender, who is everybody. */
  message(ip: string, mailFrom: string): boolean {
    if (this.#isExempt(ip)) return true
    if (mailFrom !== '' && this.#tokens('senderMessages', mailFrom.toLowerCase()) < 1) return false
    if (!this.#take('messages', placeOf(ip))) return false
    if (mailFrom !== '') this.#take('senderMessages', mailFrom.toLowerCase())
    return true
  }

  recipient(ip: string): boolean {
    return this.#isExempt(ip) || this.#take('recipients', placeOf(ip))
  }

  error(ip: string): void {
    if (!this.#isExempt(ip)) this.#take('errors', placeOf(ip))
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

function placeOf(ip: string): string {
  return placesOf(ip).address
}
