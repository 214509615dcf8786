/**
 * A JSCalendar Event of version 2.0 (draft-ietf-calext-jscalendarbis-20, here "jscalendarbis"; RFC 8984 is version 1.0). JSCalendar is
 * open: objects may hold properties that are not declared here, which are kept. Objects were checked when they entered, so that readers need
 * no further checks of what is declared.
 */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import type { Alerts } from './alert.ts'
import type { Conferencing } from './conferencing.ts'
import type { Links, Relation } from './link.ts'
import type { Location, VirtualLocation } from './location.ts'
import type { Participants } from './participant.ts'
import type { RecurrenceRule } from './recurrence-rule.ts'

/**
 * jscalendarbis 1.5.9: paths (RFC 8620 5.3) with values; null removes. In an override `{ excluded: true }` removes the instance.
 */
export type PatchObject = { readonly [path: string]: Json }

/** By recurrence id: LocalDateTime in the event's time zone. */
export type RecurrenceOverrides = { readonly [recurrenceId: string]: PatchObject }

export type EventStatus = 'confirmed' | 'cancelled' | 'tentative'

export type Event = {
  readonly '@type': 'Event'
  /** `2.0`. Absent in objects of version 1.0. */
  readonly version?: string

  // 3.1: metadata
  readonly uid: string
  /** By uid of the other object. */
  readonly relatedTo?: { readonly [uid: string]: Relation }
  readonly prodId?: string
  /** UTCDateTime */
  readonly created?: string
  /** UTCDateTime */
  readonly updated?: string
  /** Absent: 0. */
  readonly sequence?: number
  /** Of a scheduling message; no stored event has it (JMAP Calendars 5). */
  readonly method?: string

  // 3.2: what and where
  readonly title?: string
  readonly description?: string
  /** Absent: `text/plain`. */
  readonly descriptionContentType?: string
  /** An event of whole days. Absent: false. */
  readonly showWithoutTime?: boolean
  readonly locations?: { readonly [id: string]: Location }
  readonly mainLocationId?: string
  readonly virtualLocations?: { readonly [id: string]: VirtualLocation }
  readonly links?: Links
  /** A language tag. */
  readonly locale?: string
  readonly keywords?: { readonly [keyword: string]: true }
  /** By URI. */
  readonly categories?: { readonly [uri: string]: true }
  readonly color?: string

  // 3.3: recurrence
  /** LocalDateTime: this event is one instance of a series. Never together with a rule or overrides. */
  readonly recurrenceId?: string
  readonly recurrenceIdTimeZone?: string | null
  readonly recurrenceRule?: RecurrenceRule
  readonly recurrenceOverrides?: RecurrenceOverrides

  // 3.4: sharing and scheduling
  /** 0 (undefined) to 9; 1 is the highest. */
  readonly priority?: number
  /** Absent: `busy`. */
  readonly freeBusyStatus?: string
  /** `public`, `private`, `secret`. Absent: `public`. */
  readonly privacy?: string
  /** Where replies go (RFC 5545: ORGANIZER), such as `mailto:ada@example.com`. */
  readonly organizerCalendarAddress?: string
  readonly sentBy?: string
  readonly participants?: Participants

  // 3.5
  readonly alerts?: Alerts

  // 3.6
  /** An IANA name; null or absent: floating. */
  readonly timeZone?: string | null

  // 4.1: events only
  /** LocalDateTime in `timeZone`. */
  readonly start: string
  /** Duration; absent: PT0S. */
  readonly duration?: string
  /** An IANA name, if the event ends in another zone than it starts. */
  readonly endTimeZone?: string | null
  /** Absent: `confirmed`. */
  readonly status?: string

  // JMAP Calendars 5.1
  readonly mayInviteSelf?: boolean
  readonly mayInviteOthers?: boolean
  readonly hideAttendees?: boolean
  // JMAP Calendars 5
  readonly useDefaultAlerts?: boolean
  // Vendor
  readonly conferencing?: Conferencing

  /** What was converted from iCalendar and has no property of its own (draft-ietf-calext-jscalendar-icalendar-25). */
  readonly iCalendar?: JsonObject
}
