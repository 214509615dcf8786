/** REPLY of an attendee (RFC 5546 3.2.3; JMAP Calendars 5.9.2): which answers a change of an event gives to its organizer. */
import { isOneOf } from '../../../server/base/known-names.ts'
import { instanceEvent } from '../icalendar/instance.ts'
import type { Event } from '../jscalendar/event.ts'
import { mailAddressOf } from './calendar-address.ts'
import { isOfParticipants, participantOf, textOf } from './invited.ts'
import { ANSWERS, type Answer, type PlannedMessage, type SchedulingJob, type StoredJob } from './scheduling-job.ts'

export function planReplies(job: SchedulingJob): PlannedMessage[] {
  const organizer = mailAddressOf((job.after ?? job.before)?.organizerCalendarAddress)
  if (organizer === null) return []
  return job.own.flatMap((attendee) =>
    answersOf(job, attendee).map(({ answer, recurrenceIds }): PlannedMessage => {
      return { method: 'REPLY', to: [organizer], recurrenceIds, subject: answer, attendee }
    }),
  )
}

/** Whether the organizer is to be told something. @param own mail addresses of the account among the participants */
export function givesAnswers(change: Pick<StoredJob, 'before' | 'after'>, own: Iterable<string>): boolean {
  return [...own].some((attendee) => answersOf(change, attendee).length > 0)
}

interface Given {
  readonly answer: Answer
  readonly recurrenceIds: readonly string[] | null
}

function answersOf(change: Pick<StoredJob, 'before' | 'after'>, attendee: string): Given[] {
  const before = change.before && new Statuses(change.before, attendee)
  const after = change.after && new Statuses(change.after, attendee)
  const given: Given[] = []
  const add = (status: string | null, recurrenceIds: readonly string[] | null) => {
    if (isOneOf(ANSWERS, status)) given.push({ answer: status, recurrenceIds })
  }
  // An event that the organizer has cancelled needs no answer.
  if (after === null) return before === null || before.event.status === 'cancelled' ? [] : refusals(before)
  const [was, is] = [before?.series ?? null, after.series]
  if (is !== was) add(is, null)
  for (const id of new Set([...(before?.ids ?? []), ...after.ids])) {
    const [wasAt, isAt] = [before?.at(id) ?? null, after.at(id)]
    const isInherited = wasAt === was && isAt === is
    if (isAt === wasAt || isInherited) continue
    // The owner has removed the instance, as they would a whole event.
    if (after.isRemoved(id)) add(refusalOf(wasAt), [id])
    else add(isAt, [id])
  }
  return given
}

/** The owner has destroyed the event. */
function refusals(before: Statuses): Given[] {
  const whole = refusalOf(before.series)
  if (whole !== null) return [{ answer: whole, recurrenceIds: null }]
  if (before.series !== null) return []
  return before.ids.flatMap((id) => {
    const answer = refusalOf(before.at(id))
    return answer === null ? [] : [{ answer, recurrenceIds: [id] }]
  })
}

/** JMAP Calendars 5.9.2: who has not answered says nothing; who has declined has said it. */
function refusalOf(status: string | null): 'declined' | null {
  return status === null || status === 'needs-action' || status === 'declined' ? null : 'declined'
}

/** What one attendee has answered, by an event. */
class Statuses {
  readonly event: Event
  readonly #attendee: string
  /** Of the whole event; null: the attendee is not invited to it. */
  readonly series: string | null

  constructor(event: Event, attendee: string) {
    this.event = event
    this.#attendee = attendee
    this.series = this.#in(event)
  }

  /** Instances that may have another answer than the series. */
  get ids(): string[] {
    return Object.entries(this.event.recurrenceOverrides ?? {}).flatMap(([id, patch]) =>
      Object.keys(patch).some((path) => path === 'excluded' || isOfParticipants(path)) ? [id] : [],
    )
  }

  /** null: there is no such instance, or the attendee is not invited to it. */
  at(recurrenceId: string): string | null {
    const instance = instanceEvent(this.event, recurrenceId)
    return instance && this.#in(instance)
  }

  isRemoved(recurrenceId: string): boolean {
    return instanceEvent(this.event, recurrenceId) === null
  }

  #in({ participants }: { readonly participants?: unknown }): string | null {
    const found = participantOf({ participants }, this.#attendee)
    return found && (textOf(found.participant['participationStatus']) ?? 'needs-action')
  }
}
