/** A change of an event, and what parts of the calendar do about it (event-effects.ts). */
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import type { SetError } from '../../protocol/errors.ts'
import type { Services } from '../../type/context.ts'
import type { StoredEvent } from './stored-event.ts'

/** An event before and after a change, in its unit of work. */
export interface EventChange {
  /** null: it is made. */
  readonly before: StoredEvent | null
  /** null: it is destroyed. */
  readonly after: StoredEvent | null
  /** Names of the changed properties of CalendarEvent; empty unless it is updated. */
  readonly changed: readonly string[]
  /** JMAP Calendars 5.9.2: participants or the organizer get messages about it. */
  readonly sendSchedulingMessages: boolean
  readonly cause: EventCause
}

/** Who made a change: the owner, or a client of theirs; or somebody else by a scheduling message that arrived. */
export type EventCause = 'owner' | MessageCause

export interface MessageCause {
  readonly name: string
  /** null: unknown. */
  readonly email: string | null
  /** Such as `mailto:ada@example.com`; null: unknown. */
  readonly calendarAddress: string | null
  /** RFC 5546: COMMENT of the message; null: none. */
  readonly comment: string | null
}

export interface EventWrite {
  readonly services: Services
  readonly work: Unit
  readonly unit: AccountUnit
}

/** What a part of the calendar does when an event changes. It runs inside the unit of work, which may run again. */
export interface EventEffect {
  /** Before anything is written: why the change may not be. */
  refuse?(write: EventWrite, change: EventChange): Promise<SetError | null>
  /** After the rows are written. It must not wait for the network: it records what is to be done after the commit. */
  apply?(write: EventWrite, change: EventChange): Promise<void>
}
