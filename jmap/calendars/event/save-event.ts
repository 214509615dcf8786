/** The end of each update of an event: server-set properties (JMAP Calendars 5.9), checks, and what the client is told. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import type { SetError } from '../../protocol/errors.ts'
import { getOwn, isObject, jsonEqual } from '../../protocol/json-object.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { WriteContext } from '../../type/handlers.ts'
import { withMeeting } from '../conferencing/event-meeting.ts'
import { hasMoved, withAnswersReset } from '../itip/reset-answers.ts'
import { PER_USER } from '../itip/significant-change.ts'
import type { Event } from '../jscalendar/event.ts'
import { withoutStalePaths } from '../jscalendar/overrides.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import { changedNames, namesOf } from './changed-properties.ts'
import { withOrganizer } from './create-event.ts'
import { checkWritten } from './event-error.ts'
import { OwnAddresses } from './own-addresses.ts'
import { privacyError } from './same-privacy.ts'
import { changeEvent } from './store-event.ts'
import type { StoredEvent } from './stored-event.ts'

/** The link is among the virtual locations, which count. */
const NOT_COUNTED = ['updated', 'conferencing', ...PER_USER]

export interface Update {
  /** The JSCalendar object as the client wants it. */
  readonly event: JsonObject
  readonly calendars: readonly number[]
  readonly isDraft: boolean
  /** The client replaces overrides: their paths are checked. Otherwise those that lead nowhere any more are left out. */
  readonly setsOverrides: boolean
}

/** @returns the properties that the server set */
export async function saveEvent(
  write: WriteContext<typeof CalendarEvent>,
  before: StoredEvent,
  update: Update,
): Promise<{ readonly told: JsonObject } | { readonly error: SetError }> {
  const { unit, method, work, args } = write
  const wanted = update.setsOverrides ? update.event : withoutStalePaths(update.event)
  const organized = before.event.participants === undefined ? await withOrganizer(unit, wanted) : wanted
  const checked = checkWritten(await withoutVoidAnswers(write, before, organized))
  if ('error' in checked) return checked
  const met = await withMeeting(unit, unit.account, before.event, checked.event)
  if ('error' in met) return met
  const event = await stamped(write, before, met.event)
  const { calendars, isDraft } = update
  const stored = { ...before, calendars, isDraft, event }
  const changed = changedNames(before, stored)
  if (changed.length === 0) return { told: toldOf(update.event, event) }
  const privacy = changed.includes('privacy') ? await privacyError(write, event, before.number) : null
  if (privacy) return { error: privacy }
  const { sendSchedulingMessages } = args
  const error = await changeEvent(
    { services: method.services, work, unit },
    { before, after: stored, changed, sendSchedulingMessages, cause: 'owner' },
  )
  return error ? { error } : { told: toldOf(update.event, event) }
}

/** With `updated` and `sequence`, if this account is the origin of the event. */
async function stamped(
  { unit }: WriteContext<typeof CalendarEvent>,
  before: StoredEvent,
  event: Event,
): Promise<Event> {
  const { organizerCalendarAddress: organizer } = event
  const own = new OwnAddresses(unit, unit.account)
  const isOrigin = organizer === undefined || (await own.has(organizer))
  if (!isOrigin || jsonEqual(event, before.event)) return event
  const updated = formatUTCDate(Math.floor(unit.now / 1000) * 1000)
  const sequence = before.event.sequence ?? 0
  const given = event.sequence ?? 0
  const rises = countsAsChange(before.event, event) && given <= sequence
  return { ...event, updated, ...(rises && { sequence: sequence + 1 }) }
}

/** Without answers to another time, if this account is the origin of the event. */
async function withoutVoidAnswers(
  { unit }: WriteContext<typeof CalendarEvent>,
  { event }: StoredEvent,
  wanted: JsonObject,
): Promise<JsonObject> {
  if (event.participants === undefined || !hasMoved(event, wanted)) return wanted
  const own = new OwnAddresses(unit, unit.account)
  return (await own.isOrigin(event)) ? withAnswersReset(event, wanted, await own.addressesIn(event)) : wanted
}

/** Whether anything changed that concerns participants. */
function countsAsChange(before: JsonObject, after: JsonObject): boolean {
  return namesOf(before, after).some((name) => {
    if (NOT_COUNTED.includes(name)) return false
    const [old, now] = [getOwn(before, name), getOwn(after, name)]
    return name === 'recurrenceOverrides' ? !jsonEqual(shared(old), shared(now)) : !jsonEqual(old, now)
  })
}

/** Overrides without the properties of the user. */
function shared(overrides: Json | undefined): Json {
  if (!isObject(overrides)) return {}
  const entries = Object.entries(overrides).map(([recurrenceId, patch]): readonly [string, Json] => [
    recurrenceId,
    isObject(patch)
      ? Object.fromEntries(Object.entries(patch).filter(([path]) => !PER_USER.includes(path.split('/', 1)[0] ?? '')))
      : patch,
  ])
  return Object.fromEntries(entries)
}

/** What the stored event has otherwise than the client sent it; null: it has it no more. */
function toldOf(sent: JsonObject, stored: JsonObject): JsonObject {
  const differing = namesOf(sent, stored).filter((name) => !jsonEqual(getOwn(sent, name), getOwn(stored, name)))
  return Object.fromEntries(differing.map((name) => [name, getOwn(stored, name) ?? null]))
}
