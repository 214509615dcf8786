/** What became of the records of a /set, as once.ts keeps it and tells it again. */

import type { SetError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { Refused, SetCall } from './set.ts'

export interface KeptOutcome {
  readonly created: [string, JsonObject][]
  readonly updated: [string, JsonObject | null][]
  readonly destroyed: string[]
  readonly notCreated: [string, SetError][]
  readonly notUpdated: [string, SetError][]
  readonly notDestroyed: [string, SetError][]
  readonly notes: [string, Json][]
}

type Told = Pick<SetCall, 'created' | 'updated' | 'destroyed' | 'notCreated' | 'notUpdated' | 'notDestroyed' | 'notes'>

/** What rules leave for `afterSet` must be JSON too. */
export function keptOutcome(call: Told): KeptOutcome {
  const { created, updated, destroyed, notCreated, notUpdated, notDestroyed, notes } = call
  return {
    created: [...created],
    updated: [...updated],
    destroyed,
    notCreated: [...notCreated],
    notUpdated: [...notUpdated],
    notDestroyed: [...notDestroyed],
    notes: [...notes] as [string, Json][],
  }
}

export function recallOutcome(call: Told, kept: KeptOutcome): void {
  const refused = (entries: [string, SetError][]): Refused => new Map(entries)
  call.created = new Map(kept.created)
  call.updated = new Map(kept.updated)
  call.destroyed = kept.destroyed
  call.notCreated = refused(kept.notCreated)
  call.notUpdated = refused(kept.notUpdated)
  call.notDestroyed = refused(kept.notDestroyed)
  call.notes = new Map(kept.notes)
}
