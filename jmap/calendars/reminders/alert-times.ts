/**
 * When the alerts of an event are triggered: those that are due, and when the next one is. Recurring events are expanded around the
 * times in question only. Pure; the work of a call is bounded, and beyond that it throws a RecurrenceError (promise C3).
 */
import type { JsonObject } from '../../../server/base/json.ts'
import {
  REMINDER_DENSE_MS,
  REMINDER_INSTANCES_MAX,
  REMINDER_LATE_MS,
  REMINDERS_PER_EVENT,
} from '../../../server/base/reminder-limits.ts'
import { isObject, jsonEqual } from '../../protocol/json-object.ts'
import { durationOf, type Interval, instanceTimes, intervalOf } from '../event/event-times.ts'
import { instantOfLocal, localOfInstant } from '../event/wall-time.ts'
import type { Event } from '../jscalendar/event.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { nextInstance, recurrenceId } from '../recurrence/expand.ts'
import type { Prepared } from '../recurrence/prepare.ts'
import { Work } from '../recurrence/work.ts'
import { type ActiveAlert, alertsOf, type DefaultAlerts, decidesAlerts, type When } from './event-alerts.ts'

export interface AlertedEvent {
  readonly event: Event
  /** null: it does not recur. */
  readonly prepared: Prepared | null
  /** IANA name: in which all-day and floating events happen (decision D32). */
  readonly floatingZone: string
  readonly defaults: DefaultAlerts
}

/** An alert of an instance. */
export interface Trigger {
  /** Epoch ms. */
  readonly at: number
  readonly alert: ActiveAlert
  readonly instance: Interval
  /** LocalDateTime; null: the event does not recur. */
  readonly recurrenceId: string | null
}

export interface DueAlerts {
  readonly due: readonly Trigger[]
  /** Epoch ms: no alert is triggered earlier than that; null: none is any more. */
  readonly nextAt: number | null
}

/** Zones differ, and are moved, by no more. */
const ZONES_MS = 26 * 3_600_000
const DAY_MS = 86_400_000

/**
 * Alerts after `settled` up to `now` that still matter: those that are hardly overdue, and older ones of instances that are not over.
 * An instance that is over has none but those that are set for its end or later.
 * @throws RecurrenceError
 */
export function dueAlerts(subject: AlertedEvent, settled: number, now: number): DueAlerts {
  return new Search(subject, settled, now).run()
}

class Search {
  readonly #subject: AlertedEvent
  readonly #settled: number
  readonly #now: number
  readonly #work = new Work()
  readonly #due: Trigger[] = []
  #next = Number.POSITIVE_INFINITY

  constructor(subject: AlertedEvent, settled: number, now: number) {
    this.#subject = subject
    this.#settled = settled
    this.#now = now
  }

