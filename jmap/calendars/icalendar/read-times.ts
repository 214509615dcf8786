/** DTSTART, DTEND, DURATION, RECURRENCE-ID and the series (the conversion draft, 2.3). */
import { ICALENDAR_MAX_DATES } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import { dayDuration, exactDuration, positiveDuration } from './duration.ts'
import { type Property, parameterOf } from './jcal.ts'
import { daysBetween, isDateOnly, localOf, toMs } from './local-time.ts'
import { type CalendarScope, EventFault, type EventScope } from './read-scope.ts'
import { readRule } from './recurrence-rule.ts'
import { datesOf, producer, type Series } from './series-dates.ts'
import { toLocal } from './zone-clock.ts'
import { instantOf, type ZonedTime } from './zone-names.ts'

/** The form of DTSTART, on which the other times of a series depend. */
export interface StartForm {
  readonly start: string
  readonly zone: string | null
  /** DTSTART is a DATE. */
  readonly date: boolean
}

/** A DATE or DATE-TIME value of a property, with its zone (the conversion draft, 2.1.4). */
export function timeOf(property: Property, value: unknown, scope: CalendarScope): ZonedTime | null {
  if (typeof value !== 'string') return null
  const local = localOf(value)
  if (value.length === 10) return { local, zone: null }
  const tzid = parameterOf(property, 'tzid')
  if (value.endsWith('Z')) {
    // UTC with a TZID is no iCalendar. The instant is right, and the zone is the one that was meant.
    const zone = tzid === null ? 'Etc/UTC' : (scope.zones.timeOf(tzid, local, property.line).zone ?? 'Etc/UTC')
    return { local: toLocal(toMs(local), zone), zone }
  }
  return tzid === null ? { local, zone: null } : scope.zones.timeOf(tzid, local, property.line)
}

/** DTSTART; null: there is none. */
export function readStart({ event, bag, hatch, ...scope }: EventScope): StartForm | null {
  const property = bag.take('dtstart')
  if (property === null) return null
  const time = timeOf(property, property.values[0], scope)
  if (time === null) return null
  event['start'] = time.local
  if (time.zone !== null) event['timeZone'] = time.zone
  const date = property.type === 'date'
  if (date) event['showWithoutTime'] = true
  hatch.rest(['start'], property, ['tzid'])
  return { start: time.local, zone: time.zone, date }
}

/** DTEND or DURATION. A note says that it was DURATION; an event is written with DTEND otherwise. @param hasStart false: `form` is that of RECURRENCE-ID */
export function readEnd(scope: EventScope, form: StartForm, hasStart: boolean): void {
  const { event, bag, faults } = scope
  const end = bag.take('dtend')
  if (end !== null && !readDtend(scope, form, end)) {
    bag.putBack(end)
    faults.property(end.line, 'DTEND is before DTSTART.')
  }
  const duration = bag.take('duration')
  if (duration !== null) {
    // RFC 5545 3.6.1: not both.
    if (event['duration'] !== undefined)
      faults.property(duration.line, 'DURATION stands beside DTEND and has no effect.')
    else if (!readDuration(scope, duration)) {
      bag.putBack(duration)
      faults.property(duration.line, 'DURATION of an event is negative.')
    }
  }
  // RFC 5545 3.6.1: an event of a DATE without an end takes that day.
  if (form.date && hasStart) event['duration'] ??= 'P1D'
  // What has no effect is not kept beside what has.
  if (event['duration'] !== undefined) for (const name of ['dtend', 'duration']) bag.dropAll(name)
}

function readDuration({ event, hatch }: EventScope, property: Property): boolean {
  const [value] = property.values
  const positive = typeof value === 'string' ? positiveDuration(value) : null
  if (positive === null) return false
  event['duration'] = positive
  hatch.note(['duration'], 'duration', property.parameters)
  return true
}

function readDtend(scope: EventScope, form: StartForm, property: Property): boolean {
  const { event, hatch } = scope
  const end = timeOf(property, property.values[0], scope)
  if (end === null) return false
  if (form.date) {
    const days = daysBetween(form.start, end.local)
    if (days < 0) return false
    event['duration'] = dayDuration(days)
  } else {
    // A DATE, or a floating time beside a zone, is meant in the zone of DTSTART.
    const placed = end.zone === null || form.zone === null ? { local: end.local, zone: form.zone } : end
    const seconds = Math.round((instantOf(placed) - instantOf({ local: form.start, zone: form.zone })) / 1_000)
    if (seconds < 0) return false
    event['duration'] = exactDuration(seconds)
    if (placed.zone !== null && placed.zone !== form.zone) event['endTimeZone'] = placed.zone
  }
  hatch.rest(['duration'], property, ['tzid'])
  return true
}

/**
 * The recurrence id of a time: the local time in the zone of the series (RFC 5545 3.8.4.4: it may be written in another).
 * @param form of the series
 */
export function recurrenceKey(time: ZonedTime, form: StartForm, isDate: boolean): string {
  // A DATE means the instance of that day, also beside a DTSTART with a time.
  if (form.date || isDate) return time.local.slice(0, 10) + form.start.slice(10)
  if (time.zone === null || form.zone === null || time.zone === form.zone) return time.local
  return toLocal(instantOf(time), form.zone)
}

