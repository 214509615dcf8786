/** Alert objects to VALARM (the conversion draft, 3.1). */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { readDuration } from '../jscalendar/date-times.ts'
import { plainDuration } from './duration.ts'
import { Kept } from './hatch.ts'
import { type Component, type Property, textOf } from './jcal.ts'
import { jsProps } from './jsprop.ts'
import { addKey } from './write-places.ts'
import { objectEntries, property, setNames, textMember, type WriteScope } from './write-scope.ts'

const MEMBERS = new Set(['@type', 'trigger', 'acknowledged', 'relatedTo', 'action', 'iCalendar'])

export function writeAlerts(scope: WriteScope): void {
  const alerts = objectEntries(scope.event['alerts'])
  const uids = new Map(alerts.map(([key, alert]) => [key, uidOf(alert) ?? key]))
  for (const [key, alert] of alerts) {
    const alarm = alarmOf(scope, key, alert, uids)
    if (alarm !== null) scope.component.components.push(alarm)
  }
}

function uidOf(alert: JsonObject): string | null {
  const uid = new Kept(alert).first('uid')
  return uid === null ? null : textOf(uid)
}

/** null: the trigger is of a type that iCalendar has not. */
function alarmOf(
  scope: WriteScope,
  key: string,
  alert: JsonObject,
  uids: ReadonlyMap<string, string>,
): Component | null {
  const kept = new Kept(alert)
  const trigger = triggerOf(alert, kept)
  if (trigger === null) return null
  const component: Component = { name: 'valarm', properties: [trigger], components: [...kept.components], line: 0 }
  const action = textMember(alert, 'action')
  const other = kept.first('action')
  if (action === 'display' || action === 'email')
    component.properties.unshift(property('action', 'text', action.toUpperCase()))
  // jscalendarbis 3.5.1: the usual action; RFC 5545 3.6.6 asks for one.
  else if (other === null) component.properties.unshift(property('action', 'text', 'DISPLAY'))
  const acknowledged = textMember(alert, 'acknowledged')
  if (acknowledged !== null) component.properties.push(property('acknowledged', 'date-time', acknowledged))
  component.properties.push(...relations(alert, kept, uids))
  addKey(component, kept, key)
  addRequired(component, kept, scope.event, action === 'email')
  if (scope.lossless) component.properties.push(...jsProps(alert, MEMBERS))
  component.properties.push(...kept.properties)
  return component
}

/** RFC 5545 3.6.6: what DISPLAY and EMAIL ask for, from the event. */
function addRequired(component: Component, kept: Kept, event: JsonObject, isEmail: boolean): void {
  const title = textMember(event, 'title') ?? 'Reminder'
  const names = isEmail ? ['description', 'summary'] : ['description']
  for (const name of names) {
    if (kept.first(name) === null) component.properties.push(property(name, 'text', title, { derived: 'TRUE' }))
  }
}

function triggerOf(alert: JsonObject, kept: Kept): Property | null {
  const { trigger } = alert
  if (!isObject(trigger)) return null
  const parameters = kept.parameters('trigger', 'trigger')
  const offset = textMember(trigger, 'offset')
  const when = textMember(trigger, 'when')
  if ((trigger['@type'] ?? 'OffsetTrigger') === 'OffsetTrigger') {
    if (offset === null || readDuration(offset) === null) return null
    const related = textMember(trigger, 'relativeTo')
    return property(
      'trigger',
      'duration',
      plainDuration(offset),
      related === null ? parameters : { ...parameters, related: related.toUpperCase() },
    )
  }
  const isTime =
    trigger['@type'] === 'AbsoluteTrigger' && when !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(when)
  return isTime ? property('trigger', 'date-time', when, parameters) : null
}

/** RELATED-TO by UIDs of alarms. */
function relations(alert: JsonObject, kept: Kept, uids: ReadonlyMap<string, string>): Property[] {
  return relatedProperties(alert, kept, (key) => uids.get(key) ?? key)
}

export function relatedProperties(object: JsonObject, kept: Kept, valueFor: (target: string) => string): Property[] {
  return objectEntries(object['relatedTo']).flatMap(([target, relation]) => {
    const types = setNames(relation['relation'])
    const parameters = kept.parameters('related-to', 'relatedTo', target)
    const all =
      types.length === 0 ? [parameters] : types.map((type) => ({ ...parameters, reltype: type.toUpperCase() }))
    return all.map((each) => property('related-to', 'text', valueFor(target), each))
  })
}
