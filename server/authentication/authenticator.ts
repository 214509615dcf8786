/**
 * Authentication for every listener: the core's, behind a cache of what was found good and a brake on guessing. HTTP, REST and SMTP
 * submission share it, so that a password is guessed no faster by asking at several doors. It decides nothing itself about who may
 * do what.
 */
import { hash } from 'node:crypto'
import type { Credential } from '../../jmap/authentication.ts'
import { normaliseAddress } from '../../jmap/mail/addresses.ts'
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { addressGroup, plainAddress } from '../base/http/client-address.ts'
import { TokenBuckets } from '../base/http/token-buckets.ts'
import { AUTH_CACHE_MAX, AUTH_CACHE_MS, CREDENTIAL_MAX_CHARS } from '../base/limits.ts'
import {
  GUESS_ACCOUNTS_MAX,
  GUESS_PLACES_MAX,
  GUESSES_PER_ACCOUNT,
  GUESSES_PER_ACCOUNT_SECONDS,
  GUESSES_PER_PLACE,
  GUESSES_PER_PLACE_SECONDS,
  KNOWN_PLACE_SECONDS,
  KNOWN_PLACES_MAX,
} from '../base/login-limits.ts'
import type { Principal } from '../base/principal.ts'
import { LoginAttempts } from './login-attempts.ts'

interface Known {
  readonly answer: Promise<Principal | null>
  /** Epoch ms. */
  readonly until: number
}

type AuthenticatingCore = Pick<Core, 'authenticate' | 'onStateChange'>

/** One of the limits that a credential comes under. */
interface Brake {
  readonly name: string
  secondsToWait(): number
  fail(): void
}

const ROUNDING = 1e-6

/** However an address is written, it is one account's. */
function namesOf({ address, ip }: Extract<Credential, { kind: 'password' }>): { place: string; account: string } {
  const account = `account ${normaliseAddress(address) ?? address.trim().toLowerCase()}`
  return { place: `${addressGroup(ip)} ${account}`, account }
}

/** Types whose changes take credentials away. */
const CREDENTIAL_TYPES = ['ApiKey', 'MailAccount', 'Organization'] as const

export class Authenticator {
  readonly #core: AuthenticatingCore
  readonly #clock: Clock
  /** Oldest first. Keyed by a hash: no secret is kept. */
  readonly #known = new Map<string, Known>()
  /** Wrong passwords by account and client, and by account. */
  readonly #places: LoginAttempts
  readonly #accounts: LoginAttempts
  /** Clients that an account was let in from. */
  readonly #familiar: LoginAttempts
  /** Failures by client alone. */
  readonly #clients: TokenBuckets | null
  /** Credentials being looked at, by what they are counted under: many tries at once are no way around the brake. */
  readonly #underWay = new Map<string, number>()
  readonly #stopListening: () => void

  /** @param failuresPerMinute of one client address; 0: no limit */
  constructor(core: AuthenticatingCore, clock: Clock, failuresPerMinute: number) {
    this.#core = core
    this.#clock = clock
    this.#places = new LoginAttempts(clock, GUESSES_PER_PLACE_SECONDS, GUESS_PLACES_MAX)
    this.#accounts = new LoginAttempts(clock, GUESSES_PER_ACCOUNT_SECONDS, GUESS_ACCOUNTS_MAX)
    this.#familiar = new LoginAttempts(clock, KNOWN_PLACE_SECONDS, KNOWN_PLACES_MAX)
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
    return Math.max(0, ...this.#brakesOf(credential).map((brake) => brake.secondsToWait()))
  }

  close(): void {
    this.#stopListening()
    this.#known.clear()
  }

  async #look(credential: Credential): Promise<Principal | null> {
    const brakes = this.#brakesOf(credential)
    for (const { name } of brakes) this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1)
    try {
      const principal = await this.#core.authenticate(credential)
      if (!principal) for (const brake of brakes) brake.fail()
      else if (credential.kind === 'password') {
        const { place } = namesOf(credential)
        this.#places.forget(place)
        this.#familiar.add(place)
      }
      return principal
    } finally {
      for (const { name } of brakes) {
        const left = this.#underWay.get(name)! - 1
        if (left > 0) this.#underWay.set(name, left)
        else this.#underWay.delete(name)
      }
    }
  }

  /** What a credential is counted under if it is wrong. */
  #brakesOf(credential: Credential): Brake[] {
    const client = `${credential.kind} ${addressGroup(credential.ip)}`
    // A program that goes on with a revoked key must not lock out the people behind the same address.
    const clients = this.#clients ? [this.#bucket(this.#clients, client)] : []
    if (credential.kind !== 'password') return clients
    const { place, account } = namesOf(credential)
    const brakes = [this.#table(this.#places, place, GUESSES_PER_PLACE)]
    // Who guesses elsewhere, or at others from the same address, must not lock out whose account it is.
    const others = [this.#table(this.#accounts, account, GUESSES_PER_ACCOUNT), ...clients]
    const counted =
      this.#familiar.count(place) > 0 ? others.map((brake) => ({ ...brake, secondsToWait: () => 0 })) : others
    return [...brakes, ...counted]
  }

  #bucket(buckets: TokenBuckets, name: string): Brake {
    return {
      name,
      // Tokens come in parts: the last bit of rounding must not cost another second.
      secondsToWait: () =>
        buckets.tokens(name) - (this.#underWay.get(name) ?? 0) < 1 - ROUNDING ? buckets.secondsToToken(name) : 0,
      fail: () => {
        if (buckets.tokens(name) >= 1 - ROUNDING) buckets.take(name)
      },
    }
  }

  #table(table: LoginAttempts, name: string, limit: number): Brake {
    return {
      name,
      secondsToWait: () =>
        table.count(name) + (this.#underWay.get(name) ?? 0) < limit ? 0 : Math.max(1, table.secondsLeft(name)),
      fail: () => table.add(name),
    }
  }

  #remember(key: string, answer: Promise<Principal | null>): void {
    this.#known.delete(key)
    this.#known.set(key, { answer, until: this.#clock.now() + AUTH_CACHE_MS })
    forgetOldest(this.#known, AUTH_CACHE_MAX)
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
