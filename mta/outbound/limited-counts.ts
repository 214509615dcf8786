/** Counts with a limit. A count at its limit is full until a part of the limit is free again, so that claims are large and few. */

/** Part of a limit that has to be free again. */
const REFILL = 1 / 3

export class LimitedCount {
  #limit: number
  #count = 0
  #isFull = false
  readonly #refill: number | undefined

  /** @param refill how many have to be free again; default a third of the limit */
  constructor(limit: number, refill?: number) {
    this.#limit = limit
    this.#refill = refill
  }

  set limit(limit: number) {
    this.#limit = limit
    this.add(0)
  }

  get count(): number {
    return this.#count
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** 0 for one that is full. */
  get free(): number {
    return this.#isFull ? 0 : this.#limit - this.#count
  }

  /** Whether this change makes room again. */
  add(change: number): boolean {
    this.#count += change
    const wasFull = this.#isFull
    if (this.#count >= this.#limit) this.#isFull = true
    else if (this.#count <= this.#limit - (this.#refill ?? this.#limit * REFILL)) this.#isFull = false
    return wasFull && !this.#isFull
  }
}

export class LimitedCounts<K> {
  readonly #limit: number
  readonly #refill: number | undefined
  readonly #counts = new Map<K, LimitedCount>()
  /** Keys that have no room. */
  readonly full = new Set<K>()

  constructor(limit: number, refill?: number) {
    this.#limit = limit
    this.#refill = refill
  }

  /** Whether this change makes room again. */
  add(key: K, change: number): boolean {
    const one = this.#counts.get(key) ?? new LimitedCount(this.#limit, this.#refill)
    const isFreed = one.add(change)
    if (one.count > 0) this.#counts.set(key, one)
    else this.#counts.delete(key)
    if (one.isFull) this.full.add(key)
    else this.full.delete(key)
    return isFreed
  }

  of(key: K): number {
    return this.#counts.get(key)?.count ?? 0
  }

  /** Whether a key counts so many. */
  atLeast(count: number): boolean {
    return this.entries().some(([, one]) => one >= count)
  }

  /** The counts; a full key counts as its limit. */
  entries(): (readonly [K, number])[] {
    return [...this.#counts].map(([key, one]) => [key, one.isFull ? Math.max(this.#limit, one.count) : one.count])
  }
}
