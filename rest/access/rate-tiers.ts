/**
 * Rate limits (api/decisions.md D3): a token bucket per API key and tier, one of five times its size per organization, and one per
 * client address for failed authentication. Buckets live in memory, as many as a constant says.
 */
import type { Clock } from '../../server/base/clock.ts'
import { forgetOldest } from '../../server/base/forget-oldest.ts'
import {
  REST_RATE_BUCKETS_MAX,
  REST_RATE_BURST_MIN,
  REST_RATE_BURST_PART,
  REST_RATE_FAILED_AUTH,
  REST_RATE_ORGANIZATION_FACTOR,
  REST_RATE_READ,
  REST_RATE_SEND,
  REST_RATE_VERIFICATION,
  REST_RATE_WRITE,
} from '../../server/base/limits.ts'
import type { Principal } from '../../server/base/principal.ts'
import { Problem } from '../errors/api-error.ts'

export type Tier = 'read' | 'write' | 'send' | 'verification'
/** Requests a minute; 0 is no limit. */
export type RateTable = { readonly [T in Tier | 'failedAuth']: number }

export const DEFAULT_RATES: RateTable = {
  read: REST_RATE_READ,
  write: REST_RATE_WRITE,
  send: REST_RATE_SEND,
  verification: REST_RATE_VERIFICATION,
  failedAuth: REST_RATE_FAILED_AUTH,
}

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000

interface Bucket {
  tokens: number
  /** Epoch ms at which `tokens` was right. */
  at: number
}

/** Token buckets of one size, by name. */
export class TokenBuckets {
  readonly #clock: Clock
  readonly #perMs: number
  readonly #max: number
  readonly burst: number
  /** In the order of last use: the first is the first to be forgotten. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock, perMinute: number, burst: number, max = REST_RATE_BUCKETS_MAX) {
    this.#clock = clock
    this.#perMs = perMinute / WINDOW_MS
    this.burst = burst
    this.#max = max
  }

  get size(): number {
    return this.#buckets.size
  }

  tokens(name: string): number {
    const bucket = this.#buckets.get(name)
    if (!bucket) return this.burst
    const passed = Math.max(0, this.#clock.now() - bucket.at)
    return Math.min(this.burst, bucket.tokens + passed * this.#perMs)
  }

  /** Takes one token, which must be there. */
  take(name: string): void {
    const tokens = this.tokens(name) - 1
    this.#buckets.delete(name)
    this.#buckets.set(name, { tokens, at: this.#clock.now() })
    forgetOldest(this.#buckets, this.#max)
  }

  /** Seconds, at least 1, until there is a token. */
  secondsToToken(name: string): number {
    const missing = Math.max(0, 1 - this.tokens(name))
    return Math.max(1, Math.ceil(Number((missing / this.#perMs / 1000).toFixed(6))))
  }
}

/** What one request may know of its limit. */
export interface RateVerdict {
  readonly allowed: boolean
  readonly tier: Tier
  /** Requests a minute. */
  readonly limit: number
  readonly remaining: number
  /** Seconds until `remaining` is right again; for a refused request, until it may be tried again. */
  readonly reset: number
}

/** A bucket must hold one request, and never more than the minute's. */
function burstOf(perMinute: number): number {
  return Math.min(perMinute, Math.max(REST_RATE_BURST_MIN, Math.floor(perMinute * REST_RATE_BURST_PART)))
}

export class RateLimiter {
  readonly #rates: RateTable
  readonly #keys = new Map<Tier, TokenBuckets>()
  readonly #organizations = new Map<Tier, TokenBuckets>()
  readonly #failures: TokenBuckets | null

  constructor(clock: Clock, rates: RateTable = DEFAULT_RATES) {
    this.#rates = rates
    for (const tier of ['read', 'write', 'send', 'verification'] as const) {
      const rate = rates[tier]
      if (rate <= 0) continue
      this.#keys.set(tier, new TokenBuckets(clock, rate, burstOf(rate)))
      if (tier === 'verification') continue
      const whole = rate * REST_RATE_ORGANIZATION_FACTOR
      this.#organizations.set(tier, new TokenBuckets(clock, whole, burstOf(rate) * REST_RATE_ORGANIZATION_FACTOR))
    }
    this.#failures = rates.failedAuth > 0 ? new TokenBuckets(clock, rates.failedAuth, rates.failedAuth) : null
  }

  /**
   * Counts one request. null: the tier has no limit.
   * @param subject what a `verification` request is about: the endpoint and the domain (D3), so that two domains do not wait for each other.
   */
  take(tier: Tier, principal: Principal, subject = ''): RateVerdict | null {
    const keys = this.#keys.get(tier)
    if (!keys) return null
    const name = tier === 'verification' ? `${principal.organization} ${subject}` : principal.credential
    const organizations = this.#organizations.get(tier)
    const whole = String(principal.organization)
    const limit = this.#rates[tier]
    // Both or none: a request that the organization's bucket refuses costs the key nothing.
    if (keys.tokens(name) < 1) return { allowed: false, tier, limit, remaining: 0, reset: keys.secondsToToken(name) }
    if (organizations && organizations.tokens(whole) < 1) {
      return { allowed: false, tier, limit, remaining: 0, reset: organizations.secondsToToken(whole) }
    }
    keys.take(name)
    organizations?.take(whole)
    return { allowed: true, tier, limit, ...this.#left(keys, name, limit) }
  }

  /** A failed authentication from an address. @throws Problem rate_limit_exceeded when there were too many */
  countFailure(ip: string): void {
    const failures = this.#failures
    if (!failures) return
    const name = addressGroup(ip)
    if (failures.tokens(name) >= 1) {
      failures.take(name)
      return
    }
    const seconds = failures.secondsToToken(name)
    const message = 'Too many failed attempts to authenticate.'
    throw limitProblem(message, 'authentication', this.#rates.failedAuth, seconds)
  }

  /**
   * What the window of a minute still holds: its requests less those that the bucket has not got back yet. 0 says that the next
   * request would be refused.
   */
  #left(keys: TokenBuckets, name: string, limit: number): { remaining: number; reset: number } {
    const tokens = keys.tokens(name)
    if (tokens < 1) return { remaining: 0, reset: keys.secondsToToken(name) }
    return { remaining: Math.floor(limit - (keys.burst - tokens)), reset: WINDOW_SECONDS }
  }
}

/** Both header styles (D3): draft-ietf-httpapi-ratelimit-headers, and the three fields that clients parse today. */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  const { tier, limit, remaining, reset } = verdict
  return {
    'RateLimit-Policy': `"${tier}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${tier}";r=${remaining};t=${reset}`,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset),
  }
}

export function rateProblem(verdict: RateVerdict): Problem {
  const { tier, limit, reset } = verdict
  const message = `Too many requests: the ${tier} limit is ${limit} a minute. Try again in ${reset} s.`
  return limitProblem(message, tier, limit, reset)
}

function limitProblem(message: string, tier: string, limit: number, seconds: number): Problem {
  return new Problem('rate_limit_exceeded', {
    message,
    headers: { 'Retry-After': String(seconds) },
    details: [{ tier, limit, window_seconds: WINDOW_SECONDS, retry_after_seconds: seconds }],
  })
}

/** One host may have a whole /64 of IPv6 to itself: it counts as one. */
export function addressGroup(ip: string): string {
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1]!
  const [head = '', tail] = ip.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) while (groups.length < 4) groups.push('0')
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
