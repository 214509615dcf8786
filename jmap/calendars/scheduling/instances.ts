/** Instances that scheduling messages name by RECURRENCE-ID. Pure; what a whole message costs is bounded. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { isProduced } from '../event/recurrences.ts'
import { instantOfLocal, isTimeZone, localOfInstant } from '../event/wall-time.ts'
import { formatLocal, parseLocal } from '../jscalendar/date-times.ts'
import type { Event, PatchObject } from '../jscalendar/event.ts'
import { isExcluded, overrideOf } from '../jscalendar/overrides.ts'
import { type Prepared, prepare } from '../recurrence/prepare.ts'
import { RecurrenceError, Work } from '../recurrence/work.ts'

/** The recurrence id of an instance in the zone of its series (RFC 5545 3.8.4.4: it may be written in another). null: it names none. */
export function recurrenceKey(series: JsonObject, instance: JsonObject): string | null {
  const local = textOf(instance, 'recurrenceId')
  const start = textOf(series, 'start')
  const time = local === null ? null : parseLocal(local)
  if (local === null || time === null || start === null) return null
  const zone = textOf(series, 'timeZone')
  const own = textOf(instance, 'recurrenceIdTimeZone')
  if (zone === null && getOwn(series, 'showWithoutTime') === true) return `${local.slice(0, 10)}${start.slice(10)}`
  // A DATE beside a series with times means the instance of that day.
  if (own === null && local.endsWith('T00:00:00') && !start.endsWith('T00:00:00'))
    return `${local.slice(0, 10)}${start.slice(10)}`
  if (own === null || zone === null || own === zone || !isTimeZone(own) || !isTimeZone(zone)) return local
  return formatLocal(localOfInstant(instantOfLocal(time, own), zone))
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
