/**
 * Takes a scheduling message into the calendar of an account, in the unit of work that delivers its mail: both are durable, or neither.
 * The account is locked, so that two messages about one event come one after the other.
 */
import { SCHEDULING_REMEMBER_MS } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { isOneOf } from '../../../server/base/known-names.ts'
import { calendarEventsOfUid } from '../../../storage/repos/calendar-events.ts'
import { rememberKey } from '../../../storage/repos/delivery-memory.ts'
import { requireDefaultCalendar } from '../calendar/calendars.ts'
import { changedNames } from '../event/changed-properties.ts'
import type { EventChange, EventWrite, MessageCause } from '../event/event-change.ts'
import { faultsError } from '../event/event-error.ts'
import { withPrivacyOf } from '../event/same-privacy.ts'
import { changeEvent } from '../event/store-event.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { noticeOf } from '../event-notification/notify-of-change.ts'
import { checkedEvent } from '../jscalendar/check-event.ts'
import { withoutStalePaths } from '../jscalendar/overrides.ts'
import { appendReplied } from './answered-event.ts'
import { withArrivedFiles } from './arrived-files.ts'
import { type Decision, type KnownEvents, nothing, type WantedChange } from './decision.ts'
import { type IncomingMessage, ORGANIZER_METHODS } from './incoming-message.ts'
import { knownEvents } from './known-events.ts'
import { organizerOf } from './own-participants.ts'
import { takeCancel } from './take-cancel.ts'
import { takeProposal } from './take-proposal.ts'
import { takeReply } from './take-reply.ts'
import { takeAdd, takeRequest } from './take-request.ts'

/**
 * @param recipient the address to which the mail came
 * @returns what happened, as sentences
 */
export async function takeMessage(
  write: EventWrite,
  message: IncomingMessage,
  recipient: string,
): Promise<readonly string[]> {
  const known = await knownEvents(write, message, recipient)
  const decision = decisionOf(write, message, known)
  const changes = preparedChanges(decision)
  if ('fault' in changes) return [`The calendar message has no effect: the event cannot be stored: ${changes.fault}`]
  if (await takesUid(write, changes.changes))
    return ['The calendar message has no effect: another event has its place.']
  const cause = causeOf(message)
  for (const change of changes.changes) {
    const done = await perform(write, await withFiles(write, change, message), cause)
    if ('refusal' in done) return [`The calendar message has no effect: ${done.refusal}`]
    for (const answer of decision.answers ?? []) await appendReplied(write, done.stored, answer)
  }
  for (const { about, text } of decision.notices ?? []) await noticeOf(write, about, { ...cause, comment: text })
  const { unit } = write
  for (const key of decision.remember ?? [])
    await rememberKey(unit, 'invitation', key, unit.now + SCHEDULING_REMEMBER_MS)
  return decision.notes
}

/** A message that cannot be understood must not keep its mail from being delivered. */
function decisionOf({ services }: EventWrite, message: IncomingMessage, known: KnownEvents): Decision {
  try {
    return decide(message, known)
  } catch (error) {
    services.logger.error({ method: message.method, error: String(error) }, 'a scheduling message failed')
    return nothing('The calendar message has no effect: it could not be processed.')
  }
}

function decide(message: IncomingMessage, known: KnownEvents): Decision {
  const { method, sender } = message
  const stored = [...(known.whole === null ? [] : [known.whole]), ...known.rest, ...known.instances]
  const name = method.toUpperCase()
  if (isOneOf(ORGANIZER_METHODS, method)) {
    if (known.isOwn(sender.address))
      return nothing(`The calendar message ${name} has no effect: this mailbox is the organizer.`)
    // Promise C4: nobody takes over an event by its UID.
    if (stored.some(({ event }) => organizerOf(event) !== sender.address))
      return nothing(
        `The calendar message ${name} has no effect: ${sender.address} does not organize the event of this UID.`,
      )
    if (stored.length === 0 && (method === 'cancel' || method === 'declinecounter'))
      return nothing(`The calendar message ${name} has no effect: the event is unknown here.`)
  } else if (stored.some(({ event }) => !known.isOwn(organizerOf(event))))
    return nothing(`The calendar message ${name} has no effect: this mailbox does not organize the event.`)
  switch (method) {
    case 'request':
      return takeRequest(message, known)
    case 'add':
      return takeAdd(message, known)
    case 'cancel':
      return takeCancel(message, known)
    case 'reply':
      return takeReply(message, known)
    default:
      return takeProposal(message, known)
  }
}

type CheckedChange = Pick<WantedChange, 'before' | 'beside'> & { readonly event: StoredEvent['event'] | null }

/** All are checked before the first is written. */
function preparedChanges({
  changes,
}: Decision): { readonly changes: readonly CheckedChange[] } | { readonly fault: string } {
  const all: CheckedChange[] = []
  for (const { event, ...change } of changes) {
    const checked = event === null ? null : checkedAgain(event)
    if (checked && 'faults' in checked) {
      const { description, type } = faultsError(checked.faults)
      return { fault: description ?? type }
    }
    all.push({ ...change, event: checked?.event ?? null })
  }
  return { changes: all }
}

/** Only what is written refers to files. */
async function withFiles(write: EventWrite, change: CheckedChange, { files }: IncomingMessage): Promise<CheckedChange> {
  return change.event === null ? change : { ...change, event: await withArrivedFiles(write, change.event, files) }
}

/** The organizer may have removed what an override of the owner changes: such paths go. */
function checkedAgain(event: JsonObject) {
  const checked = checkedEvent(event)
  return 'faults' in checked ? checkedEvent(withoutStalePaths(event)) : checked
}

async function perform(
  write: EventWrite,
  { before, beside, event }: CheckedChange,
  cause: MessageCause,
): Promise<{ readonly stored: StoredEvent } | { readonly refusal: string }> {
  const after = event === null ? null : await storedAs(write, before ?? beside ?? null, event, before === null)
  const stored = after ?? before
  if (stored === null) throw new Error('a change of no event')
  const changed = before && after ? changedNames(before, after) : []
  const change: EventChange = { before, after, changed, sendSchedulingMessages: false, cause }
  const error = await changeEvent(write, change)
  return error ? { refusal: error.description ?? error.type } : { stored }
}

/** Whether an event that is not known to belong to the series has the UID of one that would begin in it. */
async function takesUid({ unit }: EventWrite, changes: readonly CheckedChange[]): Promise<boolean> {
  for (const { before, beside, event } of changes) {
    const isBegun = before === null && beside !== undefined && event !== null && event.uid !== beside.event.uid
    if (isBegun && (await calendarEventsOfUid(unit, unit.account, event.uid)).length > 0) return true
  }
  return false
}

/** @param like an event of which it is a new version, or beside which it is new */
async function storedAs(
  { unit }: EventWrite,
  like: StoredEvent | null,
  event: StoredEvent['event'],
  isNew: boolean,
): Promise<StoredEvent> {
  if (like !== null && !isNew) return { ...like, event }
  const calendars = like?.calendars ?? [(await requireDefaultCalendar(unit)).id]
  const own = like === null ? event : withPrivacyOf(event, like.event)
  return { number: unit.nextObject(), calendars, isDraft: false, revision: 1, event: own }
}

function causeOf({ sender: { name, address }, comment }: IncomingMessage): MessageCause {
  return { name, email: address, calendarAddress: `mailto:${address}`, comment }
}
