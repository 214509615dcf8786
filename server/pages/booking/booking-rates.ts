/** How often one client may look and book, and how often bookings and moves may write to one address. Counts are in memory. */

import {
  BOOKING_LOOKS_PER_MINUTE,
  BOOKINGS_PER_ADDRESS_PER_HOUR,
  BOOKINGS_PER_ORGANIZATION_PER_HOUR,
} from '../../base/booking-limits.ts'
import type { Clock } from '../../base/clock.ts'
import { addressGroup } from '../../base/http/client-address.ts'
import { TokenBuckets, takeEach } from '../../base/http/token-buckets.ts'

const HOUR_MINUTES = 60

export class BookingRates {
  /** null: no limits. */
  readonly #limits: {
    readonly looks: TokenBuckets
    readonly clients: TokenBuckets
    readonly addresses: TokenBuckets
    readonly organizations: TokenBuckets
  } | null

  /** @param perHour bookings of one client; 0: no limits at all */
  constructor(clock: Clock, perHour: number) {
    const hourly = (count: number) => new TokenBuckets(clock, count / HOUR_MINUTES, count)
    this.#limits =
      perHour === 0
        ? null
        : {
            looks: new TokenBuckets(clock, BOOKING_LOOKS_PER_MINUTE, BOOKING_LOOKS_PER_MINUTE),
            clients: hourly(perHour),
            addresses: hourly(BOOKINGS_PER_ADDRESS_PER_HOUR),
            organizations: hourly(BOOKINGS_PER_ORGANIZATION_PER_HOUR),
          }
  }

  /** null: the client may look. Else the seconds until it may. */
  look(ip: string): number | null {
    if (!this.#limits) return null
    return takeEach([[this.#limits.looks, addressGroup(ip)]])
  }

  /**
   * The same for a booking, and for a move of one. The answer does not show which limit was reached.
   * @param organization its slug
   * @param mailed addresses of the invitee and the guests, normalised: a stranger may have typed all of them
   */
  book(ip: string, organization: string, mailed: readonly string[]): number | null {
    if (!this.#limits) return null
    const { clients, addresses, organizations } = this.#limits
    return takeEach([
      [clients, addressGroup(ip)],
      [organizations, organization],
      ...[...new Set(mailed)].map((address): [TokenBuckets, string] => [addresses, address]),
    ])
  }
}
