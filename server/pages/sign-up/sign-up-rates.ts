/** How often one client may look and sign up, and how often an organization takes sign-ups. Counts are in memory. */
import { SIGN_UP_LOOKS_PER_MINUTE, SIGN_UPS_PER_ORGANIZATION_PER_HOUR } from '../../base/audience-limits.ts'
import type { Clock } from '../../base/clock.ts'
import { addressGroup } from '../../base/http/client-address.ts'
import { TokenBuckets, takeEach } from '../../base/http/token-buckets.ts'

const HOUR_MINUTES = 60

export class SignUpRates {
  readonly #looks: TokenBuckets
  readonly #clients: TokenBuckets
  readonly #organizations: TokenBuckets
  readonly #isOn: boolean

  /** @param perHour sign-ups of one client; 0: no limits at all */
  constructor(clock: Clock, perHour: number) {
    this.#isOn = perHour > 0
    this.#looks = new TokenBuckets(clock, SIGN_UP_LOOKS_PER_MINUTE, SIGN_UP_LOOKS_PER_MINUTE)
    this.#clients = new TokenBuckets(clock, perHour / HOUR_MINUTES, perHour)
    this.#organizations = new TokenBuckets(
      clock,
      SIGN_UPS_PER_ORGANIZATION_PER_HOUR / HOUR_MINUTES,
      SIGN_UPS_PER_ORGANIZATION_PER_HOUR,
    )
  }

  /** null: the client may look. Else the seconds until it may. */
  look(ip: string): number | null {
    return this.#isOn ? takeEach([[this.#looks, addressGroup(ip)]]) : null
  }

  /** The same for a sign-up. @param organization its slug: it may have many pages */
  signUp(ip: string, organization: string): number | null {
    if (!this.#isOn) return null
    return takeEach([
      [this.#clients, addressGroup(ip)],
      [this.#organizations, organization],
    ])
  }
}
