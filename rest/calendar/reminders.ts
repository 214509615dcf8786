/**
 * Reminders of the contract (decision D21): alerts that are mails before the start. All other alerts are those of calendar programs,
 * which REST neither shows nor changes.
 */
import type { Alert, Alerts } from '../../jmap/calendars/jscalendar/alert.ts'
import { parseSignedDuration } from '../../jmap/calendars/jscalendar/date-times.ts'
import { appliedAlerts, defaultAlertsOf } from '../../jmap/calendars/reminders/event-alerts.ts'
import type { NewOf } from '../../jmap/type/derived.ts'
import type { JmapObjects, TypeOf } from '../schema/jmap-types.ts'
import type { OpenCalendar } from './open-calendar.ts'

interface Reminder {
  readonly minutes_before: number
}

type Alerting = Pick<JmapObjects['CalendarEvent'], 'alerts' | 'useDefaultAlerts' | 'showWithoutTime' | 'calendarIds'>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export function shownReminders(event: Alerting, calendar: OpenCalendar): Reminder[] {
  return Object.values(appliedTo(event, calendar)).flatMap((alert) => {
    const minutes = minutesOf(alert)
    return minutes === null ? [] : [{ minutes_before: minutes }]
  })
}

/** Reminders that the event has already keep their alerts, and the others of the event stay. */
export function writtenReminders(
  reminders: readonly Reminder[],
  current: Alerting | null,
  calendar: OpenCalendar,
): Partial<Pick<NewOf<TypeOf<'CalendarEvent'>>, 'alerts' | 'useDefaultAlerts'>> {
  const before = Object.entries(current === null ? {} : appliedTo(current, calendar))
  const alerts = new Map<string, Alert>(before.filter(([, alert]) => minutesOf(alert) === null))
  for (const minutes of new Set(reminders.map(({ minutes_before }) => minutes_before))) {
    const known = before.filter(([, alert]) => minutesOf(alert) === minutes)
    if (known.length === 0) alerts.set(freeId(minutes, alerts, before), reminder(minutes))
    for (const [id, alert] of known) alerts.set(id, alert)
  }
  return {
    alerts: alerts.size > 0 ? Object.fromEntries(alerts) : null,
    // The event has all alerts of its own from now on, also those that were the calendar's.
    ...(current?.useDefaultAlerts && { useDefaultAlerts: false }),
  }
}

/** Of all calendars of the event, as the server sends them. */
function appliedTo(event: Alerting, { calendars }: OpenCalendar): Alerts {
  const own = calendars.filter(({ id }) => event.calendarIds[id])
  const { alerts = null, useDefaultAlerts = false, showWithoutTime = false } = event
  const defaults = defaultAlertsOf(own) ?? { withTime: {}, withoutTime: {} }
  return appliedAlerts(
    { ...(alerts !== null && { alerts: { ...alerts } }), useDefaultAlerts, showWithoutTime },
    defaults,
  )
}

/** Whole minutes of an alert that is a mail at or before the start; null: it is another alert. */
function minutesOf({ action, trigger }: Alert): number | null {
  if (action !== 'email' || !('offset' in trigger) || trigger.relativeTo === 'end') return null
  const offset = parseSignedDuration(trigger.offset)
  if (!offset) return null
  const ms = offset.sign * (offset.days * DAY_MS + offset.ms)
  return ms > 0 ? null : Math.round(-ms / MINUTE_MS)
}

/** An id that no alert of the event has: a calendar program may use any. */
function freeId(
  minutes: number,
  alerts: ReadonlyMap<string, Alert>,
  before: readonly (readonly [string, Alert])[],
): string {
  const isTaken = (id: string) => alerts.has(id) || before.some(([other]) => other === id)
  const id = `reminder-${minutes}`
  if (!isTaken(id)) return id
  for (let number = 2; ; number++) if (!isTaken(`${id}-${number}`)) return `${id}-${number}`
}

function reminder(minutes: number): Alert {
  return {
    '@type': 'Alert',
    action: 'email',
    trigger: { '@type': 'OffsetTrigger', offset: minutes === 0 ? 'PT0S' : `-PT${minutes}M` },
  }
}
