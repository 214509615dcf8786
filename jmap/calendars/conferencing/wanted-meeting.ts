/** What a provider shall have of the meeting of an event. Pure. */
import { MEETING_TOPIC_MAX_CHARS } from '../../../server/base/conferencing-limits.ts'
import { intervalOf, UTC } from '../event/event-times.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { formatUTC } from '../jscalendar/date-times.ts'

export interface WantedMeeting {
  readonly topic: string
  /** UTCDateTime; null: it has no fixed time, as the event recurs, is of whole days, or is floating. */
  readonly start: string | null
  readonly minutes: number
}

const MINUTE_MS = 60_000

/** null: there shall be none. */
export function wantedMeeting({ event, isDraft }: StoredEvent): WantedMeeting | null {
  if (!event.conferencing || isDraft || event.status === 'cancelled') return null
  const { title, timeZone = null, recurrenceRule, recurrenceOverrides, showWithoutTime } = event
  const recurs = recurrenceRule !== undefined || recurrenceOverrides !== undefined
  const isOpen = recurs || showWithoutTime === true || timeZone === null
  const { start, end } = intervalOf(event, UTC)
  return {
    topic: [...(title ?? '')].slice(0, MEETING_TOPIC_MAX_CHARS).join('') || 'Meeting',
    start: isOpen ? null : formatUTC(start),
    minutes: Math.max(1, Math.ceil((end - start) / MINUTE_MS)),
  }
}
