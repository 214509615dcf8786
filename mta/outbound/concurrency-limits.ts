/**
 * Counts the submissions and octets that a worker is working on. Attempts at destinations that do not answer are probes. Probes have their own
 * limits, so that dead hosts take no room from mail that can be sent (promise Q4).
 */

import type { QueueRoom } from '../../jmap/mail/submission/fair-scheduler.ts'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { Clock } from '../../server/base/clock.ts'
import { TokenBuckets } from '../../server/base/http/token-buckets.ts'
import {
  QUEUE_BULK,
  QUEUE_BULK_PER_ORGANIZATION,
  QUEUE_BYTES,
  QUEUE_CLAIM_MAX,
  QUEUE_CONCURRENCY,
  QUEUE_PER_NEW_DESTINATION,
  QUEUE_PER_ORGANIZATION,
  QUEUE_PROBE_BYTES,
  QUEUE_PROBES,
  QUEUE_PROBES_FOR_NEW,
  QUEUE_PROBES_FOR_NEW_BURST,
  QUEUE_PROBES_FOR_NEW_PER_MINUTE,
  QUEUE_PROBES_PER_ORGANIZATION,
  QUEUE_PROBES_PER_ORGANIZATION_FOR_NEW,
  QUEUE_PROBES_REFILL,
} from '../../server/base/outbound-limits.ts'
import { type Contact, Destinations } from './destinations.ts'
import { LimitedCount, LimitedCounts } from './limited-counts.ts'

/** Attempts of one kind that are under way. */
class Share {
  /** Held until the report is stored. */
  readonly total: LimitedCount
  readonly bytes: LimitedCount
  /** Held until the attempt is over. */
  readonly organizations: LimitedCounts<number>

  constructor(limits: { total: number; bytes: number; perOrganization: number; refill?: number }) {
    this.total = new LimitedCount(limits.total, limits.refill)
    this.bytes = new LimitedCount(limits.bytes)
    this.organizations = new LimitedCounts(limits.perOrganization, limits.refill)
  }

  get free(): number {
    return this.bytes.isFull ? 0 : this.total.free
  }

  /** Whether room became free. */
  hold({ bytes }: QueuedSubmission, change: 1 | -1): boolean {
    const freed = [this.total.add(change), this.bytes.add(change * bytes.length)]
    return freed.includes(true)
  }
}

interface Attempt {
  share: Share
  isOver: boolean
}

