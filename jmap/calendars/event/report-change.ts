/** Events for webhooks about changes of calendar events (decision D34), in the commit of the change. */
import type { JsonObject } from '../../../server/base/json.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { appendEvent } from '../../events/append.ts'
import type { EventType } from '../../events/event-types.ts'
import { jsonEqual } from '../../protocol/json-object.ts'
import { ownerZone } from '../availability/owner-zone.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { contractRecurrenceId, contractTimes } from './contract-times.ts'
import type { EventChange, EventEffect, EventWrite } from './event-change.ts'

export const reportChange: EventEffect = {
  async apply({ services, unit }, change) {
    const number = (change.after ?? change.before)?.number
    const report = reportOf(change)
    if (number === undefined || !report) return
    const { type, event, recurrenceId } = report
    await appendEvent(unit, type, await reportedEvent({ services, unit }, number, event, recurrenceId))
  },
}

/** The data of an event for webhooks. @param event or the instance that it is about */
export async function reportedEvent(
  { services, unit }: Pick<EventWrite, 'services' | 'unit'>,
  number: number,
  event: JsonObject,
  recurrenceId: string | null,
) {
  const times = { start: text(event['start']), duration: text(event['duration']), timeZone: text(event['timeZone']) }
  const isAllDay = event['showWithoutTime'] === true
  const zone = times.timeZone === null && !isAllDay ? await ownerZone(unit, unit.account) : 'UTC'
  const { start, end } = contractTimes({ ...times, showWithoutTime: isAllDay }, zone)
  const own = (await addressesOf(unit, unit.account)).find(({ kind }) => kind === 'mailbox')
  return {
    calendar_event_id: services.ids.encode(CalendarEvent, unit.account, number),
    mailbox: own?.address ?? null,
    uid: event['uid'],
    title: text(event['title']),
    start,
    end,
    recurrence_id: recurrenceId === null ? null : contractRecurrenceId(recurrenceId, isAllDay),
  }
}

interface Report {
  readonly type: EventType
  readonly event: JsonObject
  /** Of the only instance that it is about. */
  readonly recurrenceId: string | null
}

function reportOf({ before, after, changed }: EventChange): Report | null {
  const present = after ?? before
  if (!present) return null
  const whole = { event: present.event, recurrenceId: present.event.recurrenceId ?? null }
  if (!before) return { type: 'calendar.event_created', ...whole }
  if (!after) return { type: 'calendar.event_deleted', ...whole }
  const recurrenceId = changed.every((name) => OF_AN_INSTANCE.includes(name))
    ? onlyInstance(before.event, after.event)
    : null
  if (recurrenceId === null) return { type: 'calendar.event_updated', ...whole }
  const instance = instanceOf(after.event, recurrenceId)
  if (instance) return { type: 'calendar.event_updated', event: instance, recurrenceId }
  const gone = instanceOf(before.event, recurrenceId) ?? before.event
  return { type: 'calendar.event_deleted', event: gone, recurrenceId }
}

const OF_AN_INSTANCE = ['recurrenceOverrides', 'updated', 'sequence']

/** The recurrence id of the only override that differs; null: there are more. */
function onlyInstance(before: JsonObject, after: JsonObject): string | null {
  const [old, now] = [before['recurrenceOverrides'], after['recurrenceOverrides']].map(
    (all) => (all ?? {}) as JsonObject,
  )
  const differing = [...new Set([...Object.keys(old!), ...Object.keys(now!)])].filter(
    (id) => !jsonEqual(old![id], now![id]),
  )
  return differing.length === 1 ? differing[0]! : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
