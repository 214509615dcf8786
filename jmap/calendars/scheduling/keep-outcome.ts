/**
 * What became of messages, in the participants of the event: `scheduleStatus` (RFC 8984 4.4.6) says that one could not be sent, and
 * disappears when a later one is. Successes are not noted, since each would be a change of the event; the queue of mail knows them.
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { jsonEqual } from '../../protocol/json-object.ts'
import type { EventWrite } from '../event/event-change.ts'
import { changeEvent } from '../event/store-event.ts'
import { eventOfRow } from '../event/stored-event.ts'
import { mailAddressOf } from '../itip/calendar-address.ts'
import type { Participant } from '../jscalendar/participant.ts'

export interface Outcome {
  /** Mail addresses, normalised. */
  readonly sent: readonly string[]
  readonly failed: readonly string[]
  /** Why some failed, as a sentence. */
  readonly reason: string | null
}

/** RFC 6638 3.2.9: the message could not be delivered. */
const NOT_DELIVERED = ['5.1']

/** Inside the unit of work. The owner gets a notification of failures (JMAP Calendars 7). */
export async function keepOutcome(write: EventWrite, number: number, { sent, failed, reason }: Outcome): Promise<void> {
  const { unit } = write
  const row = await findCalendarEvent(unit, unit.account, number)
  const before = row && eventOfRow(row)
  const { participants } = before?.event ?? {}
  if (!before || !participants) return
  const noted = Object.entries(participants).map(([id, participant]): [string, Participant] => {
    const address = mailAddressOf(participant.calendarAddress)
    if (address !== null && failed.includes(address)) return [id, { ...participant, scheduleStatus: NOT_DELIVERED }]
    if (address === null || !sent.includes(address)) return [id, participant]
    const { scheduleStatus: _old, ...others } = participant
    return [id, others]
  })
  const next = Object.fromEntries(noted)
  if (jsonEqual(next as JsonObject, participants as JsonObject)) return
  const after = { ...before, event: { ...before.event, participants: next } }
  const cause = { name: 'Posthouse', email: null, calendarAddress: null, comment: reason }
  await changeEvent(write, { before, after, changed: ['participants'], sendSchedulingMessages: false, cause })
}
