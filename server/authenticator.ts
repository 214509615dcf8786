/**
 * Authentication for every listener: the core's, behind a cache of what was found good and a brake on guessing. HTTP, REST and SMTP
 * submission share it, so that a password is guessed no faster by asking at several doors. It decides nothing itself about who may
 * do what.
 */
import { hash } from 'node:crypto'
import type { Core, Credential } from '../jmap/core.ts'
import { addressGroup, TokenBuckets } from '../rest/rate-tiers.ts'
import { plainAddress } from './addresses.ts'
import type { Clock } from './base/clock.ts'
import {
  AUTH_CACHE_MAX,
  AUTH_CACHE_MS,
  CREDENTIAL_MAX_CHARS,
  PASSWORD_FAILURES_BURST,
  PASSWORD_FAILURES_PER_MINUTE,
} from './base/limits.ts'
import type { Principal } from './base/principal.ts'

interface Known {
  readonly answer: Promise<Principal | null>
  /** Epoch ms. */
  readonly until: number
}

type AuthenticatingCore = Pick<Core, 'authenticate' | 'onStateChange'>

const ROUNDING = 1e-6

/** Types whose changes take credentials away. */
const CREDENTIAL_TYPES = ['ApiKey', 'MailAccount', 'Organization'] as const

export class Authenticator {
  readonly #core: AuthenticatingCore
  readonly #clock: Clock
  /** Oldest first. Keyed by a hash: no secret is kept. */
  readonly #known = new Map<string, Known>()
  readonly #guesses: TokenBuckets
  readonly #clients: TokenBuckets | null
  /** Passwords being looked at, by name of their bucket: many tries at once are no way around the brake. */
  readonly #underWay = new Map<string, number>()
  readonly #stopListening: () => void

  /** @param failuresPerMinute of one client address; 0: no limit */
  constructor(core: AuthenticatingCore, clock: Clock, failuresPerMinute: number) {
    this.#core = core
    this.#clock = clock
    this.#guesses = new TokenBuckets(clock, PASSWORD_FAILURES_PER_MINUTE, PASSWORD_FAILURES_BURST)
    this.#clients = failuresPerMinute > 0 ? new TokenBuckets(clock, failuresPerMinute, failuresPerMinute) : null
    this.#stopListening = core.onStateChange(({ changed }) => {
      if (CREDENTIAL_TYPES.some((type) => type in changed)) this.#known.clear()
    })
  }

  /** The principal, or null: wrong, or guessed at too often to be looked at (`secondsToWait` tells which). */
  async authenticate(given: Credential): Promise<Principal | null> {
    if (isTooLong(given)) return null
    const credential = { ...given, ip: plainAddress(given.ip) }
    const key = cacheKey(credential)
    const known = this.#known.get(key)
    if (known && known.until > this.#clock.now()) return known.answer
    // An API key cannot be guessed, and a good one must not suffer from its neighbours: it is always looked at.
    if (credential.kind === 'password' && this.secondsToWait(credential) > 0) return null
    // Requests that come while it is being looked at wait for the same answer.
    const answer = this.#look(credential)
    this.#remember(key, answer)
    const principal = await answer.catch((error: unknown) => {
      this.#known.delete(key)
      throw error
    })
    if (!principal) this.#known.delete(key)
    return principal
  }

  /** Seconds until this client may fail again with a credential of this kind; 0: now. */
  secondsToWait(credential: Credential): number {
    const waits = this.#bucketsOf(credential).map(([buckets, name]) =>
      // Tokens come in parts: the last bit of rounding must not cost another second.
      buckets.tokens(name) - (this.#underWay.get(name) ?? 0) < 1 - ROUNDING ? buckets.secondsToToken(name) : 0,
    )
    return Math.max(0, ...waits)
  }

  close(): void {
    this.#stopListening()
    this.#known.clear()
  }

  async #look(credential: Credential): Promise<Principal | null> {
    const buckets = this.#bucketsOf(credential)
    for (const [, name] of buckets) this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1)
    try {
      const principal = await this.#core.authenticate(credential)
      if (!principal) for (const [bucket, name] of buckets) if (bucket.tokens(name) >= 1 - ROUNDING) bucket.take(name)
      return principal
    } finally {
      for (const [, name] of buckets) {
        const left = this.#underWay.get(name)! - 1
        if (left > 0) this.#underWay.set(name, left)
        else this.#underWay.delete(name)
      }
    }
  }

  #bucketsOf(credential: Credential): [TokenBuckets, name: string][] {
    const client = addressGroup(credential.ip)
    const buckets: [TokenBuckets, string][] = []
    // A program that goes on with a revoked key must not lock out the people behind the same address.
    if (this.#clients) buckets.push([this.#clients, `${credential.kind} ${client}`])
    if (credential.kind === 'password')
      buckets.push([this.#guesses, `${client} ${credential.address.trim().toLowerCase()}`])
    return buckets
  }

  #remember(key: string, answer: Promise<Principal | null>): void {
    this.#known.delete(key)
    this.#known.set(key, { answer, until: this.#clock.now() + AUTH_CACHE_MS })
    if (this.#known.size > AUTH_CACHE_MAX) this.#known.delete(this.#known.keys().next().value!)
  }
}

function isTooLong(credential: Credential): boolean {
  return credential.kind === 'bearer'
    ? credential.token.length > CREDENTIAL_MAX_CHARS
    : credential.address.length > CREDENTIAL_MAX_CHARS || credential.password.length > CREDENTIAL_MAX_CHARS
}

function cacheKey(credential: Credential): string {
  const parts =
    credential.kind === 'bearer' ? [credential.token] : [credential.address.toLowerCase(), credential.password]
  return hash('sha256', JSON.stringify([credential.kind, credential.ip, ...parts]), 'base64')
}
