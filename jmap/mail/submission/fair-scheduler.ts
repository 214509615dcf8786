/** Which of the due rows of the queue a worker gets (promise Q4). */
import type { DueFilter, DueRows } from '../../../storage/repos/outgoing-due.ts'
import type { Paces } from '../../policy/reputation/pace.ts'

/** What a worker may claim in addition to what it is sending. */
export interface QueueRoom {
  /** Free slots of each destination that `destinations` does not name. */
  readonly perDestination: number
  readonly destinations: readonly (readonly [name: string, free: number])[]
  /** Attempts under way at destinations that answer: the limit for one organization, and the count of each. */
  readonly perOrganization: number
  readonly organizations: Counts
  readonly probes: ProbeRoom
  readonly bulk: BulkRoom
  /** Whether many destinations do not answer. Then a part of the claim is taken from the newest mail. */
  readonly isCrowded: boolean
}

/** Room for attempts at destinations that do not answer or are not known. */
export interface ProbeRoom {
  /** New mail that was not tried yet may use `freeForNew`; at most `extra` of its probes may exceed what other mail may use. */
  readonly extra: number
  readonly free: number
  readonly freeForNew: number
  readonly perOrganization: number
  readonly perOrganizationForNew: number
  readonly organizations: Counts
  /** The destinations that answer: mail to them is no probe. */
  readonly proven: readonly string[]
}

/** Room for mail of newsletters, which is a part of the other room: the rest is kept for single messages. */
export interface BulkRoom {
  readonly free: number
  readonly destinations: QueueRoom['destinations']
  readonly perOrganization: number
  readonly organizations: Counts
}

/** `new`: not tried yet, and due since a short time. `bulk`: of a newsletter. */
export type MailKind = 'new' | 'other' | 'bulk'

type Counts = readonly (readonly [organization: number, count: number])[]

type DueRow = DueRows['rows'][number]

/** No destination and no organization gets more than its room, and the organization with the least under way comes first. */
export class FairScheduler {
  readonly #room: QueueRoom | null
  readonly #paces: Paces
  readonly #free: Map<string, number>
  readonly #proven: ReadonlySet<string>
  readonly #work: Map<number, number>
  readonly #probes: Map<number, number>
  readonly #freeForBulk: Map<string, number>
  readonly #bulkOf: Map<number, number>
  #bulk = 0
  /** Probes chosen so far, and how many of them were extra. */
  #chosen = 0
  #extra = 0

  constructor(room: QueueRoom | null, paces: Paces) {
    this.#room = room
    this.#paces = paces
    this.#free = new Map(room?.destinations)
    this.#freeForBulk = new Map(room?.bulk.destinations)
    this.#proven = new Set(room?.probes.proven)
    this.#work = new Map(room?.organizations)
    this.#probes = new Map(room?.probes.organizations)
    this.#bulkOf = new Map(room?.bulk.organizations)
  }

  get hasRoomForBulk(): boolean {
    return this.#room === null || this.#bulk < this.#room.bulk.free
  }