export class ConcurrencyLimits {
  readonly #work = new Share({
    total: QUEUE_CONCURRENCY,
    bytes: QUEUE_BYTES,
    perOrganization: QUEUE_PER_ORGANIZATION,
  })
  readonly #probes = new Share({
    total: QUEUE_PROBES,
    bytes: QUEUE_PROBE_BYTES,
    perOrganization: QUEUE_PROBES_PER_ORGANIZATION,
    refill: QUEUE_PROBES_REFILL,
  })
  /** Of newsletters, in both shares. Held until the report is stored: so many messages at most come twice after a kill (promise N2). */
  readonly #bulk = new LimitedCount(QUEUE_BULK)
  readonly #bulkOrganizations = new LimitedCounts<number>(QUEUE_BULK_PER_ORGANIZATION)
  readonly #destinations = new Destinations()
  readonly #clock: Clock
  readonly #extra: TokenBuckets
  readonly #attempts = new Map<QueuedSubmission, Attempt>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#extra = new TokenBuckets(clock, QUEUE_PROBES_FOR_NEW_PER_MINUTE, QUEUE_PROBES_FOR_NEW_BURST)
  }

  add(submission: QueuedSubmission): void {
    // The result at a relay of the sender does not concern the destination, to which other organizations send too.
    if (submission.relay === null) this.#destinations.begin(submission, this.#clock.now())
    const share = this.#isProbe(submission) ? this.#probes : this.#work
    this.#attempts.set(submission, { share, isOver: false })
    share.hold(submission, 1)
    share.organizations.add(submission.organization, 1)
    if (submission.isBulk) {
      this.#bulk.add(1)
      this.#bulkOrganizations.add(submission.organization, 1)
    }
    if (share !== this.#probes) return
    const { total, organizations } = share
    const isExtra = total.count > PROBES || organizations.of(submission.organization) > PROBES_PER_ORGANIZATION
    if (isExtra) this.#extra.take(EXTRA)
  }

  /** The attempt has ended, and its report is still to be stored: it no longer counts for destination and organization. Whether room became free. */
  attempted(submission: QueuedSubmission, contact: Contact): boolean {
    const attempt = this.#attempts.get(submission)
    if (!attempt || attempt.isOver) return false
    attempt.isOver = true
    const freed = [attempt.share.organizations.add(submission.organization, -1)]
    if (submission.relay === null) {
      freed.push(this.#destinations.end(submission, contact, this.#clock.now()))
      this.#sort(submission.destination)
    }
    return freed.includes(true)
  }

  /** The report is stored too. Whether room became free. */
  remove(submission: QueuedSubmission): boolean {
    const attempt = this.#attempts.get(submission)
    this.#attempts.delete(submission)
    if (!attempt) return false
    const freed = [attempt.share.hold(submission, -1)]
    if (submission.isBulk) freed.push(this.#bulk.add(-1), this.#bulkOrganizations.add(submission.organization, -1))
    return freed.includes(true)
  }

  /** Messages that may be claimed now. */
  get free(): number {
    for (const name of this.#destinations.stalled(this.#clock.now())) this.#sort(name)
    return this.#work.free
  }

  /** Whether further submissions to its destination, or of its organization, have to wait. */
  isFull(submission: QueuedSubmission): boolean {
    const { organizations } = this.#isProbe(submission) ? this.#probes : this.#work
    const { organization, isBulk } = submission
    return (
      this.#destinations.isFull(submission, this.#clock.now()) ||
      organizations.full.has(organization) ||
      (isBulk && (this.#bulk.isFull || this.#bulkOrganizations.full.has(organization)))
    )
  }

  /** Whether a claim took all slots that its room had for a destination that has more slots: room() names only destinations in use. */
  mayHaveMore(claimed: readonly QueuedSubmission[]): boolean {
    const now = this.#clock.now()
    const destinations = Map.groupBy(claimed, ({ destination }) => destination)
    return [...destinations].some(
      ([, of]) => of.length >= fewest(of) && of.some((submission) => !this.#destinations.isFull(submission, now)),
    )
  }

  room(): QueueRoom {
    const now = this.#clock.now()
    const { organizations } = this.#probes
    // If no more probes may be claimed, all destinations that answer must be named.
    const isTight =
      this.#probes.free < QUEUE_PROBES_FOR_NEW + QUEUE_CLAIM_MAX || organizations.atLeast(QUEUE_PROBES_TIGHT)
    return {
      perDestination: QUEUE_PER_NEW_DESTINATION,
      destinations: this.#destinations.room(now, isTight),
      perOrganization: QUEUE_PER_ORGANIZATION,
      organizations: this.#work.organizations.entries(),
      probes: {
        extra: Math.floor(this.#extra.tokens(EXTRA)),
        free: Math.max(0, this.#probes.free - QUEUE_PROBES_FOR_NEW),
        freeForNew: this.#probes.free,
        perOrganization: PROBES_PER_ORGANIZATION,
        perOrganizationForNew: QUEUE_PROBES_PER_ORGANIZATION,
        organizations: organizations.entries(),
        proven: this.#destinations.proven(now, isTight),
      },
      bulk: {
        free: this.#bulk.free,
        destinations: this.#destinations.room(now, isTight, 'bulk'),
        perOrganization: QUEUE_BULK_PER_ORGANIZATION,
        organizations: this.#bulkOrganizations.entries(),
      },
      isCrowded: this.#probes.total.count > QUEUE_PROBES / 2,
    }
  }

  #isProbe({ relay, destination }: QueuedSubmission): boolean {
    return relay === null && !this.#destinations.isProven(destination)
  }

  /** Counts the attempts at a destination by its present state. */
  #sort(name: string): void {
    for (const submission of this.#destinations.attemptsAt(name)) {
      const attempt = this.#attempts.get(submission)
      const share = this.#isProbe(submission) ? this.#probes : this.#work
      if (!attempt || attempt.share === share) continue
      attempt.share.hold(submission, -1)
      attempt.share.organizations.add(submission.organization, -1)
      attempt.share = share
      share.hold(submission, 1)
      share.organizations.add(submission.organization, 1)
    }
  }
}

/** Probes, of all and of one organization, without those that are kept for new mail. */
const PROBES = QUEUE_PROBES - QUEUE_PROBES_FOR_NEW
const PROBES_PER_ORGANIZATION = QUEUE_PROBES_PER_ORGANIZATION - QUEUE_PROBES_PER_ORGANIZATION_FOR_NEW

/** Slots that a claim has for a destination which its room does not name. */
function fewest(claimed: readonly QueuedSubmission[]): number {
  return claimed.some(({ isBulk }) => isBulk) ? 1 : QUEUE_PER_NEW_DESTINATION
}

/** Name of the only bucket. */
const EXTRA = ''

/** Attempts of an organization from which on a claim could use up its share of probes. */
const QUEUE_PROBES_TIGHT = PROBES_PER_ORGANIZATION - QUEUE_CLAIM_MAX
