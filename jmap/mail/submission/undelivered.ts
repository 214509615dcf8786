/**
 * A message about an event that a recipient did not get. The room of calendars stands above this one: it reads the row from its own queue
 * (jmap/calendars/scheduling/outgoing-queue.ts) and notes it in the event.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { insertSchedulingMessage } from '../../../storage/repos/scheduling-messages.ts'

/** `data` of such a row. */
export interface Undelivered {
  /** A mail address. */
  readonly undelivered: string
  /** What the server of the recipient said: one line. */
  readonly reason: string
}

/** In the commit of the report. */
export async function noteUndelivered(unit: AccountUnit, calendarEvent: number, told: Undelivered): Promise<void> {
  const data = JSON.stringify(told)
  await insertSchedulingMessage(unit, { id: unit.nextObject(), calendar_event: calendarEvent, data })
}
