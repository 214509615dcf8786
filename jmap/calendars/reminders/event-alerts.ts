/** Which alerts an event or an instance has (JMAP Calendars 6). Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import type { Alert, Alerts } from '../jscalendar/alert.ts'
import { parseSignedDuration, parseUTC } from '../jscalendar/date-times.ts'

/** The default alerts of the calendars of an event. */
export interface DefaultAlerts {
  readonly withTime: Alerts
  readonly withoutTime: Alerts
}

/** What of a calendar decides. */
export interface AlertingCalendar {
  readonly isSubscribed: boolean
  readonly defaultAlertsWithTime: Alerts | null
  readonly defaultAlertsWithoutTime: Alerts | null
}

/**
 * JMAP Calendars 6: null, because no alert is triggered, unless the owner is subscribed to a calendar of the event.
 * @param calendars of the event
 */
export function defaultAlertsOf(calendars: readonly AlertingCalendar[]): DefaultAlerts | null {
  const own = calendars.filter(({ isSubscribed }) => isSubscribed)
  if (own.length === 0) return null
  return {
    withTime: Object.assign({}, ...own.map(({ defaultAlertsWithTime }) => defaultAlertsWithTime ?? {})),
    withoutTime: Object.assign({}, ...own.map(({ defaultAlertsWithoutTime }) => defaultAlertsWithoutTime ?? {})),
  }
}

/** When an alert is triggered. */
export type When =
  | {
      readonly kind: 'offset'
      readonly relativeTo: 'start' | 'end'
      readonly sign: 1 | -1
      /** Of the clock on the wall. */
      readonly days: number
      readonly ms: number
    }
  | { readonly kind: 'absolute'; readonly at: number }

/** An alert that the server acts on. */
export interface ActiveAlert {
  readonly id: string
  readonly action: 'email' | 'display'
  readonly when: When
  /** Epoch ms of its last dismissal: alerts of that time and earlier are settled. */
  readonly acknowledged: number
  /** The alert as the event or the calendar has it. */
  readonly alert: Alert
}

/** Alerts that apply: alerts with unknown triggers or actions are left out. */
export function alertsOf(event: JsonObject, defaults: DefaultAlerts): ActiveAlert[] {
  return Object.entries(appliedAlerts(event, defaults)).flatMap(([id, alert]) => active(id, alert) ?? [])
}

/** Those of the calendars, if the event says so, else its own. */
export function appliedAlerts(event: JsonObject, defaults: DefaultAlerts): Alerts {
  const own = ownAlerts(event)
  return event['useDefaultAlerts'] === true ? withDefaults(event, own, defaults) : own
}

function ownAlerts(event: JsonObject): Alerts {
  const alerts = getOwn(event, 'alerts')
  return isObject(alerts) ? (alerts as Alerts) : {}
}

/** JMAP Calendars 6.1: of the event's own alerts only dismissals of default alerts count, and those that snooze one. */
function withDefaults(event: JsonObject, own: Alerts, { withTime, withoutTime }: DefaultAlerts): Alerts {
  const defaults = event['showWithoutTime'] === true ? withoutTime : withTime
  const dismissed = Object.entries(defaults).map(([id, alert]): [string, Alert] => {
    const acknowledged = Object.hasOwn(own, id) ? own[id]?.acknowledged : undefined
    return [id, acknowledged === undefined ? alert : { ...alert, acknowledged }]
  })
  const snoozed = Object.entries(own).filter(
    ([id, { relatedTo }]) =>
      !Object.hasOwn(defaults, id) && Object.keys(relatedTo ?? {}).some((of) => Object.hasOwn(defaults, of)),
  )
  return Object.fromEntries([...dismissed, ...snoozed])
}

function active(id: string, alert: Alert): ActiveAlert | null {
  const { action = 'display' } = alert
  const when = whenOf(alert)
  if (when === null || (action !== 'email' && action !== 'display')) return null
  const acknowledged = alert.acknowledged === undefined ? null : parseUTCDate(alert.acknowledged)
  return { id, action, when, acknowledged: acknowledged ?? Number.NEGATIVE_INFINITY, alert }
}

function whenOf({ trigger }: Alert): When | null {
  if ('when' in trigger) {
    const at = parseUTC(trigger.when)
    return at === null ? null : { kind: 'absolute', at }
  }
  const offset = 'offset' in trigger ? parseSignedDuration(trigger.offset) : null
  if (!offset || !('offset' in trigger)) return null
  return { kind: 'offset', relativeTo: trigger.relativeTo ?? 'start', ...offset }
}

/** Whether an event can have alerts at all, by what it says itself. Drafts have none (JMAP Calendars 5: isDraft). */
export function mayAlert(event: JsonObject): boolean {
  const overrides = getOwn(event, 'recurrenceOverrides')
  return [event, ...(isObject(overrides) ? Object.values(overrides) : [])].some(
    (patch) =>
      isObject(patch) &&
      Object.keys(patch).some((path) => ALERTING.test(path) && patch[path] !== null && patch[path] !== false),
  )
}

const ALERTING = /^(?:alerts|useDefaultAlerts)(?:\/|$)/

/** Paths of an override that change which alerts the instance has. */
export function decidesAlerts(path: string): boolean {
  return DECIDING.test(path)
}

const DECIDING = /^(?:alerts|useDefaultAlerts|showWithoutTime)(?:\/|$)/
