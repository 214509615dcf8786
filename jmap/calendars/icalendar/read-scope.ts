/** What readers of parts of an event share. */
import type { MutableJsonObject } from '../../protocol/json-object.ts'
import type { Comparisons } from './comparisons.ts'
import type { Faults } from './faults.ts'
import type { Hatch } from './hatch.ts'
import type { PropertyBag } from './property-bag.ts'
import type { Expansions } from './series-dates.ts'
import type { Zones } from './zone-names.ts'

/** Of one calendar. */
export interface CalendarScope {
  readonly zones: Zones
  readonly faults: Faults
  /** UTCDateTime for events that do not say when they were made. */
  readonly now: string
  readonly expansions: Expansions
  readonly comparisons: Comparisons
}

/** Of one event. */
export interface EventScope extends CalendarScope {
  readonly event: MutableJsonObject
  readonly bag: PropertyBag
  readonly hatch: Hatch
}

/** An event that cannot be read; it is left out. The message is a sentence. */
export class EventFault extends Error {}
