/** Participant objects to ORGANIZER, ATTENDEE and PARTICIPANT (the conversion draft, 3.6). */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { Kept } from './hatch.ts'
import { uuidOf } from './ids.ts'
import type { Component, Parameters, Property } from './jcal.ts'
import { jsProps } from './jsprop.ts'
import { sameAddress } from './read-people.ts'
import { writeDescription } from './write-description.ts'
import { writeLinks } from './write-links.ts'
import { addKey } from './write-places.ts'
import { objectEntries, property, setNames, textMember, type WriteScope } from './write-scope.ts'

const CUTYPES: { readonly [kind: string]: string } = {
  individual: 'INDIVIDUAL',
  group: 'GROUP',
  resource: 'RESOURCE',
  location: 'ROOM',
}
const ROLES: { readonly [role: string]: string } = {
  chair: 'CHAIR',
  required: 'REQ-PARTICIPANT',
  optional: 'OPT-PARTICIPANT',
  informational: 'NON-PARTICIPANT',
  owner: 'OWNER',
}
const STATUSES = ['needs-action', 'accepted', 'declined', 'tentative', 'delegated']
const SETS: { readonly [member: string]: string } = {
  delegatedTo: 'delegated-to',
  delegatedFrom: 'delegated-from',
  memberOf: 'member',
}
/** Members that ORGANIZER, ATTENDEE and PARTICIPANT say; roles are divided among them and JSPROP. */
const ORGANIZER = ['@type', 'name', 'email', 'sentBy', 'calendarAddress', 'roles']
const ATTENDEE = [...ORGANIZER, ...Object.keys(SETS), 'kind', 'participationStatus', 'expectReply']
const PARTICIPANT = [
  '@type',
  'name',
  'calendarAddress',
  'roles',
  'description',
  'descriptionContentType',
  'links',
  'iCalendar',
]
const NONE: ReadonlySet<string> = new Set()

export function writePeople(scope: WriteScope): void {
  const { event, component } = scope
  const people = objectEntries(event['participants'])
  const organizer = textMember(event, 'organizerCalendarAddress')
  if (organizer !== null && people.length > 0) writeOrganizer(scope, organizer, people)
  for (const [key, person] of people) {
    const isOrganizer = sameAddress(person['calendarAddress'], organizer)
    const more = scope.lossless ? unsaid(key, person, isOrganizer) : []
    if (isOrganizer && more.length === 0 && isOrganizerOnly(scope.kept, key, person)) continue
    if (isAttendee(person)) writeAttendee(scope, key, person, isOrganizer, more.length > 0)
    if (isComponent(person)) component.components.push(participantOf(key, person, scope.lossless))
    component.properties.push(...more)
  }
}

/** 3.6: ORGANIZER says all of it, and there was no ATTENDEE beside it. */
function isOrganizerOnly(kept: Kept, key: string, person: JsonObject): boolean {
  if (kept.converted('participants', key, 'calendarAddress')?.name === 'attendee') return false
  return (
    Object.keys(person).every((name) => ORGANIZER.includes(name)) &&
    setNames(person['roles']).every((role) => role === 'owner')
  )
}

/** Whether ATTENDEE says it, and not PARTICIPANT alone. */
function isAttendee(person: JsonObject): boolean {
  return (
    textMember(person, 'calendarAddress') !== null &&
    new Kept(person).converted('calendarAddress')?.name !== 'calendar-address'
  )
}

/** JSPROP for what no property says. jscalendarbis 3.4.6: roles that are not known are kept, such as `attendee` of RFC 8984. */
function unsaid(key: string, person: JsonObject, isOrganizer: boolean): Property[] {
  const byAttendee = isAttendee(person) ? ATTENDEE.filter((name) => hasWord(name, person[name])) : []
  const said = [...PARTICIPANT, ...(isOrganizer ? ORGANIZER : []), ...byAttendee]
  const path = ['participants', key]
  const roles = setNames(person['roles'])
  const others = roles.filter(
    (role) => !(isOrganizer && role === 'owner') && !(isAttendee(person) && Object.hasOwn(ROLES, role)),
  )
  const more = jsProps(person, new Set(said), path)
  if (others.length === 0) return more
  const set = Object.fromEntries(others.map((role) => [role, true]))
  // A pointer into the set needs another role, by which the set is there when the text is read.
  const isThere = isOrganizer || others.length < roles.length
  return [...more, ...(isThere ? jsProps(set, NONE, [...path, 'roles']) : jsProps({ roles: set }, NONE, path))]
}

