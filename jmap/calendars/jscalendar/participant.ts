/** Participants of an event (jscalendarbis 3.4.6). */
import type { Links } from './link.ts'

export const PARTICIPATION_STATUSES = ['needs-action', 'accepted', 'declined', 'tentative', 'delegated'] as const
export type ParticipationStatus = (typeof PARTICIPATION_STATUSES)[number]

export const PARTICIPANT_ROLES = ['owner', 'attendee', 'optional', 'informational', 'chair', 'contact'] as const

export type Participant = {
  readonly '@type'?: 'Participant'
  readonly name?: string
  /** An address for people to write to. Messages of scheduling go to `calendarAddress`. */
  readonly email?: string
  readonly description?: string
  readonly descriptionContentType?: string
  /** The URI for scheduling, such as `mailto:ada@example.com`. */
  readonly calendarAddress?: string
  /** `individual`, `group`, `location`, `resource`. */
  readonly kind?: string
  /** String[Boolean]: PARTICIPANT_ROLES and others. */
  readonly roles?: { readonly [role: string]: true }
  /** A ParticipationStatus, or one that this server does not know. Absent: `needs-action`. */
  readonly participationStatus?: string
  /** Absent: false. */
  readonly expectReply?: boolean
  readonly sentBy?: string
  /** By calendar address or id of a participant. */
  readonly delegatedTo?: { readonly [participant: string]: true }
  readonly delegatedFrom?: { readonly [participant: string]: true }
  readonly memberOf?: { readonly [participant: string]: true }
  readonly links?: Links
  /** Absent: `server`. Else the client sends messages to the participant itself, or nobody does (RFC 8984 4.4.6). */
  readonly scheduleAgent?: string
  /** Codes of what became of the last message to the participant (RFC 8984 4.4.6). */
  readonly scheduleStatus?: readonly string[]
  /** What the participant says with their answer (RFC 8984 4.4.6). */
  readonly participationComment?: string
  readonly progress?: string
  readonly percentComplete?: number
  /** JMAP Calendars 5.2: `sequence` of the last reply that was applied. Absent: 0. */
  readonly scheduleSequence?: number
  /** JMAP Calendars 5.2: `updated` of the last reply that was applied (UTCDateTime). */
  readonly scheduleUpdated?: string
}

/** By an Id that the writer chose. */
export type Participants = { readonly [id: string]: Participant }
