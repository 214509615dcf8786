/** Whether an event takes the time of its owner (decision D22), by what it says itself. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { baseAddress } from '../../message/mail-address.ts'
import { isObject } from '../../protocol/json-object.ts'
import { mailAddressOf } from '../event/own-addresses.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import type { Event, PatchObject } from '../jscalendar/event.ts'
import { instanceOf } from '../jscalendar/overrides.ts'

/** `attending`: the owner has accepted, if only tentatively. `busy`: the owner has not answered, or is not asked. */
export type Attendance = 'free' | 'busy' | 'attending'

/** @param own addresses of the owner, normalised */
export function attendanceOf(event: JsonObject, own: ReadonlySet<string>): Attendance {
  if (event['freeBusyStatus'] === 'free' || event['status'] === 'cancelled') return 'free'
  const answers = answersOf(event, own)
  if (answers.length === 0) return 'busy'
  // Decision D22: an event that the owner has declined is free. Tentative counts as busy.
  if (answers.every((answer) => answer === 'declined')) return 'free'
  return answers.some((answer) => answer === 'accepted' || answer === 'tentative') ? 'attending' : 'busy'
}

function answersOf({ participants }: JsonObject, own: ReadonlySet<string>): unknown[] {
  const answers: unknown[] = []
  for (const participant of isObject(participants) ? Object.values(participants) : []) {
    if (!isObject(participant) || typeof participant['calendarAddress'] !== 'string') continue
    const address = mailAddressOf(participant['calendarAddress'])
    if (address !== null && (own.has(address) || own.has(baseAddress(address))))
      answers.push(participant['participationStatus'])
  }
  return answers
}

/** Properties that decide. */
const DECIDING = /^(?:freeBusyStatus|status|participants)(?:\/|$)/

/** Instances that differ from the event, by their recurrence ids as local seconds. */
export function attendanceOfInstances(event: Event, own: ReadonlySet<string>): ReadonlyMap<number, Attendance> {
  const usual = attendanceOf(event as JsonObject, own)
  const found = new Map<number, Attendance>()
  for (const [recurrenceId, patch] of Object.entries(event.recurrenceOverrides ?? {})) {
    if (!decides(patch)) continue
    const local = parseLocal(recurrenceId)
    const instance = instanceOf(event as JsonObject, recurrenceId)
    const attendance = instance && attendanceOf(instance, own)
    if (local !== null && attendance !== null && attendance !== usual) found.set(local / 1000, attendance)
  }
  return found
}

function decides(patch: PatchObject): boolean {
  return Object.keys(patch).some((path) => DECIDING.test(path))
}
