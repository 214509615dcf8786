/** What an event says about the time of its owner (decision D22, JMAP Calendars 2.2). Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import type { Event, PatchObject } from '../jscalendar/event.ts'
import { instanceOf } from '../jscalendar/overrides.ts'

/** `attending`: the owner has accepted, if only tentatively. `busy`: the owner has not answered, or is not asked. */
export type Attendance = 'free' | 'busy' | 'attending'

/** JMAP Calendars 2.2: of BusyPeriod. */
export type BusyStatus = 'confirmed' | 'unavailable' | 'tentative'

export interface Claim {
  readonly attendance: Attendance
  readonly status: BusyStatus
  readonly privacy: 'public' | 'private' | 'secret'
}

/** The few claims that there are, so that many events share them and two are compared at once. */
const claims = new Map<string, Claim>()

/** Whether a calendar address, a URI, is one of the owner's. */
export type IsOwn = (calendarAddress: string) => boolean

export function claimOf(event: JsonObject, isOwn: IsOwn): Claim {
  const answers = answersOf(event, isOwn)
  const attendance = attendanceOf(event, answers)
  return interned({ attendance, status: statusOf(event, answers), privacy: privacyOf(event) })
}

/** The claim of a draft, which is no appointment yet. */
export const FREE: Claim = interned({ attendance: 'free', status: 'unavailable', privacy: 'public' })

function attendanceOf(event: JsonObject, answers: readonly unknown[]): Attendance {
  if (event['freeBusyStatus'] === 'free' || event['status'] === 'cancelled') return 'free'
  if (answers.length === 0) return 'busy'
  // Decision D22: an event that the owner has declined is free. Tentative counts as busy.
  if (answers.every((answer) => answer === 'declined')) return 'free'
  return answers.some((answer) => answer === 'accepted' || answer === 'tentative') ? 'attending' : 'busy'
}

function statusOf({ status = 'confirmed' }: JsonObject, answers: readonly unknown[]): BusyStatus {
  if (status === 'confirmed' && answers.includes('accepted')) return 'confirmed'
  return status === 'tentative' || answers.includes('tentative') ? 'tentative' : 'unavailable'
}

/** RFC 8984 4.4.3: a value that is not known is private. */
function privacyOf({ privacy = 'public' }: JsonObject): Claim['privacy'] {
  return privacy === 'public' || privacy === 'secret' ? privacy : 'private'
}

function answersOf({ participants }: JsonObject, isOwn: IsOwn): unknown[] {
  const answers: unknown[] = []
  for (const participant of isObject(participants) ? Object.values(participants) : []) {
    if (!isObject(participant) || typeof participant['calendarAddress'] !== 'string') continue
    if (isOwn(participant['calendarAddress'])) answers.push(participant['participationStatus'])
  }
  return answers
}

/** Properties that decide. Overrides do not change the privacy (jscalendarbis 3.3.4). */
const DECIDING = /^(?:freeBusyStatus|status|participants)(?:\/|$)/

/** Of instances that differ from the event, by their recurrence ids as local seconds. */
export function claimsOfInstances(event: Event, isOwn: IsOwn): ReadonlyMap<number, Claim> {
  const usual = claimOf({ ...event }, isOwn)
  const found = new Map<number, Claim>()
  for (const [recurrenceId, patch] of Object.entries(event.recurrenceOverrides ?? {})) {
    if (!decides(patch)) continue
    const local = parseLocal(recurrenceId)
    const instance = instanceOf({ ...event }, recurrenceId)
    const claim = instance && claimOf(instance, isOwn)
    if (local !== null && claim !== null && claim !== usual) found.set(local / 1000, claim)
  }
  return found
}

function decides(patch: PatchObject): boolean {
  return Object.keys(patch).some((path) => DECIDING.test(path))
}

function interned(claim: Claim): Claim {
  const key = Object.values(claim).join(' ')
  const known = claims.get(key) ?? claim
  claims.set(key, known)
  return known
}
