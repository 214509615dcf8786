/** The times and the series of an event to properties (the conversion draft, 3.2). */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { readDuration } from '../jscalendar/date-times.ts'
import { endInstant, isWholeDays, plainDuration } from './duration.ts'
import { fromMs, isDateOnly } from './local-time.ts'
import { writeRule } from './recurrence-rule.ts'
import { producer } from './series-dates.ts'
import { objectEntries, property, type TimeForm, textMember, timeProperty, type WriteScope } from './write-scope.ts'
import { toLocal, toUtc } from './zone-clock.ts'

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/

/** The form and the zone of an event's times. */
export interface Times {
  readonly zone: string | null
  readonly form: TimeForm
}

export function timesOf(event: JsonObject): Times {
  const zone = textMember(event, 'timeZone')
  if (zone === null && event['showWithoutTime'] === true && hasOnlyDates(event)) return { zone, form: 'date' }
  return { zone, form: zone === 'Etc/UTC' && textMember(event, 'endTimeZone') === null ? 'utc' : 'local' }
}

/** 3.2: dates only if no value of the event has a time. */
function hasOnlyDates(event: JsonObject): boolean {
  const rule = event['recurrenceRule']
  const overrides = event['recurrenceOverrides']
  const locals = [
    event['start'],
    event['recurrenceId'],
    isObject(rule) ? rule['until'] : undefined,
    ...(isObject(overrides) ? Object.keys(overrides) : []),
  ]
  const duration = textMember(event, 'duration')
  return (
    locals.every((local) => typeof local !== 'string' || isDateOnly(local)) &&
    (duration === null || isWholeDays(duration))
  )
}

/** DTSTART with DTEND or DURATION. */
export function writeStart(scope: WriteScope, times: Times): void {
  const { event, kept, component, zones } = scope
  const start = textMember(event, 'start')
  if (start === null || !LOCAL.test(start)) return
  const { zone, form } = times
  if (zone !== null && form === 'local') zones.add(zone, start)
  component.properties.push(timeProperty('dtstart', start, zone, form, kept.parameters('dtstart', 'start')))
  writeEnd(scope, times, start)
  if (event['showWithoutTime'] === true && form !== 'date')
    component.properties.push(property('show-without-time', 'boolean', true))
}

/** DTEND, which more programs read right than DURATION, if it says the same and the event had no DURATION. */
function writeEnd(scope: WriteScope, { zone, form }: Times, start: string): void {
  const { event, kept, component, zones } = scope
  const duration = textMember(event, 'duration')
  if (duration === null || readDuration(duration)?.sign !== 1) return
  const endZone = textMember(event, 'endTimeZone') ?? zone
  const wantsEnd = endZone !== zone || (kept.converted('duration')?.name !== 'duration' && isPlain(duration, form))
  const end = wantsEnd ? endOf(start, duration, zone, endZone) : null
  if (end === null) {
    component.properties.push(
      property('duration', 'duration', plainDuration(duration), kept.parameters('duration', 'duration')),
    )
    return
  }
  const endForm: TimeForm = endZone === 'Etc/UTC' && form === 'local' && zone !== endZone ? 'utc' : form
  if (endZone !== null && endForm === 'local') zones.add(endZone, end)
  component.properties.push(timeProperty('dtend', end, endZone, endForm, kept.parameters('dtend', 'duration')))
}

/** If a reader of DTEND computes this duration: days for dates, absolute time for times. */
function isPlain(duration: string, form: TimeForm): boolean {
  return form === 'date' ? /^P\d+D$/.test(duration) : /^PT/.test(duration)
}

/** The end in its zone; null: a local time cannot say it, because it is the second of two. */
function endOf(start: string, duration: string, zone: string | null, endZone: string | null): string | null {
  const end = endInstant(start, duration, zone)
  if (zone === null || endZone === null) return fromMs(end)
  const local = toLocal(end, endZone)
  return toUtc(local, endZone) === end ? local : null
}

/** RECURRENCE-ID in the form of its series. */
export function writeRecurrenceId(scope: WriteScope, recurrenceId: string, { zone, form }: Times): void {
  const { kept, component, zones } = scope
  if (!LOCAL.test(recurrenceId)) return
  if (zone !== null && form === 'local') zones.add(zone, recurrenceId)
  component.properties.push(
    timeProperty('recurrence-id', recurrenceId, zone, form, kept.parameters('recurrence-id', 'recurrenceId')),
  )
}

/** RRULE, RDATE and EXDATE. @returns the overrides that are components of their own */
export function writeSeries(scope: WriteScope, { zone, form }: Times): [recurrenceId: string, patch: JsonObject][] {
  const { event, kept, component, zones } = scope
  const rule = event['recurrenceRule']
  const text = isObject(rule) ? writeRule(rule, { zone, date: form === 'date' }) : null
  if (text !== null)
    component.properties.push(property('rrule', 'recur', text, kept.parameters('rrule', 'recurrenceRule')))
  const own: [string, JsonObject][] = []
  const start = textMember(event, 'start') ?? ''
  const produces =
    isObject(rule) && text !== null ? lazily(() => producer({ start, timeZone: zone, rule })) : () => true
  for (const [key, patch] of objectEntries(event['recurrenceOverrides'])) {
    if (!LOCAL.test(key)) continue
    if (zone !== null && form === 'local') zones.add(zone, key)
    const names = Object.keys(patch)
    if (patch['excluded'] === true) {
      component.properties.push(timeProperty('exdate', key, zone, form))
      continue
    }
    const hint = kept.converted('recurrenceOverrides', key)
    const duration = patch['duration']
    if (names.length === 1 && typeof duration === 'string' && hint?.valueType === 'period' && form !== 'date') {
      component.properties.push(periodProperty(key, duration, zone, form))
      continue
    }
    // A date that no rule produces is added.
    const isAdded = hint?.name === 'rdate' || (text === null ? key !== start : !produces(key))
    if (names.length === 0 || isAdded) component.properties.push(timeProperty('rdate', key, zone, form))
    if (names.length > 0) own.push([key, patch])
  }
  return own
}

/** Most series have no instance that needs it. */
function lazily(make: () => (id: string) => boolean): (id: string) => boolean {
  let made: ((id: string) => boolean) | null = null
  return (id) => {
    made ??= make()
    return made(id)
  }
}

function periodProperty(key: string, duration: string, zone: string | null, form: TimeForm) {
  const parameters = form === 'local' && zone !== null ? { tzid: zone } : {}
  const start = form === 'utc' ? `${key}Z` : key
  return { name: 'rdate', parameters, type: 'period', values: [[start, plainDuration(duration)]], line: 0 }
}
