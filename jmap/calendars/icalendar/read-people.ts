/** ORGANIZER, ATTENDEE and PARTICIPANT to Participant objects (the conversion draft, 2.2.1, 2.3.4, 2.3.29). */
import { type MutableJsonObject, setOwn } from '../../protocol/json-object.ts'
import type { Faults } from './faults.ts'
import { Hatch } from './hatch.ts'
import { freeKey, isId, uuidOf } from './ids.ts'
import { type Component, isDerived, type Parameters, type Property, parameterOf, parametersOf, textOf } from './jcal.ts'
import { readJsProps } from './jsprop.ts'
import { PropertyBag } from './property-bag.ts'
import { readLinks } from './read-links.ts'
import { componentKey } from './read-places.ts'
import type { EventScope } from './read-scope.ts'

/** Participants by key, and their keys by calendar address. */
class People {
  readonly all: { [key: string]: MutableJsonObject } = {}
  readonly #keys = new Map<string, string>()

  /** The key of the participant with an address; null: there is none. */
  keyOf(address: string): string | null {
    return this.#keys.get(addressKey(address)) ?? null
  }

  add(key: string, participant: MutableJsonObject, address: string | null): void {
    setOwn(this.all, key, participant)
    if (address !== null) this.#keys.set(addressKey(address), key)
  }
}

/** Schemes and mail addresses have no case (RFC 5545 3.3.3, RFC 5546 3.2). */
function addressKey(address: string): string {
  return address.trim().toLowerCase()
}

/** Two calendar addresses of the same user. */
export function sameAddress(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && addressKey(a) === addressKey(b)
}

const KINDS: { readonly [cutype: string]: string } = {
  INDIVIDUAL: 'individual',
  GROUP: 'group',
  RESOURCE: 'resource',
  ROOM: 'location',
}
const ROLES: { readonly [role: string]: string } = {
  'REQ-PARTICIPANT': 'required',
  'OPT-PARTICIPANT': 'optional',
  'NON-PARTICIPANT': 'informational',
  CHAIR: 'chair',
  OWNER: 'owner',
}
const STATUSES = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE', 'DELEGATED']
const SETS: { readonly [parameter: string]: string } = {
  'delegated-to': 'delegatedTo',
  'delegated-from': 'delegatedFrom',
  member: 'memberOf',
}

export function readPeople(scope: EventScope, component: Component): void {
  const { event, bag, hatch } = scope
  const people = new People()
  for (const property of bag.takeAll('attendee')) {
    if (addAttendee(property, people, hatch)) continue
    bag.putBack(property)
    scope.faults.property(property.line, 'The ATTENDEE is no URI, or stands twice; it is kept, but it has no effect.')
  }
  const organizer = bag.take('organizer')
  if (organizer !== null && !addOrganizer(scope, organizer, people)) {
    bag.putBack(organizer)
    scope.faults.property(organizer.line, 'The ORGANIZER is no URI; it is kept, but it has no effect.')
  }
  for (const inner of component.components) {
    if (inner.name === 'participant') addComponent(inner, people, scope.faults)
  }
  if (Object.keys(people.all).length > 0) event['participants'] = people.all
}

/** The URI; null: it is none. A mail address without `mailto:` is found in practice. */
function addressOf(property: Property): string | null {
  const address = textOf(property)?.trim() ?? ''
  if (/^[^\s:@]+@[^\s:@]+$/.test(address)) return `mailto:${address}`
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}]+$/u.test(address) ? address : null
}

/** False: it has no address, or another ATTENDEE has the same. */
function addAttendee(property: Property, people: People, hatch: Hatch): boolean {
  const address = addressOf(property)
  if (address === null || people.keyOf(address) !== null) return false
  const jsid = parameterOf(property, 'jsid')
  const key = freeKey(jsid !== null && isId(jsid) ? jsid : uuidOf(address), people.all, property.line)
  const participant: MutableJsonObject = { '@type': 'Participant', calendarAddress: address }
  const rest = readAttendee(participant, property)
  people.add(key, participant, address)
  if (Object.keys(rest).length > 0) hatch.note(['participants', key, 'calendarAddress'], 'attendee', rest)
  return true
}

/** Sets members from parameters; gives those that have none. */
function readAttendee(participant: MutableJsonObject, property: Property): Parameters {
  const rest: { [name: string]: string | readonly string[] } = {}
  for (const [name, value] of Object.entries(property.parameters)) {
    if (name === 'jsid' || readPlain(participant, property, name)) continue
    if (!readWord(participant, name, parametersOf(property, name))) rest[name] = value
  }
  return rest
}

/** Parameters whose text is the value. */
function readPlain(participant: MutableJsonObject, property: Property, name: string): boolean {
  const value = parameterOf(property, name) ?? ''
  const set = Object.hasOwn(SETS, name) ? SETS[name] : undefined
  if (set !== undefined) {
    participant[set] = Object.fromEntries(parametersOf(property, name).map((address) => [address, true]))
    return true
  }
  if (name === 'cn' && value !== '') participant['name'] = value
  else if (name === 'email' && value.includes('@')) participant['email'] = value
  else if (name === 'sent-by' && mailAddress(value) !== null) participant['sentBy'] = mailAddress(value)
  else return false
  return true
}

/** Parameters with registered values. False: the value has no counterpart. */
function readWord(participant: MutableJsonObject, name: string, values: readonly string[]): boolean {
  const word = (values[0] ?? '').toUpperCase()
  switch (name) {
    case 'cutype':
      if (!Object.hasOwn(KINDS, word)) return false
      participant['kind'] = KINDS[word]!
      return true
    case 'role': {
      const roles = values.map((value) => ROLES[value.toUpperCase()])
      if (roles.includes(undefined)) return false
      participant['roles'] = Object.fromEntries(roles.map((role) => [role, true]))
      return true
    }
    case 'partstat':
      if (!STATUSES.includes(word)) return false
      participant['participationStatus'] = word.toLowerCase()
      return true
    case 'rsvp':
      if (word !== 'TRUE' && word !== 'FALSE') return false
      participant['expectReply'] = word === 'TRUE'
      return true
    default:
      return false
  }
}

