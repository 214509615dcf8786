/** Instances that scheduling messages name by RECURRENCE-ID. Pure; what a whole message costs is bounded. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { isProduced } from '../event/recurrences.ts'
import { instantOfLocal, isTimeZone } from '../event/wall-time.ts'
import { recurrenceKey } from '../icalendar/read-times.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import type { Event, PatchObject } from '../jscalendar/event.ts'
import { isExcluded, overrideOf } from '../jscalendar/overrides.ts'
import { type Prepared, prepare } from '../recurrence/prepare.ts'
import { RecurrenceError, Work } from '../recurrence/work.ts'

/** The recurrence id by which a series has an instance that stands alone; null: it names none. */
export function recurrenceIdIn(series: JsonObject, instance: JsonObject): string | null {
  const local = textOf(instance, 'recurrenceId')
  const start = textOf(series, 'start')
  if (local === null || parseLocal(local) === null || start === null) return null
  const zone = textOf(series, 'timeZone')
  const own = textOf(instance, 'recurrenceIdTimeZone')
  const date = zone === null && getOwn(series, 'showWithoutTime') === true
  const isDate = own === null && local.endsWith('T00:00:00') && !start.endsWith('T00:00:00')
  return recurrenceKey({ local, zone: known(own) }, { start, zone: known(zone), date }, isDate)
}

/** null: there is none, or no such zone: the time is taken as it is written. */
function known(zone: string | null): string | null {
  return zone !== null && isTimeZone(zone) ? zone : null
}

/** When an instance by itself was to be: epoch ms, with floating times as if in UTC. null: it says none. */
export function recurrenceInstant(instance: JsonObject): number | null {
  const time = parseLocal(textOf(instance, 'recurrenceId') ?? '')
  const zone = textOf(instance, 'recurrenceIdTimeZone')
  return time === null || zone === null || !isTimeZone(zone) ? time : instantOfLocal(time, zone)
}

export function overridesOf(event: JsonObject): { readonly [recurrenceId: string]: PatchObject } {
  const overrides = getOwn(event, 'recurrenceOverrides')
  const entries = isObject(overrides) ? Object.entries(overrides) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])))
}

export function withOverrides(event: JsonObject, overrides: { readonly [id: string]: PatchObject }): JsonObject {
  const { recurrenceOverrides: _before, ...rest } = event
  return Object.keys(overrides).length > 0 ? { ...rest, recurrenceOverrides: overrides } : rest
}

/** Which instances a series has. */
export class Instances {
  readonly #event: JsonObject
  readonly #prepared: Prepared | null
  readonly #work = new Work()

  /** @param event it has been checked */
  constructor(event: JsonObject) {
    this.#event = event
    this.#prepared = attempt(() => prepare(event as Event))
  }

  /** By the rule, or by an override. */
  has(recurrenceId: string): boolean {
    const patch = overrideOf(this.#event, recurrenceId)
    return patch === undefined ? this.isProduced(recurrenceId) : !isExcluded(patch)
  }

  /** By the rule, whatever an override says. */
  isProduced(recurrenceId: string): boolean {
    const prepared = this.#prepared
    return prepared !== null && (attempt(() => isProduced(prepared, recurrenceId, this.#work)) ?? false)
  }
}

/** null: it costs too much, or cannot be interpreted. */
function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof RecurrenceError) return null
    throw error
  }
}

function textOf(event: JsonObject, name: string): string | null {
  const value = getOwn(event, name)
  return typeof value === 'string' ? value : null
}
