/** An event that a client wrote, checked: its form, and whether its rule can be expanded. */
import { EVENT_MAX_BYTES } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { invalidProperties, type SetError, tooLarge } from '../../protocol/errors.ts'
import { checkedEvent } from '../jscalendar/check-event.ts'
import type { Event } from '../jscalendar/event.ts'
import type { PropertyFault } from '../jscalendar/shape.ts'
import { tryOut } from '../recurrence/cost.ts'
import { ruleFault } from '../recurrence/rule-faults.ts'
import { RecurrenceError } from '../recurrence/work.ts'
import { isTimeZone } from './wall-time.ts'

export type Checked = { readonly event: Event } | { readonly error: SetError }

export function checkWritten(event: JsonObject): Checked {
  const checked = checkedEvent(event)
  if ('faults' in checked) return { error: faultsError(checked.faults) }
  const fault = zoneFault(checked.event) ?? recurrenceFault(checked.event)
  return fault === null ? checked : { error: faultsError([fault]) }
}

const ZONES = ['timeZone', 'endTimeZone', 'recurrenceIdTimeZone'] as const

function zoneFault(event: Event): PropertyFault | null {
  const isUnknown = (zone: unknown) => typeof zone === 'string' && !isTimeZone(zone)
  const fault = 'is no name of an IANA time zone'
  for (const name of ZONES) if (isUnknown(event[name])) return { path: name, fault }
  for (const [recurrenceId, patch] of Object.entries(event.recurrenceOverrides ?? {}))
    for (const name of ZONES)
      if (isUnknown(patch[name])) return { path: `recurrenceOverrides/${recurrenceId}/${name}`, fault }
  return null
}

/** @param faults at least one */
export function faultsError(faults: readonly PropertyFault[]): SetError {
  const [first] = faults
  if (first === undefined || first.path === '') return tooLarge(EVENT_MAX_BYTES, 'The event is too large.')
  return invalidProperties(
    faults.map(({ path }) => path),
    `${first.path} ${first.fault}.`,
  )
}

/** A rule that costs too much, or happens too often, would be shown in part only. */
function recurrenceFault(event: Event): PropertyFault | null {
  const path = 'recurrenceRule'
  if (event.recurrenceRule === undefined) return null
  const fault = ruleFault(event.recurrenceRule)
  if (fault !== null) return { path, fault: `cannot be used: ${fault}` }
  try {
    tryOut(event)
    return null
  } catch (error) {
    if (error instanceof RecurrenceError) return { path, fault: `cannot be expanded: ${error.message}` }
    throw error
  }
}
