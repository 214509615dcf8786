/** The durable record of an event's meeting follows the event, in the unit of work of each change. A worker asks the provider afterwards. */
import { deleteMeeting, findMeetingOf, insertMeeting, updateMeeting } from '../../../storage/repos/meetings.ts'
import type { EventEffect } from '../event/event-change.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import type { ConferencingProvider } from '../jscalendar/conferencing.ts'
import { wantedMeeting } from './wanted-meeting.ts'

/** Providers that are asked for each meeting. The links of the others are made here (url-template.ts). */
const ASKED: readonly ConferencingProvider[] = ['zoom']

export const keepMeeting: EventEffect = {
  async apply({ unit }, { before, after, sendSchedulingMessages }) {
    const number = (after ?? before)?.number
    if (number === undefined || !(isAsked(before) || isAsked(after))) return
    const wish = isAsked(after) ? wantedMeeting(after) : null
    const wanted = wish && JSON.stringify(wish)
    const row = await findMeetingOf(unit, unit.account, number)
    if (!row) {
      const provider = after?.event.conferencing?.provider
      if (wanted === null || provider === undefined) return
      const sends = Number(sendSchedulingMessages)
      await insertMeeting(unit, { id: unit.nextObject(), event: number, provider, wanted, sends, due_at: unit.now })
      return
    }
    if (row.wanted === wanted) return
    const isUnasked = row.remote === null && row.is_unsure === 0 && row.lease_until <= unit.now
    if (wanted === null && isUnasked) await deleteMeeting(unit, row.id)
    else await updateMeeting(unit, row.id, { wanted, due_at: unit.now, attempts: 0 })
  },
}

function isAsked(stored: StoredEvent | null): stored is StoredEvent {
  const provider = stored?.event.conferencing?.provider
  return provider !== undefined && ASKED.includes(provider)
}
