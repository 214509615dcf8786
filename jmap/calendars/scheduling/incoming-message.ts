/** A scheduling message that arrived by mail (RFC 5546, RFC 6047), read as far as that needs no account. Plain data. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import type { ArrivedFile } from './arrived-files.ts'

/** RFC 5546 3.2. The organizer sends the first four, attendees the others. */
export const ORGANIZER_METHODS = ['request', 'add', 'cancel', 'declinecounter'] as const
export const ATTENDEE_METHODS = ['reply', 'counter', 'refresh'] as const

export type OrganizerMethod = (typeof ORGANIZER_METHODS)[number]
export type AttendeeMethod = (typeof ATTENDEE_METHODS)[number]

/** Who sent it, shown to be the one whom From names. */
export interface Sender {
  readonly name: string
  /** Normalised mail address. */
  readonly address: string
}

export interface IncomingMessage {
  readonly method: OrganizerMethod | AttendeeMethod
  readonly uid: string
  readonly sender: Sender
  /**
   * All of one UID: at most one whole event, and after it those that go on with it from a change of "this and future" instances
   * (jmap/calendars/icalendar/split-series.ts); instances by themselves have a `recurrenceId`. At least one.
   */
  readonly events: readonly JsonObject[]
  /** COMMENT; null: none. */
  readonly comment: string | null
  /** Parts of the mail that links of the events name. */
  readonly files: readonly ArrivedFile[]
}

/** Why a calendar part has no effect, as one sentence for the delivery trace. */
export interface Refusal {
  readonly refusal: string
  /** It could not be read in time: it may be read later. */
  readonly isLate?: true
}

/** The event of the message that is not one instance; null: it is about instances only. */
export function wholeEvent({ events }: IncomingMessage): JsonObject | null {
  return events.find((event) => getOwn(event, 'recurrenceId') === undefined) ?? null
}

/** RFC 5545 3.2.13: RECURRENCE-ID with RANGE=THISANDFUTURE, which the reader keeps as a note. */
export function isThisAndFuture(event: JsonObject): boolean {
  const kept = getOwn(event, 'iCalendar')
  const converted = isObject(kept) ? getOwn(kept, 'convertedProperties') : undefined
  const note = isObject(converted) ? getOwn(converted, 'recurrenceId') : undefined
  const parameters = isObject(note) ? getOwn(note, 'parameters') : undefined
  return isObject(parameters) && getOwn(parameters, 'range') === 'THISANDFUTURE'
}
