/** What a scheduling message does to a calendar: decided from the stored events alone, and done afterwards (take-message.ts). */
import type { JsonObject } from '../../../server/base/json.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import type { IsOwn } from './own-participants.ts'

/** What the calendar has of the UID of a message. */
export interface KnownEvents {
  /** The event with all of its instances; null: there is none. */
  readonly whole: StoredEvent | null
  /** Events that go on with it from a change of "this and future" instances, in their order (split-event.ts). */
  readonly rest: readonly StoredEvent[]
  /** Instances that the owner is invited to by themselves. */
  readonly instances: readonly StoredEvent[]
  readonly isOwn: IsOwn
  /** Whether an invitation of that key was taken before; the event may have been deleted since. */
  isRemembered(key: string): boolean
}

export interface WantedChange {
  /** null: the event is made. */
  readonly before: StoredEvent | null
  /** A new event is in the calendars of this one, and has its privacy; absent: in the default calendar. */
  readonly beside?: StoredEvent
  /** null: the event is destroyed. */
  readonly event: JsonObject | null
}

/** The answer of an attendee that changed an event. */
export interface Answer {
  readonly attendee: string
  readonly status: string
  /** null: for the whole event. */
  readonly recurrenceId: string | null
}

export interface Decision {
  /** For the delivery trace: sentences. */
  readonly notes: readonly string[]
  readonly changes: readonly WantedChange[]
  /** Shown to the owner, though nothing changes. */
  readonly notices?: readonly { readonly about: StoredEvent; readonly text: string }[]
  readonly answers?: readonly Answer[]
  /** Keys of invitations that are not taken again. */
  readonly remember?: readonly string[]
}

export function nothing(note: string): Decision {
  return { notes: [note], changes: [] }
}
