/** Instances of events, one or many. A month of a large calendar has thousands: an object for each costs more than to calculate it. */

export type Instance = {
  /** The recurrence id, as local seconds in the event's time zone; `recurrenceId` (expand.ts) writes it. */
  readonly id: number
  /** Milliseconds since 1970, UTC. */
  readonly start: number
  /** Milliseconds since 1970, UTC; exclusive. */
  readonly end: number
}

/** Instances as columns: the members of `Instance`, each at the place of its instance. What is behind `length` is of no instance. */
export class InstanceColumns {
  readonly ids: number[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(id: number, start: number, end: number): void {
    const at = this.#length++
    this.ids[at] = id
    this.starts[at] = start
    this.ends[at] = end
  }

  /** The arrays keep their memory for the next instances. */
  clear(): void {
    this.#length = 0
  }

  /** By their start. Only overrides, several rules and gaps of the clock change the order. */
  inOrder(): Instance[] {
    const instances: Instance[] = []
    let isInOrder = true
    for (let at = 0; at < this.#length; at++) {
      const start = this.starts[at]!
      isInOrder &&= at === 0 || this.starts[at - 1]! < start
      instances.push({ id: this.ids[at]!, start, end: this.ends[at]! })
    }
    return isInOrder ? instances : instances.sort((a, b) => a.start - b.start || a.id - b.id)
  }
}
