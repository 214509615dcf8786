/**
 * Rate limits (decision D3): a token bucket per API key and tier, one of five times its size per organization, and one per client
 * address for failed authentication.
 */
import type { Clock } from '../../server/base/clock.ts'
import { addressGroup } from '../../server/base/http/client-address.ts'
import { TokenBuckets } from '../../server/base/http/token-buckets.ts'
import {
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
import { ApiError } from '../errors/api-error.ts'

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

/** The state of a rate limit after a request. */
export interface RateVerdict {
  readonly allowed: boolean
  readonly tier: Tier
  /** Requests a minute. */
  readonly limit: number
  /** Requests that may come at once when none has come for a while. */
  readonly burst: number
  /** Requests that may come at once now. */
  readonly remaining: number
  /** Seconds until `remaining` is `burst` again; with none remaining, until the next request is allowed. */
  readonly reset: number
}

/** A bucket holds at least one request, and at most those of a minute. */
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
   * @param subject of a `verification` request: the endpoint and the domain (decision D3), so that two domains do not wait for each
   * other
   * @param isRefused true: the principal may not do it, so it must not use up a limit that the organization shares (decision D31)
   */
  take(tier: Tier, principal: Principal, subject = '', isRefused = false): RateVerdict | null {
    const keys = this.#keys.get(tier)
    if (!keys) return null
    const sharer = isRefused ? principal.credential : principal.organization
    const name = tier === 'verification' ? `${sharer} ${subject}` : principal.credential
    const organizations = isRefused ? undefined : this.#organizations.get(tier)
    const whole = String(principal.organization)
    const limit = this.#rates[tier]
    // Both or neither: a request that the organization's bucket refuses takes no token of the key.
    const { burst } = keys
    if (keys.tokens(name) < 1)
      return { allowed: false, tier, limit, burst, remaining: 0, reset: keys.secondsToToken(name) }
    if (organizations && organizations.tokens(whole) < 1)
      return { allowed: false, tier, limit, burst, remaining: 0, reset: organizations.secondsToToken(whole) }
    keys.take(name)
    organizations?.take(whole)
    const own = keys.tokens(name)
    const shared = organizations?.tokens(whole) ?? Number.POSITIVE_INFINITY
    const remaining = Math.floor(Math.min(own, shared))
    const reset = organizations && shared < own ? secondsLeft(organizations, whole) : secondsLeft(keys, name)
    return { allowed: true, tier, limit, burst, remaining, reset }
  }

  /** Counts a failed authentication from an address. @throws ApiError rate_limit_exceeded after too many */
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
    throw limitError(message, 'authentication', this.#rates.failedAuth, seconds)
  }
}

/** Until the bucket is full, or, when it is empty, until it has a token. */
function secondsLeft(buckets: TokenBuckets, name: string): number {
  return buckets.tokens(name) < 1 ? buckets.secondsToToken(name) : buckets.secondsToFull(name)
}

/**
 * Both header styles (decision D3): draft-ietf-httpapi-ratelimit-headers, and the three fields that clients parse today. A client that
 * goes by the remaining number is never refused, so that is the burst's; the draft's fields tell both limits (decision D31).
 */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  const { tier, limit, burst, remaining, reset } = verdict
  const refill = Math.ceil((burst / limit) * WINDOW_SECONDS)
  const inWindow = remaining === 0 ? 0 : limit - (burst - remaining)
  return {
    'RateLimit-Policy': `"${tier}";q=${limit};w=${WINDOW_SECONDS}, "${tier}-burst";q=${burst};w=${refill}`,
    RateLimit: `"${tier}";r=${inWindow};t=${reset}, "${tier}-burst";r=${remaining};t=${reset}`,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset),
  }
}

export function rateError(verdict: RateVerdict): ApiError {
  const { tier, limit, reset } = verdict
  const message = `Too many requests: the ${tier} limit is ${limit} a minute. Try again in ${reset} s.`
  return limitError(message, tier, limit, reset)
}

function limitError(message: string, tier: string, limit: number, seconds: number): ApiError {
  return new ApiError('rate_limit_exceeded', {
    message,
    headers: { 'Retry-After': String(seconds) },
    details: [{ tier, limit, window_seconds: WINDOW_SECONDS, retry_after_seconds: seconds }],
  })
}
