/**
 * Scheduling messages in a mail that is delivered, checked as far as that needs no account: whether the sender may act at all (promise
 * C4), and whether the events have a form that can be stored. It runs outside of the unit of work.
 */
import { SCHEDULING_COMMENT_MAX_CHARS, SCHEDULING_INSTANCES_MAX } from '../../../server/base/calendar-data-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isOneOf } from '../../../server/base/known-names.ts'
import { isNamed } from '../../message/headers.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { isObject, quote } from '../../protocol/json-object.ts'
import type { Services } from '../../type/context.ts'
import { checkWritten } from '../event/event-error.ts'
import { Kept } from '../icalendar/hatch.ts'
import type { ReadCalendar } from '../icalendar/read-icalendar.ts'
import { seriesUidOf } from '../icalendar/this-and-future.ts'
import { arrivedFiles } from './arrived-files.ts'
import {
  ATTENDEE_METHODS,
  type IncomingMessage,
  ORGANIZER_METHODS,
  type Refusal,
  type Sender,
} from './incoming-message.ts'
import { readCalendarParts } from './incoming-parts.ts'
import { organizerOf, participantWith } from './own-participants.ts'

export interface ArrivingMail {
  readonly bytes: Uint8Array
  readonly parsed: ParsedMessage
  /** Whether the author in From is shown to be the author, or such checks are off. */
  readonly isAuthentic: boolean
  /** Milliseconds in which each calendar part must be read. */
  readonly waitMs: number
}

/** Never rejects: a mail is delivered whatever its calendar parts are. */
export async function readSchedulingMessages(
  services: Pick<Services, 'messageWork' | 'clock' | 'logger' | 'store'>,
  mail: ArrivingMail,
): Promise<readonly (IncomingMessage | Refusal)[]> {
  try {
    // Texts that can have no effect are not read: strangers make some that take long.
    const refusalOf = (method: string) => refusalBy(method, mail)
    const read = await readCalendarParts(services, mail.bytes, mail.parsed, { waitMs: mail.waitMs, refusalOf })
    const found = read.flatMap((one) => ('refusal' in one ? [one] : messageOf(one, mail)))
    const events = found.flatMap((one) => ('refusal' in one ? [] : one.events))
    const files = await arrivedFiles(services, mail, events)
    return found.map((one) => ('refusal' in one ? one : { ...one, files }))
  } catch (error) {
    services.logger.error({ error: String(error) }, 'a calendar part could not be processed')
    return [{ refusal: 'The calendar part has no effect: it could not be processed.' }]
  }
}

/** Empty: it is an ordinary calendar file. */
function messageOf(calendar: ReadCalendar, mail: ArrivingMail): (IncomingMessage | Refusal)[] {
  const { method } = calendar
  if (method === null) return []
  const refusal = refusalBy(method, mail)
  if (refusal !== null) return [refusal]
  const without = (reason: string) => [noEffect(method, reason)]
  const sender = authorOf(mail.parsed)
  if (sender === null || !isKnownMethod(method)) throw new Error('a message is refused without a reason')
  const events = calendar.events.map((event) => withoutOwn(event as JsonObject))
  const fault = faultOf(events)
  if (fault !== null) return without(fault)
  const impostor = isOneOf(ORGANIZER_METHODS, method) ? organizerFault(events, sender) : attendeeFault(events, sender)
  if (impostor !== null) return without(impostor)
  const unfit = method === 'request' || method === 'add' ? unfitness(events) : null
  if (unfit !== null) return without(`the event cannot be stored: ${unfit}`)
  const uid = String(events[0]?.['uid'])
  return [{ method, uid, sender, events, comment: commentOf(events), files: [] }]
}

function noEffect(method: string, reason: string): Refusal {
  return { refusal: `The calendar message ${quote(method.toUpperCase())} has no effect: ${reason}.` }
}

function isKnownMethod(method: string): method is IncomingMessage['method'] {
  return isOneOf(ORGANIZER_METHODS, method) || isOneOf(ATTENDEE_METHODS, method)
}

/** Why a message has no effect, whatever events it has; null: they matter. */
function refusalBy(method: string, { parsed, isAuthentic }: ArrivingMail): Refusal | null {
  if (method === 'publish') return noEffect(method, 'published events are imported by the owner only')
  if (!isKnownMethod(method)) return noEffect(method, 'the method is unknown')
  const sender = authorOf(parsed)
  if (sender === null) return noEffect(method, 'From does not name one author')
  return isAuthentic
    ? null
    : noEffect(method, `nothing shows that it is from ${sender.address}: neither DMARC nor an aligned signature`)
}

/** RFC 5546 3.2: all components have the same UID. */
function faultOf(events: readonly JsonObject[]): string | null {
  const [first] = events
  if (first === undefined) return 'it has no event'
  if (events.length > SCHEDULING_INSTANCES_MAX) return `it has more than ${SCHEDULING_INSTANCES_MAX} instances`
  const { uid } = first
  const isOther = (event: JsonObject) => event['uid'] !== uid && seriesUidOf(event) !== uid
  return events.some(isOther) ? 'it is about several events' : null
}

/** RFC 5322 3.6: one From. */
export function authorOf({ headers, from }: ParsedMessage): Sender | null {
  const [author, ...others] = from ?? []
  const address = author ? normaliseAddress(author.email) : null
  const isOne = headers.filter((field) => isNamed(field, 'from')).length === 1 && others.length === 0
  return author && isOne && address !== null ? { name: author.name || address, address } : null
}

/** RFC 6047 2.2.1: only the organizer changes an event. SENT-BY shows no authority. */
function organizerFault(events: readonly JsonObject[], { address }: Sender): string | null {
  for (const event of events) {
    const organizer = organizerOf(event)
    if (organizer === null) return 'it names no organizer with a mail address'
    if (organizer !== address) return `it is from ${address}, but the organizer is ${quote(organizer)}`
  }
  return null
}

/** RFC 6047 2.2.1: only an attendee says whether they come. */
function attendeeFault(events: readonly JsonObject[], { address }: Sender): string | null {
  const isThere = events.every((event) => participantWith(event, address) !== null)
  return isThere ? null : `it is from ${address}, whom it does not name as an attendee`
}

function unfitness(events: readonly JsonObject[]): string | null {
  for (const event of events) {
    const checked = checkWritten(event)
    if ('error' in checked) return (checked.error.description ?? checked.error.type).replace(/\.$/, '')
  }
  return null
}

/** Blobs and meetings are those of this account: nobody else names them. */
function withoutOwn(event: JsonObject): JsonObject {
  const kept = strip(event)
  return isObject(kept) ? kept : event
}

const OWN = /(?:^|\/)blobId$|^conferencing(?:\/|$)/

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map(strip)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => !OWN.test(name))
  return Object.fromEntries(members.map(([name, member]) => [name, strip(member)]))
}

function commentOf(events: readonly JsonObject[]): string | null {
  for (const event of events) {
    const text = new Kept(event).first('comment')?.values[0]
    const said = typeof text === 'string' ? text.trim() : ''
    if (said !== '') return said.slice(0, SCHEDULING_COMMENT_MAX_CHARS).toWellFormed()
  }
  return null
}