/** RRULE, RDATE and EXDATE. */
export function readSeries(scope: EventScope, form: StartForm): void {
  readRrule(scope, form)
  const overrides: { [key: string]: JsonObject } = {}
  const [added, excluded] = [scope.bag.takeAll('rdate'), scope.bag.takeAll('exdate')]
  // Also dates that stand twice cost their time.
  if ([...added, ...excluded].reduce((sum, { values }) => sum + values.length, 0) > ICALENDAR_MAX_DATES) throw tooMany()
  readRdates(scope, form, added, overrides)
  for (const property of excluded) {
    for (const value of property.values) {
      const time = timeOf(property, value, scope)
      if (time !== null) overrides[recurrenceKey(time, form, property.type === 'date')] = { excluded: true }
    }
  }
  readMoreRules(scope, form, overrides)
  if (Object.keys(overrides).length > ICALENDAR_MAX_DATES) throw tooMany()
  if (Object.keys(overrides).length > 0) scope.event['recurrenceOverrides'] = overrides
}

function tooMany(): EventFault {
  return new EventFault(`More than ${ICALENDAR_MAX_DATES} dates.`)
}

/**
 * A further RRULE and EXRULE (RFC 2445 4.8.5.2): JSCalendar 2.0 has one rule. The dates of a rule that ends, or excludes from a series that ends,
 * become overrides; another is kept and has no effect.
 */
function readMoreRules(scope: EventScope, form: StartForm, overrides: { [key: string]: JsonObject }): void {
  const { event, bag, faults } = scope
  const main = isObject(event['recurrenceRule']) ? seriesOf(form, event['recurrenceRule']) : null
  for (const name of ['rrule', 'exrule']) {
    for (const property of bag.takeAll(name)) {
      const [text] = property.values
      const rule = typeof text === 'string' ? readRule(text, form) : 'RRULE is no text'
      const dates = isObject(rule)
        ? scope.expansions.spend(() => datesOf(seriesOf(form, rule), name === 'exrule' ? main : null))
        : null
      if (dates === null) {
        bag.putBack(property)
        faults.property(property.line, `${name.toUpperCase()} is kept, but it has no effect.`)
        continue
      }
      const produces = main === null ? () => false : producer(main)
      for (const date of dates) {
        const known = Object.hasOwn(overrides, date)
        if (name === 'rrule' && !known && !produces(date)) overrides[date] = {}
        if (name === 'exrule' && (known || produces(date))) overrides[date] = { excluded: true }
      }
    }
  }
}

function seriesOf({ start, zone }: StartForm, rule: JsonObject): Series {
  return { start, timeZone: zone, rule }
}

function readRrule({ event, bag, hatch, faults }: EventScope, form: StartForm): void {
  const property = bag.take('rrule')
  if (property === null) return
  const [text] = property.values
  const rule = typeof text === 'string' ? readRule(text, { zone: form.zone, date: form.date }) : 'RRULE is no text'
  if (typeof rule === 'string') {
    // As it stands: ical.js might repair it, so that it has an effect when it is read again.
    hatch.keep({ ...property, type: 'unknown' })
    faults.property(property.line, `${rule}.`)
    return
  }
  event['recurrenceRule'] = rule
  hatch.rest(['recurrenceRule'], property, [])
}

/** 2.3.33: a date adds an instance; a period gives it a duration of its own. */
function readRdates(
  scope: EventScope,
  form: StartForm,
  properties: readonly Property[],
  overrides: { [key: string]: JsonObject },
): void {
  for (const property of properties) {
    for (const value of property.values) {
      const [first, second] = Array.isArray(value) ? value : [value]
      const time = timeOf(property, first, scope)
      if (time === null) continue
      const key = recurrenceKey(time, form, property.type === 'date')
      const duration = second === undefined ? null : periodLength(property, time, second, scope)
      overrides[key] = duration === null ? {} : { duration }
      if (duration !== null) scope.hatch.note(['recurrenceOverrides', key], 'rdate', {}, 'period')
    }
  }
}

function periodLength(property: Property, start: ZonedTime, end: unknown, scope: CalendarScope): string | null {
  if (typeof end !== 'string') return null
  if (/^[+-]?P/.test(end)) return positiveDuration(end)
  const time = timeOf(property, end, scope)
  const seconds = time === null ? -1 : Math.round((instantOf(time) - instantOf(start)) / 1_000)
  return seconds < 0 ? null : exactDuration(seconds)
}

/** RECURRENCE-ID of an instance that stands alone (2.3.34). */
export function setRecurrenceId(event: MutableJsonObject, time: ZonedTime): void {
  event['recurrenceId'] = time.local
  if (time.zone !== null) event['recurrenceIdTimeZone'] = time.zone
}

/** If times are those of whole days, so that they can be written as dates (the conversion draft, 3.2). */
export function isDateForm(event: JsonObject): boolean {
  const start = event['start']
  return (
    event['showWithoutTime'] === true && event['timeZone'] == null && typeof start === 'string' && isDateOnly(start)
  )
}
