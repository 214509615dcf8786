/** Alerts of an event (jscalendarbis 3.5.1). */
import type { Relation } from './link.ts'

export type OffsetTrigger = {
  readonly '@type'?: 'OffsetTrigger'
  /** A SignedDuration, such as `-PT15M`. */
  readonly offset: string
  /** Absent: `start`. */
  readonly relativeTo?: 'start' | 'end'
}

export type AbsoluteTrigger = {
  readonly '@type': 'AbsoluteTrigger'
  /** UTCDateTime */
  readonly when: string
}

/** A trigger of a type that this server does not know: it is kept, and never fires. */
export type UnknownTrigger = { readonly '@type': string }

export type Trigger = OffsetTrigger | AbsoluteTrigger | UnknownTrigger

export type Alert = {
  readonly '@type'?: 'Alert'
  readonly trigger: Trigger
  /** UTCDateTime of its dismissal. */
  readonly acknowledged?: string
  /** By id of an alert; `snooze` names the alert that this one repeats (JMAP Calendars 6.3). */
  readonly relatedTo?: { readonly [alertId: string]: Relation }
  /** Absent: `display`. */
  readonly action?: string
}

export type Alerts = { readonly [id: string]: Alert }