  run(): DueAlerts {
    const { event, prepared, defaults, floatingZone } = this.#subject
    const alerts = alertsOf(event, defaults)
    if (prepared === null) {
      const own = { instance: intervalOf(event, floatingZone), recurrenceId: event.recurrenceId ?? null }
      for (const alert of alerts) this.#offer(alert, own)
    } else {
      for (const alert of alerts) {
        if (alert.when.kind === 'absolute') this.#offerAbsolute(alert, prepared)
        else this.#offerSeries(alert, prepared)
      }
      this.#offerOverrides(alerts)
    }
    const due = this.#due.sort((a, b) => a.at - b.at).slice(0, REMINDERS_PER_EVENT)
    return { due, nextAt: Number.isFinite(this.#next) ? this.#next : null }
  }

  /** The alert of an instance. @returns whether it is still to come */
  #offer(alert: ActiveAlert, of: Pick<Trigger, 'instance' | 'recurrenceId'>, zone = this.#zone): boolean {
    const at = timeOf(alert.when, of.instance, zone, this.#subject.event.endTimeZone ?? zone)
    if (at <= alert.acknowledged || at <= this.#settled) return false
    if (at > this.#now) this.#next = Math.min(this.#next, at)
    else if (this.#matters(at, of.instance)) this.#due.push({ at, alert, ...of })
    return at > this.#now
  }

  #matters(at: number, { end }: Interval): boolean {
    const isFresh = at >= this.#now - REMINDER_LATE_MS
    return end > this.#now || (isFresh && at >= end)
  }

  get #zone(): string {
    return this.#subject.event.timeZone ?? this.#subject.floatingZone
  }

  /** Instances that the rules alone make. */
  #offerSeries(alert: ActiveAlert, prepared: Prepared): void {
    const plain = { ...prepared, replacements: [] }
    const { event, floatingZone } = this.#subject
    const { days, ms } = durationOf(event.duration)
    const length = days * DAY_MS + ms
    const { early, late } = startsOf(alert.when, days, length)
    // Instances that start earlier are over, and their alerts too old.
    const overAt = Math.min(this.#now - length - ZONES_MS, this.#now - REMINDER_LATE_MS + early)
    let after = Math.max(this.#settled + early, overAt)
    for (let count = 0; count < REMINDER_INSTANCES_MAX; count++) {
      const found = nextInstance(plain, after, { floatingZone, work: this.#work })
      if (found === null) return
      const isToCome = this.#offer(alert, { instance: found, recurrenceId: recurrenceId(found) })
      // The alerts of later instances are later, but for changes of the zone.
      if (isToCome && (early === late || found.start > this.#next + late)) return
      after = found.start
    }
    this.#next = Math.min(this.#next, this.#now + REMINDER_DENSE_MS)
  }

  /** Instances with overrides. The alerts of the series are theirs too, but for absolute ones. */
  #offerOverrides(usual: readonly ActiveAlert[]): void {
    const { event, defaults, floatingZone } = this.#subject
    for (const [id, patch] of Object.entries(event.recurrenceOverrides ?? {})) {
      this.#work.spend(200)
      const times = isObject(patch) ? instanceTimes(event as JsonObject & Event, id, patch) : null
      if (times === null) continue
      const of = { instance: intervalOf(times, floatingZone), recurrenceId: id }
      const instance = Object.keys(patch).some(decidesAlerts) ? instanceOf(event as JsonObject, id) : null
      const alerts = instance === null ? usual : alertsOf(instance, defaults)
      for (const alert of alerts)
        if (alert.when.kind === 'offset' || !usual.some((one) => isSame(one, alert)))
          this.#offer(alert, of, times.timeZone ?? floatingZone)
    }
  }

  /** An absolute alert of the series is triggered once, for the instance that is nearest to it. */
  #offerAbsolute(alert: ActiveAlert, prepared: Prepared): void {
    const { when } = alert
    if (when.kind !== 'absolute' || when.at <= this.#settled) return
    const options = { floatingZone: this.#subject.floatingZone, work: this.#work }
    let nearest = nextInstance(prepared, when.at - DAY_MS, options)
    for (let count = 0; nearest !== null && count < REMINDERS_PER_EVENT; count++) {
      const later = nextInstance(prepared, nearest.start, options)
      if (later === null || Math.abs(later.start - when.at) > Math.abs(nearest.start - when.at)) break
      nearest = later
    }
    if (nearest !== null) this.#offer(alert, { instance: nearest, recurrenceId: recurrenceId(nearest) })
  }
}

function isSame(a: ActiveAlert, b: ActiveAlert): boolean {
  return a.id === b.id && jsonEqual(a.alert as JsonObject, b.alert as JsonObject)
}

/** @param zone in which days are counted before or after the start; `endZone` the end */
function timeOf(when: When, { start, end }: Interval, zone: string, endZone: string): number {
  if (when.kind === 'absolute') return when.at
  const { relativeTo, sign, days, ms } = when
  const [base, of] = relativeTo === 'end' ? [end, endZone] : [start, zone]
  // RFC 5545 3.3.6: days by the clock on the wall, then hours by the clock in the hand.
  const moved = days === 0 ? base : instantOfLocal(localOfInstant(base, of) + sign * days * DAY_MS, of)
  return moved + sign * ms
}

/** An alert at t is of an instance that starts after t + early and up to t + late. */
function startsOf(when: When, durationDays: number, length: number): { readonly early: number; readonly late: number } {
  if (when.kind === 'absolute') return { early: 0, late: 0 }
  const { relativeTo, sign, days, ms } = when
  const isEnd = relativeTo === 'end'
  const offset = -sign * (days * DAY_MS + ms) - (isEnd ? length : 0)
  const slack = days > 0 || (isEnd && durationDays > 0) ? ZONES_MS : 0
  return { early: offset - slack, late: offset + slack }
}