  /** Excludes destinations and organizations without room. */
  filter(kind: MailKind = 'other'): DueFilter {
    const areNew = kind === 'new'
    const isBulk = kind === 'bulk'
    const free = isBulk ? this.#freeForBulk : this.#free
    const organizations = new Set(
      [this.#work, this.#probes, this.#bulkOf, this.#paces].flatMap((one) => [...one.keys()]),
    )
    const hasWork = (one: number) => this.#hasRoom(one, isBulk)
    const hasProbes = this.#hasProbes(false) || (areNew && this.#hasProbes(true))
    const withoutProbes = [...organizations].filter((one) => hasWork(one) && !this.#hasRoomForProbe(one, kind))
    return {
      busyDestinations: [...free].filter(([, slots]) => slots <= 0).map(([name]) => name),
      busyOrganizations: [...organizations].filter((one) => !hasWork(one)),
      provenOnly: hasProbes ? withoutProbes : 'all',
      proven: !hasProbes || withoutProbes.length > 0 ? [...this.#proven] : [],
    }
  }

  /** Chooses among rows of one kind, and counts what it chooses. */
  from(rows: readonly DueRow[], limit: number, kind: MailKind = 'other'): DueRow[] {
    const waiting = Map.groupBy(rows, ({ organization }) => organization)
    const chosen: DueRow[] = []
    while (chosen.length < limit && (kind !== 'bulk' || this.hasRoomForBulk)) {
      const next = this.#leastServed(waiting, kind === 'bulk')
      if (next === null) break
      const row = waiting.get(next)!.shift()!
      if (waiting.get(next)!.length === 0) waiting.delete(next)
      if (this.#take(row, kind)) chosen.push(row)
    }
    return chosen
  }

  #take({ destination, organization }: DueRow, kind: MailKind): boolean {
    const isBulk = kind === 'bulk'
    const unnamed = this.#room?.perDestination ?? Number.POSITIVE_INFINITY
    const free = this.#free.get(destination) ?? unnamed
    const freeForBulk = this.#freeForBulk.get(destination) ?? (this.#room === null ? unnamed : 1)
    const isProbe = this.#room !== null && !this.#proven.has(destination)
    if (free <= 0 || (isBulk && freeForBulk <= 0)) return false
    if (!(isProbe ? this.#hasRoomForProbe(organization, kind) : this.#hasRoom(organization, isBulk))) return false
    if (isProbe) {
      if (!this.#hasOrdinaryRoom(organization)) this.#extra++
      this.#chosen++
    }
    this.#free.set(destination, free - 1)
    this.#freeForBulk.set(destination, freeForBulk - 1)
    if (isBulk) {
      this.#bulk++
      this.#bulkOf.set(organization, (this.#bulkOf.get(organization) ?? 0) + 1)
    }
    const counts = isProbe ? this.#probes : this.#work
    counts.set(organization, (counts.get(organization) ?? 0) + 1)
    return true
  }

  #leastServed(waiting: ReadonlyMap<number, unknown>, isBulk: boolean): number | null {
    let least: number | null = null
    for (const organization of waiting.keys()) {
      if (!this.#hasRoom(organization, isBulk)) continue
      if (least === null || this.#served(organization) < this.#served(least)) least = organization
    }
    return least
  }

  #served(organization: number): number {
    return (this.#work.get(organization) ?? 0) + (this.#probes.get(organization) ?? 0)
  }

  #hasRoom(organization: number, isBulk: boolean): boolean {
    if (isBulk && !this.#isBelow(this.#bulkOf, organization, this.#room?.bulk.perOrganization)) return false
    return this.#isBelow(this.#work, organization, this.#room?.perOrganization)
  }

  #hasRoomForProbe(organization: number, kind: MailKind): boolean {
    if (kind === 'bulk' && !this.#isBelow(this.#bulkOf, organization, this.#room?.bulk.perOrganization)) return false
    if (this.#hasOrdinaryRoom(organization)) return true
    const cap = this.#room?.probes.perOrganizationForNew
    return kind === 'new' && this.#hasProbes(true) && this.#isBelow(this.#probes, organization, cap)
  }

  #hasOrdinaryRoom(organization: number): boolean {
    return this.#hasProbes(false) && this.#isBelow(this.#probes, organization, this.#room?.probes.perOrganization)
  }

  #hasProbes(areNew: boolean): boolean {
    const probes = this.#room?.probes
    if (!probes) return true
    return areNew ? this.#chosen < probes.freeForNew && this.#extra < probes.extra : this.#chosen < probes.free
  }

  #isBelow(counts: ReadonlyMap<number, number>, organization: number, cap = Number.POSITIVE_INFINITY): boolean {
    const pace = this.#paces.get(organization) ?? 1
    // An organization that may send has room for at least one.
    return (counts.get(organization) ?? 0) < (pace === 0 ? 0 : Math.max(1, cap * pace))
  }
}
