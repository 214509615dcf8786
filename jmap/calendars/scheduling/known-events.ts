/** What the calendar has of the UID of a scheduling message, read in the unit of work that takes it. */
import { ICALENDAR_MAX_SPLITS } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { calendarEventsOfUid } from '../../../storage/repos/calendar-events.ts'
import { rememberedKeys } from '../../../storage/repos/delivery-memory.ts'
import type { EventWrite } from '../event/event-change.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import { relatedUids, seriesUidOf } from '../icalendar/this-and-future.ts'
import type { KnownEvents } from './decision.ts'
import type { IncomingMessage } from './incoming-message.ts'
import { organizerOf, ownAddresses } from './own-participants.ts'
import { invitationKeys } from './take-request.ts'

/** @param recipient the address to which the mail came */
export async function knownEvents(
  { unit }: EventWrite,
  message: IncomingMessage,
  recipient: string,
): Promise<KnownEvents> {
  const rows = (await calendarEventsOfUid(unit, unit.account, message.uid)).map(eventOfRow)
  const keys = message.method === 'request' ? invitationKeys(message) : []
  const remembered = await rememberedKeys(unit, unit.account, 'invitation', keys, unit.now)
  const whole = rows.find(({ event }) => event.recurrenceId === undefined) ?? null
  return {
    whole,
    rest: whole === null ? [] : await piecesAfter(unit, whole),
    instances: rows.filter(({ event }) => event.recurrenceId !== undefined),
    isOwn: await ownAddresses(unit, unit.account, recipient),
    isRemembered: (key) => remembered.has(key),
  }
}

/** What goes on with an event from changes of "this and future" instances: a chain of relations (jscalendarbis 3.1.3). */
async function piecesAfter(unit: AccountUnit, whole: StoredEvent): Promise<StoredEvent[]> {
  const { uid } = whole.event
  const pieces: StoredEvent[] = []
  let last = whole
  while (pieces.length <= ICALENDAR_MAX_SPLITS) {
    const [next] = relatedUids(last.event as JsonObject, 'next')
    const [row] = next === undefined ? [] : await calendarEventsOfUid(unit, unit.account, next)
    const piece = row ? eventOfRow(row) : null
    // Anybody may name a relation to an event of somebody else.
    if (piece === null || next === uid || seriesUidOf(piece.event as JsonObject) !== uid) break
    if (organizerOf(piece.event) !== organizerOf(whole.event)) break
    pieces.push(piece)
    last = piece
  }
  return pieces
}
