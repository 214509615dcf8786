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
  /** Probes chosen so far, and how many of them were extra. */
  #chosen = 0
  #extra = 0

  constructor(room: QueueRoom | null, paces: Paces) {
    this.#room = room
    this.#paces = paces
    this.#free = new Map(room?.destinations)
    this.#proven = new Set(room?.probes.proven)
    this.#work = new Map(room?.organizations)
    this.#probes = new Map(room?.probes.organizations)
  }

  /** Excludes destinations and organizations without room. @param areNew as for `from` */
  filter(areNew = false): DueFilter {
    const organizations = new Set([...this.#work.keys(), ...this.#probes.keys(), ...this.#paces.keys()])
    const hasWork = (one: number) => this.#hasRoom(one)
    const hasProbes = this.#hasProbes(false) || (areNew && this.#hasProbes(true))
    const withoutProbes = [...organizations].filter((one) => hasWork(one) && !this.#hasRoomForProbe(one, areNew))
    return {
      busyDestinations: [...this.#free].filter(([, free]) => free <= 0).map(([name]) => name),
      busyOrganizations: [...organizations].filter((one) => !hasWork(one)),
      provenOnly: hasProbes ? withoutProbes : 'all',
      proven: !hasProbes || withoutProbes.length > 0 ? [...this.#proven] : [],
    }
  }

  /** Chooses among rows, and counts what it chooses. @param areNew they are new and were not tried yet */
  from(rows: readonly DueRow[], limit: number, areNew = false): DueRow[] {
    const waiting = Map.groupBy(rows, ({ organization }) => organization)
    const chosen: DueRow[] = []
    while (chosen.length < limit) {
      const next = this.#leastServed(waiting)
      if (next === null) break
      const row = waiting.get(next)!.shift()!
      if (waiting.get(next)!.length === 0) waiting.delete(next)
      if (this.#take(row, areNew)) chosen.push(row)
    }
    return chosen
  }

  #take({ destination, organization }: DueRow, isNew: boolean): boolean {
    const free = this.#free.get(destination) ?? this.#room?.perDestination ?? Number.POSITIVE_INFINITY
    const isProbe = this.#room !== null && !this.#proven.has(destination)
    if (free <= 0 || !(isProbe ? this.#hasRoomForProbe(organization, isNew) : this.#hasRoom(organization))) return false
    if (isProbe) {
      if (!this.#hasOrdinaryRoom(organization)) this.#extra++
      this.#chosen++
    }
    this.#free.set(destination, free - 1)
    const counts = isProbe ? this.#probes : this.#work
    counts.set(organization, (counts.get(organization) ?? 0) + 1)
    return true
  }

  #leastServed(waiting: ReadonlyMap<number, unknown>): number | null {
    let least: number | null = null
    for (const organization of waiting.keys()) {
      if (!this.#hasRoom(organization)) continue
      if (least === null || this.#served(organization) < this.#served(least)) least = organization
    }
    return least
  }

  #served(organization: number): number {
    return (this.#work.get(organization) ?? 0) + (this.#probes.get(organization) ?? 0)
  }

  #hasRoom(organization: number): boolean {
    return this.#isBelow(this.#work, organization, this.#room?.perOrganization)
  }

  #hasRoomForProbe(organization: number, isNew: boolean): boolean {
    if (this.#hasOrdinaryRoom(organization)) return true
    const cap = this.#room?.probes.perOrganizationForNew
    return isNew && this.#hasProbes(true) && this.#isBelow(this.#probes, organization, cap)
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
