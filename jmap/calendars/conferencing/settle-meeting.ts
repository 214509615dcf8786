/** Records what a provider has answered about a meeting, in the record and in the event. */
import {
  MEETING_NOTE_MAX_CHARS,
  MEETING_RETRY_MAX_MS,
  MEETING_RETRY_MS,
} from '../../../server/base/conferencing-limits.ts'
import { findCalendarEvent } from '../../../storage/repos/calendar-events.ts'
import { deleteMeeting, findMeeting, updateMeeting } from '../../../storage/repos/meetings.ts'
import type { MeetingTable } from '../../../storage/schema/meeting.ts'
import type { EventWrite } from '../event/event-change.ts'
import { changeEvent } from '../event/store-event.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import { linkOf } from '../jscalendar/conferencing.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import type { Event } from '../jscalendar/event.ts'
import { withFailure, withLink } from './event-meeting.ts'
import type { MeetingOutcome, MeetingTask } from './meeting-queue.ts'

/** What follows from an answer. `linked`, `failed`: the event says so now. `left`: the meeting of an event that is no more was not deleted. */
export type Settled =
  | { readonly kind: 'linked' | 'failed'; readonly event: StoredEvent }
  | { readonly kind: 'left' | 'done' }

const DONE: Settled = { kind: 'done' }
const FREE = { lease: null, lease_until: 0 } as const

/** Inside the unit of work. A report about another lease has no effect. */
export async function settleMeeting(
  write: EventWrite,
  { id, lease, wanted }: MeetingTask,
  outcome: MeetingOutcome,
): Promise<Settled> {
  const { unit } = write
  const row = await findMeeting(unit, unit.account, id)
  if (row?.lease !== lease) return DONE
  const isCurrent = row.wanted === (wanted && JSON.stringify(wanted))
  switch (outcome.kind) {
    case 'kept': {
      const { remote, joinUrl } = outcome
      const done = { remote, is_unsure: 0, attempts: 0, due_at: isCurrent ? null : unit.now }
      await updateMeeting(unit, id, { ...done, ...FREE })
      return keepLink(write, row, joinUrl)
    }
    case 'removed':
      if (row.wanted === null) await deleteMeeting(unit, id)
      else await updateMeeting(unit, id, { remote: null, is_unsure: 0, attempts: 0, due_at: unit.now, ...FREE })
      return DONE
    case 'failed':
      return keepFailure(write, row, outcome, isCurrent)
  }
}

async function keepFailure(
  write: EventWrite,
  row: MeetingTable,
  { reason, mayComeRight, retryAfter, isUnsure }: Extract<MeetingOutcome, { kind: 'failed' }>,
  isCurrent: boolean,
): Promise<Settled> {
  const { unit } = write
  const next = { is_unsure: Number(isUnsure && row.remote === null), ...FREE }
  // The event has changed meanwhile: the change is tried with attempts of its own.
  if (!isCurrent) {
    await updateMeeting(unit, row.id, { ...next, due_at: unit.now })
    return DONE
  }
  const wait = MEETING_RETRY_MS[row.attempts]
  if (mayComeRight && wait !== undefined) {
    const least = Math.min(retryAfter ?? 0, MEETING_RETRY_MAX_MS)
    await updateMeeting(unit, row.id, {
      ...next,
      attempts: row.attempts + 1,
      due_at: unit.now + Math.max(wait, least),
    })
    return DONE
  }
  if (row.wanted === null) {
    await deleteMeeting(unit, row.id)
    return { kind: 'left' }
  }
  // The count marks it as failed, until an answer or another connection.
  await updateMeeting(unit, row.id, { ...next, attempts: row.attempts + 1, due_at: null })
  const note = reason.slice(0, MEETING_NOTE_MAX_CHARS)
  return changeMeeting(write, row, false, 'failed', (event) => withFailure(event, event.conferencing!, note))
}

async function keepLink(write: EventWrite, row: MeetingTable, joinUrl: string | null): Promise<Settled> {
  return changeMeeting(write, row, row.sends === 1, 'linked', (event) => {
    const { provider, status } = event.conferencing!
    const uri = joinUrl ?? linkOf(event)
    if (uri === null || (status === 'ready' && uri === linkOf(event))) return null
    return withLink(event, provider, uri)
  })
}

/** @param next null: the event is as it should be */
async function changeMeeting(
  write: EventWrite,
  { event: number }: MeetingTable,
  sendSchedulingMessages: boolean,
  kind: 'linked' | 'failed',
  next: (event: Event) => Event | null,
): Promise<Settled> {
  const { unit } = write
  const found = await findCalendarEvent(unit, unit.account, number)
  const before = found && eventOfRow(found)
  const changed = before?.event.conferencing ? next(before.event) : null
  if (!before || !changed) return DONE
  // RFC 5546 2.1.5: a later DTSTAMP is enough, as neither time nor place of the participants changes.
  const event = { ...changed, updated: formatUTC(Math.floor(unit.now / 1000) * 1000) }
  const after = { ...before, event }
  const names = ['updated', 'conferencing', ...(linkOf(event) === linkOf(before.event) ? [] : ['virtualLocations'])]
  const error = await changeEvent(write, {
    before,
    after,
    changed: names,
    sendSchedulingMessages: sendSchedulingMessages && names.includes('virtualLocations'),
    cause: 'owner',
  })
  // A link is less than what refuses a change of the event: it stays as it was.
  return error ? DONE : { kind, event: after }
}
