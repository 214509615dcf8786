/**
 * Expands many events for one answer, so that none of them keeps the others from it: an invitation may bring any rule. Each event has a
 * share that is enough for what people plan. Those that need more come after all others, the smaller ones first.
 */
import {
  RECURRENCE_INSTANCES_MAX,
  RECURRENCE_SHARE_INSTANCES,
  RECURRENCE_SHARE_STEPS,
  RECURRENCE_STEPS_MAX,
} from '../../../server/base/calendar-limits.ts'
import { type ExpandOptions, expandInto, type Part, type TimeRange } from './expand.ts'
import { type Instance, InstanceColumns } from './instance-columns.ts'
import type { Prepared } from './prepare.ts'
import { type RecurrenceError, Work } from './work.ts'

interface Waiting<T> {
  readonly of: T
  readonly event: Prepared
  readonly floatingZone: string
  readonly part: Part
}

export interface Cut<T> {
  readonly of: T
  readonly instances: readonly Instance[]
  readonly error: RecurrenceError
}

/** Instances of an event in the rounds after the first. */
const ROUNDS = [2_000, RECURRENCE_INSTANCES_MAX]

/** Steps of a round for all of its events: less than a call for four of them costs. */
const ROUND_STEPS = 4 * RECURRENCE_STEPS_MAX

export class SharedExpansion<T> {
  readonly #range: TimeRange
  readonly #give: (of: T, instances: InstanceColumns) => void
  /** Of one event at a time. */
  readonly #found = new InstanceColumns()
  #waiting: Waiting<T>[] = []

  /** @param give gets all instances of an event, which it must not keep */
  constructor(range: TimeRange, give: (of: T, instances: InstanceColumns) => void) {
    this.#range = range
    this.#give = give
  }

  /** @param floatingZone IANA name, in which a floating event is seen */
  add(of: T, event: Prepared, floatingZone: string): void {
    const limits = { maxInstances: RECURRENCE_SHARE_INSTANCES, work: new Work(RECURRENCE_SHARE_STEPS) }
    const error = this.#expand(event, { floatingZone, ...limits })
    if (error === null) this.#give(of, this.#found)
    else this.#waiting.push({ of, event, floatingZone, part: { instances: this.#found.inOrder(), error } })
  }

  /** No event needs more than its share: what each has does not depend on the others. */
  get isEven(): boolean {
    return this.#waiting.length === 0
  }

  /**
   * Gives what waits, if all of it can be calculated.
   * @param room instances that may still be given
   * @returns what was not given: events with their earliest instances, in the room that is left for them, and why these are not all
   */
  finish(room: number): Cut<T>[] {
    let left = room
    for (const most of ROUNDS) left = this.#round(most, left)
    const cut = this.#waiting
    return cut.map(({ of, part }, index) => {
      const instances = part.instances.slice(0, Math.max(0, Math.floor(left / (cut.length - index))))
      left -= instances.length
      return { of, instances, error: part.error! }
    })
  }

  /** @returns the room that is left after the events that fit */
  #round(most: number, room: number): number {
    let left = room
    let steps = ROUND_STEPS
    this.#waiting = this.#waiting.flatMap((one) => {
      const { of, event, floatingZone, part: before } = one
      if (steps <= 0 || left <= 0) return [one]
      const work = new Work(Math.min(steps, RECURRENCE_STEPS_MAX))
      const error = this.#expand(event, { floatingZone, maxInstances: Math.min(most, left), work })
      steps -= work.spent
      const found = this.#found
      if (error !== null)
        return [found.length < before.instances.length ? one : { ...one, part: { instances: found.inOrder(), error } }]
      left -= found.length
      this.#give(of, found)
      return []
    })
    return left
  }

  #expand(event: Prepared, options: ExpandOptions): RecurrenceError | null {
    this.#found.clear()
    return expandInto(this.#found, event, this.#range, options)
  }
}
