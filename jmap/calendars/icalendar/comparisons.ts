/** What comparing instances with their series may cost in one text: each change may be as long as the series, and there may be thousands. */
import { ICALENDAR_MAX_COMPARED_MEMBERS } from '../../../server/base/icalendar-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { ICalendarError } from './faults.ts'

export class Comparisons {
  readonly #members = new WeakMap<JsonObject, number>()
  #left: number

  /** @param most members that may be compared */
  constructor(most = ICALENDAR_MAX_COMPARED_MEMBERS) {
    this.#left = most
  }

  /** @throws ICalendarError: the instances of the text cost too much */
  spend(series: JsonObject, instance: JsonObject): void {
    this.#left -= this.#membersOf(series) + this.#membersOf(instance)
    if (this.#left < 0) throw new ICalendarError('The instances of a series differ from it in too much.')
  }

  #membersOf(event: JsonObject): number {
    const known = this.#members.get(event)
    if (known !== undefined) return known
    // Instances have no overrides of their own.
    const { recurrenceOverrides: _, ...compared } = event
    const members = membersOf(compared, DEPTH)
    this.#members.set(event, members)
    return members
  }
}

/** Of an event, its maps, their objects, and the members of these. */
const DEPTH = 4

function membersOf(value: Json, depth: number): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 1
  let sum = 1
  for (const item of Object.values(value)) sum += membersOf(item, depth - 1)
  return sum
}