/** Whether ATTENDEE has a word for the value of a member. */
function hasWord(name: string, value: Json | undefined): boolean {
  if (name === 'kind') return typeof value === 'string' && Object.hasOwn(CUTYPES, value)
  return name !== 'participationStatus' || (typeof value === 'string' && STATUSES.includes(value))
}

function writeOrganizer(
  { event, kept, component }: WriteScope,
  address: string,
  people: readonly [string, JsonObject][],
): void {
  const [key, person] = people.find(([, { calendarAddress }]) => sameAddress(calendarAddress, address)) ?? [null, {}]
  const name = textMember(person, 'name')
  const email = textMember(person, 'email')
  const sentBy = textMember(event, 'sentBy') ?? textMember(person, 'sentBy')
  const parameters: Parameters = {
    ...(name === null ? {} : { cn: name }),
    ...(email === null ? {} : { email }),
    ...(sentBy === null ? {} : { 'sent-by': `mailto:${sentBy}` }),
    // What ORGANIZER said otherwise than ATTENDEE.
    ...kept.parameters('organizer', 'organizerCalendarAddress'),
    ...(key === null || key === uuidOf(address) ? {} : { jsid: key }),
  }
  component.properties.push(property('organizer', 'cal-address', address, parameters))
}

function writeAttendee(
  { kept, component }: WriteScope,
  key: string,
  person: JsonObject,
  isOrganizer: boolean,
  named: boolean,
): void {
  const address = textMember(person, 'calendarAddress')!
  const parameters: { [name: string]: string | readonly string[] } = {
    ...kept.parameters('attendee', 'participants', key, 'calendarAddress'),
  }
  const set = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined) parameters[name] = value
  }
  const member = (name: string) => textMember(person, name)
  const kind = member('kind') ?? ''
  if (Object.hasOwn(CUTYPES, kind)) set('cutype', CUTYPES[kind])
  for (const [name, parameter] of Object.entries(SETS)) {
    const addresses = setNames(person[name])
    if (addresses.length > 0) parameters[parameter] = addresses
  }
  const roles = setNames(person['roles']).filter((role) => !(isOrganizer && role === 'owner'))
  const words = roles.flatMap((role) => (Object.hasOwn(ROLES, role) ? ROLES[role]! : []))
  if (words.length > 0) parameters['role'] = words
  const status = member('participationStatus')
  set('partstat', status !== null && STATUSES.includes(status) ? status.toUpperCase() : null)
  if (typeof person['expectReply'] === 'boolean') set('rsvp', person['expectReply'] ? 'TRUE' : 'FALSE')
  const sentBy = member('sentBy')
  set('sent-by', sentBy === null ? null : `mailto:${sentBy}`)
  set('cn', member('name'))
  set('email', member('email'))
  if (named || key !== uuidOf(address)) set('jsid', key)
  component.properties.push(property('attendee', 'cal-address', address, parameters))
}

function isComponent(person: JsonObject): boolean {
  return (
    new Kept(person).component === 'participant' ||
    textMember(person, 'calendarAddress') === null ||
    ['description', 'links'].some((name) => person[name] !== undefined)
  )
}

function participantOf(key: string, person: JsonObject, lossless: boolean): Component {
  const kept = new Kept(person)
  const component: Component = { name: 'participant', properties: [], components: [...kept.components], line: 0 }
  addKey(component, kept, key)
  const address = textMember(person, 'calendarAddress')
  if (address !== null) component.properties.push(property('calendar-address', 'cal-address', address))
  const name = textMember(person, 'name')
  const summary = kept.converted('name')
  if (name !== null && (address === null || summary?.name === 'summary')) {
    component.properties.push(property('summary', 'text', name, summary?.parameters ?? {}))
  }
  writeDescription(person, kept, component, null)
  writeLinks(person, kept, component, lossless)
  component.properties.push(...kept.properties)
  return component
}
