/**
 * Authentication for every listener: the core's, behind a cache of valid credentials and limits on failed attempts. HTTP, REST and SMTP
 * submission share one instance, so that attempts over several protocols count together. It decides nothing about permissions.
 */
import { hash } from 'node:crypto'
import type { Credential } from '../../jmap/directory/authentication.ts'
import { normaliseAddress } from '../../jmap/message/mail-address.ts'
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { addressGroup, plainAddress } from '../base/http/client-address.ts'
import { TokenBuckets } from '../base/http/token-buckets.ts'
import { AUTH_CACHE_MAX, AUTH_CACHE_MS, CREDENTIAL_MAX_CHARS } from '../base/limits.ts'
import {
  GUESS_ACCOUNTS_MAX,
  GUESS_PLACES_MAX,
  GUESSES_BESIDE_DEVICE,
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

/** One of the limits on failed attempts that apply to a credential. */
interface AttemptLimit {
  readonly name: string
  secondsToWait(): number
  fail(): void
}

const ROUNDING = 1e-6

type PasswordCredential = Extract<Credential, { kind: 'password' }>

/** All spellings of an address count as one account. */
function namesOf({ address, ip }: PasswordCredential): { pair: string; account: string } {
  const account = `account ${normaliseAddress(address) ?? address.trim().toLowerCase()}`
  return { pair: `${addressGroup(ip)} ${account}`, account }
}

/** LoginAttempts keeps a part of a keyed hash of it. */
function deviceName(credential: PasswordCredential): string {
  return JSON.stringify([namesOf(credential).pair, credential.device ?? '', credential.password])
}

export class Authenticator {
  readonly #core: AuthenticatingCore
  readonly #clock: Clock
  /** Oldest first. The key is a hash, so that no secret stays in memory. */
  readonly #known = new Map<string, Known>()
  /** Wrong passwords by account and client, and by account. */
  readonly #byPair: LoginAttempts
  readonly #byAccount: LoginAttempts
  /** Pairs of account and client with a successful login. */
  readonly #successes: LoginAttempts
  /** Successful logins by account, client, device and password. */
  readonly #devices: LoginAttempts
  /** Logins that the limits refused, by account and client. */
  readonly #refused: LoginAttempts
  /** Failures by client. */
  readonly #byClient: TokenBuckets | null
  /** Attempts in progress, by the name that they count under, so that concurrent attempts cannot pass the limits. */
  readonly #inProgress = new Map<string, number>()
  readonly #stopListening: () => void

  /** @param failuresPerMinute of one client address; 0: no limit */
  constructor(core: AuthenticatingCore, clock: Clock, failuresPerMinute: number) {
    this.#core = core
    this.#clock = clock
    this.#byPair = new LoginAttempts(clock, GUESSES_PER_PLACE_SECONDS, GUESS_PLACES_MAX)
    this.#byAccount = new LoginAttempts(clock, GUESSES_PER_ACCOUNT_SECONDS, GUESS_ACCOUNTS_MAX)
    this.#successes = new LoginAttempts(clock, KNOWN_PLACE_SECONDS, KNOWN_PLACES_MAX)
    this.#devices = new LoginAttempts(clock, KNOWN_PLACE_SECONDS, KNOWN_PLACES_MAX)
    this.#refused = new LoginAttempts(clock, GUESSES_PER_PLACE_SECONDS, KNOWN_PLACES_MAX)
    this.#byClient = failuresPerMinute > 0 ? new TokenBuckets(clock, failuresPerMinute, failuresPerMinute) : null
    this.#stopListening = core.onStateChange(({ invalidatesCredentials }) => {
      if (invalidatesCredentials) this.#known.clear()
    })
  }

  /** The principal; null: the credential is wrong, or was refused because of too many failures (then `secondsToWait` is above 0). */
  async authenticate(given: Credential): Promise<Principal | null> {
    if (isTooLong(given)) return null
    const credential = { ...given, ip: plainAddress(given.ip) }
    // Its end is exact, and it costs little to check.
    if (credential.kind === 'url') return this.#check(credential)
    const key = cacheKey(credential)
    const known = this.#known.get(key)
    if (known && known.until > this.#clock.now()) return known.answer
    // API keys are always checked: they cannot be guessed, and failures from the same address must not lock out a valid one.
    if (credential.kind === 'password' && this.secondsToWait(credential) > 0 && !this.#isKnownDevice(credential))
      return null
    // Requests with the same credential that come meanwhile share the answer.
    const answer = this.#check(credential)
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
    return Math.max(0, ...this.#limitsOn(credential).map((limit) => limit.secondsToWait()))
  }

  close(): void {
    this.#stopListening()
    this.#known.clear()
  }

  /**
   * Whether this device has logged in with this password before. Guesses behind the same address must not lock it out. A guess that is
   * right would pass too, so only GUESSES_BESIDE_DEVICE are compared in a period.
   */
  #isKnownDevice(credential: PasswordCredential): boolean {
    const { pair } = namesOf(credential)
    if (this.#refused.count(pair) >= GUESSES_BESIDE_DEVICE) return false
    if (this.#devices.count(deviceName(credential)) > 0) return true
    this.#refused.add(pair)
    return false
  }

  async #check(credential: Credential): Promise<Principal | null> {
    const limits = this.#limitsOn(credential)
    const isLocked = this.secondsToWait(credential) > 0
    for (const { name } of limits) this.#inProgress.set(name, (this.#inProgress.get(name) ?? 0) + 1)
    try {
      const principal = await this.#core.authenticate(credential)
      if (!principal) for (const limit of limits) limit.fail()
      else if (credential.kind === 'password') {
        const { pair } = namesOf(credential)
        // The guesses of others still count.
        if (!isLocked) this.#byPair.forget(pair)
        this.#successes.add(pair)
        this.#devices.add(deviceName(credential))
      }
      return principal
    } finally {
      for (const { name } of limits) {
        const left = this.#inProgress.get(name)! - 1
        if (left > 0) this.#inProgress.set(name, left)
        else this.#inProgress.delete(name)
      }
    }
  }

  /** The limits that a wrong credential counts against. */
  #limitsOn(credential: Credential): AttemptLimit[] {
    const client = `${credential.kind} ${addressGroup(credential.ip)}`
    // A program that keeps using a revoked key must not lock out others behind the same address.
    const clients = this.#byClient ? [this.#bucket(this.#byClient, client)] : []
    if (credential.kind !== 'password') return clients
    const { pair, account } = namesOf(credential)
    const limits = [this.#table(this.#byPair, pair, GUESSES_PER_PLACE)]
    // Failures from other clients, or at other accounts from the same address, must not lock out the owner of the account.
    const others = [this.#table(this.#byAccount, account, GUESSES_PER_ACCOUNT), ...clients]
    const counted =
      this.#successes.count(pair) > 0 ? others.map((limit) => ({ ...limit, secondsToWait: () => 0 })) : others
    return [...limits, ...counted]
  }

  #bucket(buckets: TokenBuckets, name: string): AttemptLimit {
    return {
      name,
      // Tokens are fractions: a rounding error must not cost another second.
      secondsToWait: () =>
        buckets.tokens(name) - (this.#inProgress.get(name) ?? 0) < 1 - ROUNDING ? buckets.secondsToToken(name) : 0,
      fail: () => {
        if (buckets.tokens(name) >= 1 - ROUNDING) buckets.take(name)
      },
    }
  }

  #table(table: LoginAttempts, name: string, limit: number): AttemptLimit {
    return {
      name,
      secondsToWait: () =>
        table.count(name) + (this.#inProgress.get(name) ?? 0) < limit ? 0 : Math.max(1, table.secondsLeft(name)),
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
  return 'token' in credential
    ? credential.token.length > CREDENTIAL_MAX_CHARS
    : credential.address.length > CREDENTIAL_MAX_CHARS || credential.password.length > CREDENTIAL_MAX_CHARS
}

function cacheKey(credential: Credential): string {
  const parts =
    credential.kind === 'password' ? [credential.address.toLowerCase(), credential.password] : [credential.token]
  return hash('sha256', JSON.stringify([credential.kind, credential.ip, ...parts]), 'base64')
}
