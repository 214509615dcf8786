/** REQUEST and CANCEL of an organizer (RFC 5546 3.2.2, 3.2.5; JMAP Calendars 5.9.2): who gets which, after a change of an event. */
import { INSTANCES_ALONE_MAX } from '../../../server/base/scheduling-limits.ts'
import { jsonEqual } from '../../protocol/json-object.ts'
import { endInstant } from '../icalendar/duration.ts'
import { instanceEvent } from '../icalendar/instance.ts'
import type { Event } from '../jscalendar/event.ts'
import { Invited, textOf } from './invited.ts'
import type { PlannedMessage, SchedulingJob } from './scheduling-job.ts'
import { concernsAttendees, concernsParticipant, isMoved } from './significant-change.ts'

/** Without its recipients. */
type Message = Pick<PlannedMessage, 'method' | 'recurrenceIds' | 'subject'>

export function planRequests(job: SchedulingJob): PlannedMessage[] {
  const own = new Set(job.own)
  const before = takesPlace(job.before) ? new Invited(job.before, own) : null
  const after = takesPlace(job.after) ? new Invited(job.after, own) : null
  const change = new Change(before, after, job.at)
  const groups = new Map<string, { readonly message: Message; readonly to: string[] }>()
  for (const address of new Set([...(before?.everybody() ?? []), ...(after?.everybody() ?? [])])) {
    for (const message of change.messagesFor(address)) {
      const of = message.method === 'REQUEST' ? after : before
      const key = JSON.stringify([message, of && viewOf(of, message, address)])
      const group = groups.get(key) ?? { message, to: [] }
      groups.set(key, group)
      group.to.push(address)
    }
  }
  return [...groups.values()].flatMap(({ message, to }) => inMails(message, to, job.maxRecipients))
}

/** RFC 5546 3.2.2: no REQUEST says CANCELLED. To cancel an event is to uninvite everybody. */
function takesPlace(event: Event | null): event is Event {
  return event !== null && event.status !== 'cancelled'
}

function inMails(message: Message, to: readonly string[], most: number): PlannedMessage[] {
  const mails: PlannedMessage[] = []
  for (let i = 0; i < to.length; i += most) mails.push({ ...message, to: to.slice(i, i + most), attendee: null })
  return mails
}

/** Recipients of a message for whom this is the same see the same: only themselves, or a series without the same instances. */
function viewOf(invited: Invited, { method, recurrenceIds }: Message, address: string): string | readonly string[] {
  if (invited.event.hideAttendees === true) return address
  if (method === 'CANCEL' || recurrenceIds !== null) return ''
  return invited.without(address)
}

class Change {
  readonly #before: Invited | null
  readonly #after: Invited | null
  readonly #at: number
  /** The event itself differs in what concerns all. */
  readonly #concerns: boolean
  readonly #isMoved: boolean
  /** Overrides that differ, except those of the past. */
  readonly #ids: readonly string[]
  readonly #differing = new Map<string, boolean>()

