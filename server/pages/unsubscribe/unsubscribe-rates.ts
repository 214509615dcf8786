/** How often one link may be used, and how often one client may try links that this server did not make. Counts are in memory. */
import { createHash } from 'node:crypto'
import { FORGED_LINKS_PER_MINUTE, RECIPIENT_LINK_VISITS_PER_MINUTE } from '../../base/audience-limits.ts'
import type { Clock } from '../../base/clock.ts'
import { addressGroup } from '../../base/http/client-address.ts'
import { TokenBuckets, takeEach } from '../../base/http/token-buckets.ts'

export class UnsubscribeRates {
  readonly #links: TokenBuckets
  readonly #forged: TokenBuckets

  constructor(clock: Clock) {
    this.#links = new TokenBuckets(clock, RECIPIENT_LINK_VISITS_PER_MINUTE, RECIPIENT_LINK_VISITS_PER_MINUTE)
    this.#forged = new TokenBuckets(clock, FORGED_LINKS_PER_MINUTE, FORGED_LINKS_PER_MINUTE)
  }

  /** null: the link may be used. Else the seconds until it may. */
  visit(token: string): number | null {
    return takeEach([[this.#links, createHash('sha256').update(token).digest('base64')]])
  }

  /** null: the client may try another link. Else the seconds until it may. */
  forged(ip: string): number | null {
    return takeEach([[this.#forged, addressGroup(ip)]])
  }
}
