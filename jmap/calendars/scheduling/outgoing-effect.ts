/**
 * Messages to the participants of an event, or to its organizer, when it changes (JMAP Calendars 5.9.2). The change is stored in the same
 * commit as a row of the queue (outgoing-queue.ts), from which a worker writes the mails: nothing is lost in between, and an event with
 * many participants holds up nobody.
 */
import { insertSchedulingMessage } from '../../../storage/repos/scheduling-messages.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { EventChange, EventEffect, EventWrite } from '../event/event-change.ts'
import { spanOf } from '../event/event-times.ts'
import { mailAddressOf, OwnAddresses } from '../event/own-addresses.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { isServed, participantsIn, textOf } from '../itip/invited.ts'
import { givesAnswers } from '../itip/plan-replies.ts'
import type { StoredJob } from '../itip/scheduling-job.ts'
import type { Event } from '../jscalendar/event.ts'

export const sendMessages: EventEffect = {
  async refuse(write, change) {
    const job = await jobOf(write, change)
    return job && (job.isOrigin ? unsupportedRecipient(job) : unsupportedOrganizer(write, job))
  },

  async apply(write, change) {
    const job = await jobOf(write, change)
    const number = (change.after ?? change.before)?.number
    if (!job || number === undefined) return
    const { unit } = write
    await insertSchedulingMessage(unit, { id: unit.nextObject(), calendar_event: number, data: JSON.stringify(job) })
  },
}

/** null: nobody gets a message. */
async function jobOf({ unit }: EventWrite, change: EventChange): Promise<StoredJob | null> {
  if (!change.sendSchedulingMessages) return null
  const [before, after] = [published(change.before), published(change.after)]
  const present = after ?? before
  if (!present || ![before, after].some((event) => event && hasParticipants(event))) return null
  const isOrigin = await new OwnAddresses(unit, unit.account).isOrigin(present)
  // JMAP Calendars 5.9.2: nobody needs to know of the past. An answer to it is an act of its own.
  if ((isOrigin || after === null) && isOver(before, unit.now) && isOver(after, unit.now)) return null
  return { before, after, isOrigin, at: unit.now }
}

/** JMAP Calendars 5: a draft is for nobody else. */
function published(stored: StoredEvent | null): Event | null {
  return stored && !stored.isDraft ? stored.event : null
}

function hasParticipants(event: Event): boolean {
  return !participantsIn(event).next().done
}

const DAY_MS = 86_400_000

function isOver(event: Event | null, now: number): boolean {
  if (event === null) return true
  const { end, isFloating } = spanOf(event)
  return end + (isFloating ? DAY_MS : 0) <= now
}

/** Roles of people who are to come. Others, such as a contact, are invited if they have an address. */
const INVITED = ['attendee', 'chair', 'optional', 'informational', 'required']

async function unsupportedOrganizer({ unit }: EventWrite, job: StoredJob): Promise<SetError | null> {
  if (mailAddressOf((job.after ?? job.before)?.organizerCalendarAddress) !== null) return null
  const own = new OwnAddresses(unit, unit.account)
  const addresses = new Set<string>()
  for (const event of [job.before, job.after])
    for (const address of event ? await own.addressesIn(event) : []) addresses.add(address)
  return givesAnswers(job, addresses) ? noMethod('the organizer') : null
}

/** JMAP Calendars 5.9.2: the server sends by mail only, and to all or none. */
function unsupportedRecipient({ before, after }: StoredJob): SetError | null {
  const event = after ?? before
  if (event === null) return null
  for (const participant of participantsIn(event)) {
    const { calendarAddress, roles, name } = participant
    if (!isServed(participant) || mailAddressOf(textOf(calendarAddress)) !== null) continue
    const isInvited = Object.keys(roles ?? {}).some((role) => INVITED.includes(role))
    if (isInvited || calendarAddress !== undefined)
      return noMethod(textOf(calendarAddress) ?? textOf(name) ?? 'a participant')
  }
  return null
}

function noMethod(who: string): SetError {
  const text = `Messages are sent to calendarAddress, a mailto: URI. There is none of ${who.slice(0, 100)}.`
  return setError('noSupportedScheduleMethods', text)
}
