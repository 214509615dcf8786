/** VALARM to Alert objects (the conversion draft, 2.2.2). */
import { type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import { plainDuration } from './duration.ts'
import { Hatch } from './hatch.ts'
import { freeKey } from './ids.ts'
import { type Component, isDerived, type Property, parameterOf, textOf } from './jcal.ts'
import { readJsProps } from './jsprop.ts'
import { localOf } from './local-time.ts'
import { PropertyBag } from './property-bag.ts'
import { componentKey } from './read-places.ts'
import type { CalendarScope, EventScope } from './read-scope.ts'
import { timeOf } from './read-times.ts'
import { instantOf } from './zone-names.ts'

type Alerts = { [key: string]: MutableJsonObject }

/** Sets `alerts`. An alarm without a trigger that can be read is kept as it is. @param zone of the event; null: floating */
export function readAlerts(scope: EventScope, component: Component, zone: string | null): void {
  const alerts: Alerts = {}
  const alarms = component.components.filter(({ name }) => name === 'valarm')
  const keys = new Map(alarms.flatMap((alarm) => uidAndKey(alarm)))
  for (const alarm of alarms) {
    const read = alertOf(scope, alarm, zone, keys)
    if (read === null) {
      scope.faults.property(alarm.line, 'The VALARM has no TRIGGER that can be read; it is kept, but it has no effect.')
      scope.hatch.keepComponent(alarm)
      continue
    }
    setOwn(alerts, freeKey(read.key, alerts, alarm.line), read.alert)
  }
  if (Object.keys(alerts).length > 0) scope.event['alerts'] = alerts
}

/** The keys by which other alarms may name this one. */
function uidAndKey(alarm: Component): [uid: string, key: string][] {
  const bag = new PropertyBag(alarm)
  const uid = bag.peek('uid')
  const text = uid === null ? null : textOf(uid)
  return text === null ? [] : [[text, componentKey(alarm, bag)]]
}

function alertOf(
  scope: CalendarScope,
  component: Component,
  zone: string | null,
  keys: ReadonlyMap<string, string>,
): { readonly key: string; readonly alert: MutableJsonObject } | null {
  const bag = new PropertyBag(component)
  const hatch = new Hatch('valarm')
  const key = componentKey(component, bag)
  const trigger = bag.take('trigger')
  const when = trigger === null ? null : triggerOf(trigger, scope, zone)
  if (trigger === null || when === null) return null
  const alert: MutableJsonObject = { '@type': 'Alert', trigger: when }
  hatch.rest(['trigger'], trigger, ['related', 'tzid'])
  readAction(alert, bag)
  const acknowledged = bag.take('acknowledged')
  const at = acknowledged === null ? null : utcOf(acknowledged, scope)
  if (at !== null) alert['acknowledged'] = at
  readRelations(alert, bag, hatch, (uid) => keys.get(uid) ?? null)
  // What a writer derived because RFC 5545 3.6.6 asks for it is written again.
  for (const name of ['description', 'summary']) {
    const property = bag.peek(name)
    if (property !== null && isDerived(property)) bag.drop(property)
  }
  readJsProps(alert, bag)
  bag.keepRest(hatch, scope.faults)
  for (const inner of component.components) hatch.keepComponent(inner)
  hatch.addTo(alert)
  return { key, alert }
}

/** 2.3.2: other actions than DISPLAY and EMAIL are kept. Without one it is the usual action of Alert. */
function readAction(alert: MutableJsonObject, bag: PropertyBag): void {
  const action = bag.peek('action')
  const word = action === null ? 'DISPLAY' : (textOf(action) ?? '').trim().toUpperCase()
  if (word !== 'DISPLAY' && word !== 'EMAIL') return
  if (action !== null) bag.drop(action)
  alert['action'] = word.toLowerCase()
}

/** 2.3.44. */
function triggerOf(property: Property, scope: CalendarScope, zone: string | null): MutableJsonObject | null {
  const value = textOf(property)
  if (value === null) return null
  if (property.type === 'duration') {
    const trigger: MutableJsonObject = { '@type': 'OffsetTrigger', offset: plainDuration(value) }
    const related = parameterOf(property, 'related')?.toLowerCase()
    if (related === 'start' || related === 'end') trigger['relativeTo'] = related
    return trigger
  }
  const time = timeOf(property, value, scope)
  if (time === null || value.length === 10) return null
  // RFC 5545 3.8.6.3 asks for UTC; a local time is meant in the zone of the event.
  const placed = time.zone === null ? { local: time.local, zone } : time
  return { '@type': 'AbsoluteTrigger', when: utcText(instantOf(placed)) }
}

export function utcText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** A DATE-TIME that must be in UTC; one without a zone counts as UTC. */
export function utcOf(property: Property, scope: CalendarScope): string | null {
  const value = textOf(property)
  if (value === null || property.type !== 'date-time') return null
  const time = timeOf(property, value, scope)
  return time === null ? null : `${localOf(utcText(instantOf(time)))}Z`
}

/**
 * 2.3.35: sets `relatedTo` from RELATED-TO.
 * @param keyOf the key for a value of RELATED-TO; null: there is none, and the property is kept
 */
export function readRelations(
  object: MutableJsonObject,
  bag: PropertyBag,
  hatch: Hatch,
  keyOf: (value: string) => string | null = (value) => value,
): void {
  const relations: { [target: string]: Set<string> } = {}
  for (const property of bag.takeAll('related-to')) {
    const value = property.type === 'text' ? (textOf(property) ?? '') : ''
    const target = value === '' ? null : keyOf(value)
    if (target === null) {
      bag.putBack(property)
      continue
    }
    if (!Object.hasOwn(relations, target)) setOwn(relations, target, new Set())
    const type = parameterOf(property, 'reltype')?.toLowerCase()
    if (type !== undefined) relations[target]?.add(type)
    hatch.rest(['relatedTo', target], property, ['reltype'])
  }
  const entries = Object.entries(relations)
  if (entries.length === 0) return
  object['relatedTo'] = Object.fromEntries(
    entries.map(([target, types]) => {
      const relation = Object.fromEntries([...types].map((type) => [type, true]))
      return [target, types.size > 0 ? { '@type': 'Relation', relation } : { '@type': 'Relation' }]
    }),
  )
}