  constructor(before: Invited | null, after: Invited | null, at: number) {
    this.#before = before
    this.#after = after
    this.#at = at
    this.#concerns = before !== null && after !== null && concernsAttendees(before.event, after.event)
    this.#isMoved = before !== null && after !== null && isMoved(before.event, after.event)
    const ids = new Set([...Object.keys(before?.overrides ?? {}), ...Object.keys(after?.overrides ?? {})])
    this.#ids = [...ids]
      .filter((id) => !jsonEqual(before?.overrides[id], after?.overrides[id]) && !this.#isOver(id))
      .sort()
  }

  messagesFor(address: string): Message[] {
    const [before, after] = [this.#before, this.#after]
    const was = before?.series.get(address)
    const is = after?.series.get(address)
    if (is && after)
      return was && before
        ? this.#updates(before, after, address)
        : [request(null, before !== null && before.ownInstances(address).length > 0)]
    if (was) return [cancel(null, after === null), ...this.#ofInstances(null, after, address)]
    return this.#ofInstances(before, after, address)
  }

  /** Of somebody who is and stays invited to the whole event. */
  #updates(before: Invited, after: Invited, address: string): Message[] {
    const lost = this.#isMoved
      ? []
      : this.#ids.filter((id) => before.instance(id)?.has(address) && !after.instance(id)?.has(address))
    const cancels = cancelsOf(lost, after)
    if (this.#concerns || concernsParticipant(before.series.get(address)!, after.series.get(address)!))
      return [...cancels, request(null, true)]
    const ids = this.#ids.filter((id) => this.#isNews(before, after, id, address))
    // JMAP Calendars 5.9.2: a new instance beyond the rule is sent with the series, since few programs take an ADD.
    const isOfSeries = ids.length > INSTANCES_ALONE_MAX || ids.some((id) => !before.instance(id) && !after.produces(id))
    if (isOfSeries) return [...cancels, request(null, true)]
    return [...cancels, ...ids.map((id) => request([id], true))]
  }

  /** Of somebody who is invited to instances only: each is a message of its own (JMAP Calendars 5.9.2). */
  #ofInstances(before: Invited | null, after: Invited | null, address: string): Message[] {
    const gone = (before?.ownInstances(address) ?? []).filter(
      (id) => !after?.instance(id)?.has(address) && !this.#isOver(id),
    )
    const news = (after?.ownInstances(address) ?? []).filter(
      (id) => !this.#isOver(id) && (this.#concerns || !before || this.#isNews(before, after!, id, address)),
    )
    return [...cancelsOf(gone, after), ...news.map((id) => request([id], before?.instance(id)?.has(address) ?? false))]
  }

  /** Whether somebody is new at an instance, or something that concerns them differs in it. */
  #isNews(before: Invited, after: Invited, id: string, address: string): boolean {
    const is = after.instance(id)?.get(address)
    if (!is) return false
    const was = before.instance(id)?.get(address)
    return !was || this.#differs(before, after, id) || concernsParticipant(was, is)
  }

  #differs(before: Invited, after: Invited, id: string): boolean {
    const known = this.#differing.get(id)
    if (known !== undefined) return known
    const [old, now] = [instanceEvent(before.event, id), instanceEvent(after.event, id)]
    const differs = old !== null && now !== null && concernsAttendees(old, now)
    this.#differing.set(id, differs)
    return differs
  }

  /** JMAP Calendars 5.9.2: nobody needs messages about instances of the past. */
  #isOver(id: string): boolean {
    return [this.#before, this.#after].every((invited) => {
      const instance = invited && instanceEvent(invited.event, id)
      if (!instance) return true
      const [start, zone] = [textOf(instance['start']) ?? id, textOf(instance['timeZone'])]
      return endInstant(start, textOf(instance['duration']) ?? 'PT0S', zone) + (zone === null ? DAY_MS : 0) <= this.#at
    })
  }
}

/** A floating time is over when it is over everywhere. */
const DAY_MS = 86_400_000

function request(recurrenceIds: readonly string[] | null, isKnown: boolean): Message {
  return { method: 'REQUEST', recurrenceIds, subject: isKnown ? 'updated' : 'invited' }
}

function cancel(recurrenceIds: readonly string[] | null, isOff: boolean): Message {
  return { method: 'CANCEL', recurrenceIds, subject: isOff ? 'cancelled' : 'uninvited' }
}

/** RFC 5546 3.2.5: several instances may stand in one message. */
function cancelsOf(ids: readonly string[], after: Invited | null): Message[] {
  return [true, false].flatMap((isOff) => {
    const some = ids.filter((id) => (after === null || after.instance(id) === null) === isOff)
    if (some.length === 0) return []
    return some.length > INSTANCES_ALONE_MAX ? [cancel(some, isOff)] : some.map((id) => cancel([id], isOff))
  })
}