/** The addr-spec of a mailto URI (jscalendarbis 3.4.6: sentBy). */
export function mailAddress(uri: string): string | null {
  const [, address] = /^mailto:([^\s?]+)$/i.exec(uri.trim()) ?? []
  return address !== undefined && /[^@]@[^@]/.test(address) ? address : null
}

/** 2.3.29: `organizerCalendarAddress`, and a participant with the role of an owner. */
function addOrganizer({ event, hatch }: EventScope, property: Property, people: People): boolean {
  const address = addressOf(property)
  if (address === null) return false
  event['organizerCalendarAddress'] = address
  const member: MutableJsonObject = {}
  const rest: { [name: string]: string | readonly string[] } = {}
  for (const [name, value] of Object.entries(property.parameters)) {
    if (name === 'jsid') continue
    if (!['cn', 'email', 'sent-by'].includes(name) || !readPlain(member, property, name)) rest[name] = value
  }
  // 2.3.29: SENT-BY is also that of the event.
  if (member['sentBy'] !== undefined) event['sentBy'] = member['sentBy']
  const known = people.keyOf(address)
  const otherOwner = Object.values(people.all).some(
    ({ roles }) => typeof roles === 'object' && roles !== null && 'owner' in roles,
  )
  if (known !== null) {
    joinOrganizer(people.all[known]!, member, rest, hatch.noted(['participants', known, 'calendarAddress']))
    hatch.note(
      ['participants', known, 'calendarAddress'],
      'attendee',
      hatch.noted(['participants', known, 'calendarAddress']),
    )
  } else if (Object.keys(member).length > 0 || !otherOwner) {
    const jsid = parameterOf(property, 'jsid')
    const key = freeKey(jsid !== null && isId(jsid) ? jsid : uuidOf(address), people.all, property.line)
    people.add(key, { '@type': 'Participant', calendarAddress: address, ...member, roles: { owner: true } }, address)
  }
  if (Object.keys(rest).length > 0) hatch.note(['organizerCalendarAddress'], 'organizer', rest)
  return true
}

/** The organizer also attends: what ATTENDEE says counts; what ORGANIZER says differently is kept. */
function joinOrganizer(
  participant: MutableJsonObject,
  member: MutableJsonObject,
  rest: { [name: string]: string | readonly string[] },
  noted: Parameters,
): void {
  const parameters: { readonly [name: string]: string } = { name: 'cn', email: 'email', sentBy: 'sent-by' }
  for (const [name, value] of Object.entries(member)) {
    const parameter = parameters[name] ?? name
    if (participant[name] === undefined && noted[parameter] === undefined) participant[name] = value
    else if (participant[name] !== value) rest[parameter] = name === 'sentBy' ? `mailto:${value}` : String(value)
  }
  const roles = participant['roles']
  participant['roles'] = { ...(typeof roles === 'object' ? roles : {}), owner: true }
}

/** 2.2.1: a PARTICIPANT joins the participant of an ATTENDEE with the same address. */
function addComponent(component: Component, people: People, faults: Faults): void {
  const bag = new PropertyBag(component)
  const hatch = new Hatch('participant', true)
  const uid = bag.peek('uid')
  const key = componentKey(component, bag)
  const property = bag.take('calendar-address')
  const address = property === null ? null : addressOf(property)
  const known = address === null ? null : people.keyOf(address)
  // The key is that of the ATTENDEE.
  if (uid !== null && known !== null && key !== known) bag.putBack(uid)
  const participant: MutableJsonObject = known === null ? { '@type': 'Participant' } : people.all[known]!
  if (address !== null && known === null) {
    participant['calendarAddress'] = address
    hatch.note(['calendarAddress'], 'calendar-address')
  }
  const summary = bag.take('summary')
  if (summary !== null) {
    if (participant['name'] === undefined) {
      participant['name'] = textOf(summary)
      hatch.note(['name'], 'summary', summary.parameters)
    } else bag.putBack(summary)
  }
  readDescription(participant, bag, hatch)
  readLinks(participant, bag, hatch)
  readJsProps(participant, bag)
  bag.keepRest(hatch, faults)
  for (const inner of component.components) hatch.keepComponent(inner)
  hatch.addTo(participant)
  if (known === null) people.add(freeKey(key, people.all, component.line), participant, address)
}

/** 2.3.13, 2.3.41: DESCRIPTION, or STYLED-DESCRIPTION with its media type. */
export function readDescription(object: MutableJsonObject, bag: PropertyBag, hatch: Hatch): void {
  const styled = bag.peek('styled-description')
  if (styled !== null && isText(styled)) {
    bag.drop(styled)
    object['description'] = textOf(styled)
    object['descriptionContentType'] = parameterOf(styled, 'fmttype') ?? 'text/html'
    hatch.rest(['description'], styled, ['fmttype'])
    // The plain text of it is written again.
    bag.dropAll('description')
    return
  }
  const plain = bag.peek('description')
  if (plain === null || isDerived(plain) || textOf(plain) === '') return
  bag.drop(plain)
  object['description'] = textOf(plain)
  hatch.rest(['description'], plain, [])
}

function isText(property: Property): boolean {
  const type = parameterOf(property, 'fmttype')
  return property.type === 'text' && !isDerived(property) && (type === null || /^text\//i.test(type))
}
