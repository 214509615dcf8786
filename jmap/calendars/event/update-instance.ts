/**
 * CalendarEvent/set with the id of an instance: JMAP Calendars 5.9. An update becomes an override of the event, a destroy removes the
 * instance from the event.
 */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { applyTree, splitPatch } from '../../protocol/patch.ts'
import { parsePatchPath } from '../../protocol/pointer.ts'
import type { UpdateOutcome, WriteContext } from '../../type/handlers.ts'
import type { Instance } from '../../type/instance-numbers.ts'
import { formatLocal, localOfKey } from '../jscalendar/date-times.ts'
import type { PatchObject } from '../jscalendar/event.ts'
import { isIgnoredInOverrides, overrideOf, patchBetween, plainInstance } from '../jscalendar/overrides.ts'
import { withAttachments } from './attachments.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import { instanceShown } from './load-events.ts'
import { isProduced, preparedOf } from './recurrences.ts'
import { saveEvent } from './save-event.ts'
import { eventOfRow, type StoredEvent } from './stored-event.ts'
import type { EventUpdate } from './update-event.ts'
import { jscalendarPart, withUTCTimes } from './written-event.ts'

/** Beside what an override ignores: properties of the whole event. */
const OF_THE_SERIES = ['calendarIds', 'isDraft', 'mayInviteSelf', 'mayInviteOthers', 'hideAttendees', 'conferencing']

export async function updateInstance(
  write: WriteContext<typeof CalendarEvent>,
  instance: Instance,
  { next, changed, prepared }: EventUpdate,
): Promise<UpdateOutcome> {
  const found = await findInstance(write, instance)
  if (!found) return { error: setError('notFound') }
  if (changed.length === 0) return { updated: null }
  const fixed = changed.filter((name) => OF_THE_SERIES.includes(name) || isIgnoredInOverrides(name))
  if (fixed.length > 0)
    return { error: invalidProperties(fixed, `${fixed[0]} belongs to the whole event, not to one instance.`) }
  const { stored, recurrenceId } = found
  const timed = withUTCTimes(
    await withAttachments(write, jscalendarPart(next), prepared),
    {
      ...(changed.includes('utcStart') && { utcStart: next.utcStart }),
      ...(changed.includes('utcEnd') && { utcEnd: next.utcEnd }),
      given: changed,
    },
    [],
  )
  if ('error' in timed) return timed
  const saved = await save(write, stored, withInstance(stored.event, recurrenceId, timed.event))
  if ('error' in saved) return saved
  const { updated, sequence } = saved.told
  const told = { ...(updated !== undefined && { updated }), ...(sequence !== undefined && { sequence }) }
  return { updated: Object.keys(told).length > 0 ? told : null }
}

export async function destroyInstance(
  write: WriteContext<typeof CalendarEvent>,
  instance: Instance,
): Promise<SetError | null> {
  const found = await findInstance(write, instance)
  if (!found) return setError('notFound')
  const { stored, recurrenceId } = found
  const { [recurrenceId]: _gone, ...others } = overridesOf(stored.event)
  const prepared = preparedOf(write.method.services.store, write.unit.account, stored)
  // An instance that only its override makes goes with it.
  const overrides = isProduced(prepared, recurrenceId) ? { ...others, [recurrenceId]: { excluded: true } } : others
  const saved = await save(write, stored, withOverrides(stored.event, overrides))
  return 'error' in saved ? saved.error : null
}

async function findInstance({ unit, method }: WriteContext<typeof CalendarEvent>, { object, key }: Instance) {
  const row = await findCalendarEvent(unit, unit.account, object)
  const stored = row && eventOfRow(row)
  const recurrenceId = formatLocal(localOfKey(key))
  return stored && instanceShown(method, stored, recurrenceId) ? { stored, recurrenceId } : null
}

function save(write: WriteContext<typeof CalendarEvent>, stored: StoredEvent, event: JsonObject) {
  const { calendars, isDraft } = stored
  return saveEvent(write, stored, { event, calendars, isDraft, setsOverrides: true })
}

/** The event with an override that makes the instance as wanted. */
function withInstance(event: JsonObject, recurrenceId: string, wanted: JsonObject): JsonObject {
  const before = overrideOf(event, recurrenceId)
  const all = patchBetween(plainInstance(event, recurrenceId), wanted)
  const ofAlerts = Object.entries(all).filter(([path]) => isAcknowledgement(path, all[path] ?? null, before))
  const series = ofAlerts.length > 0 ? (patchedEvent(event, Object.fromEntries(ofAlerts)) ?? event) : event
  const done = new Set(ofAlerts.map(([path]) => path))
  const own = Object.entries(all).filter(
    ([path]) => !isIgnoredInOverrides(path.split('/', 1)[0] ?? '') && !(series !== event && done.has(path)),
  )
  const { [recurrenceId]: _old, ...others } = overridesOf(event)
  // An override stays although it changes nothing: it may be what makes the instance.
  const isKept = own.length > 0 || before !== undefined
  return withOverrides(series, isKept ? { ...others, [recurrenceId]: Object.fromEntries(own) } : others)
}

function patchedEvent(event: JsonObject, patch: PatchObject): JsonObject | null {
  const split = splitPatch(patch)
  const result = 'error' in split ? split : applyTree(event, split.properties)
  return 'error' in result ? null : result.value
}

/**
 * JMAP Calendars 6.2, 6.3: to acknowledge or to snooze an alert makes no override: it is kept with the event, unless the alert is
 * overridden already.
 */
function isAcknowledgement(path: string, value: Json, override: PatchObject | undefined): boolean {
  const [name, id, field, ...deeper] = parsePatchPath(path) ?? []
  if (name !== 'alerts' || id === undefined || deeper.length > 0) return false
  const isOverridden = Object.keys(override ?? {}).some((own) => {
    const [top, alert] = parsePatchPath(own) ?? []
    return top === 'alerts' && (alert === undefined || alert === id)
  })
  if (isOverridden) return false
  return field === 'acknowledged' || (field === undefined && isSnooze(value))
}

function isSnooze(alert: Json): boolean {
  const related = isObject(alert) ? alert['relatedTo'] : null
  return (
    isObject(related) &&
    Object.values(related).some(
      (one) => isObject(one) && isObject(one['relation']) && getOwn(one['relation'], 'snooze') === true,
    )
  )
}

function overridesOf(event: JsonObject): JsonObject {
  const overrides = getOwn(event, 'recurrenceOverrides')
  return isObject(overrides) ? overrides : {}
}

function withOverrides({ recurrenceOverrides: _old, ...event }: JsonObject, overrides: JsonObject): JsonObject {
  return Object.keys(overrides).length > 0 ? { ...event, recurrenceOverrides: overrides } : event
}
