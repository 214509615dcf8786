/** A change of an event for which messages may be due, and the messages. Plain data: it is stored, and passed between threads. */
import type { Event } from '../jscalendar/event.ts'

/** What is stored with the change. */
export interface StoredJob {
  /** null: it is new, or was a draft. */
  readonly before: Event | null
  /** null: it is destroyed. */
  readonly after: Event | null
  /** JMAP Calendars 5: the organizer is this account. Otherwise it answers an organizer elsewhere. */
  readonly isOrigin: boolean
  /** Epoch ms of the change. */
  readonly at: number
}

export interface SchedulingJob extends StoredJob {
  /** Mail addresses of participants that are the account's own, normalised. They get no messages. */
  readonly own: readonly string[]
  /** Of one mail. */
  readonly maxRecipients: number
}

export type SchedulingMethod = 'REQUEST' | 'CANCEL' | 'REPLY'

/** One message. Its recipients see the same of the event. */
export interface PlannedMessage {
  readonly method: SchedulingMethod
  /** Normalised mail addresses. */
  readonly to: readonly string[]
  /** Instances that it is about; null: the whole event. */
  readonly recurrenceIds: readonly string[] | null
  readonly subject: MessageSubject
  /** REPLY: the attendee, an address of the account. */
  readonly attendee: string | null
}

/**
 * What a message says. `invited`: the recipients know nothing of the event yet. `cancelled`: it does not take place; `uninvited`: it does,
 * without the recipients. The others are answers.
 */
export type MessageSubject = 'invited' | 'updated' | 'cancelled' | 'uninvited' | Answer

export const ANSWERS = ['accepted', 'declined', 'tentative', 'delegated'] as const
export type Answer = (typeof ANSWERS)[number]

/** A message as iCalendar, and what the words beside it say. */
export interface WrittenMessage {
  readonly text: string
  /** Files that the text names by their Content-IDs. */
  readonly attached: readonly AttachedLink[]
  readonly shown: ShownFacts
}

/** A link of an event to a file of the account. */
export interface AttachedLink {
  readonly blobId: string
  readonly title: string | null
  readonly contentType: string | null
}

export interface ShownFacts {
  readonly title: string | null
  /** LocalDateTime */
  readonly start: string
  /** Duration */
  readonly duration: string | null
  /** null: floating. */
  readonly timeZone: string | null
  readonly isAllDay: boolean
  readonly recurs: boolean
  readonly location: string | null
  readonly video: string | null
  readonly description: string | null
  readonly comment: string | null
  /** A language tag. */
  readonly locale: string | null
}
