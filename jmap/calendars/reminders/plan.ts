/**
 * What is to be done about the due reminders of an account: letters, pushes, and when each event is due again. It only reads, in a thread
 * where it stops nobody; fire.ts does it.
 */
import { type Guard, UNGUARDED } from '../../../server/base/guard.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import {
  REMINDER_COSTLY_MS,
  REMINDER_EVENTS_PER_TURN,
  REMINDER_LATE_MS,
  REMINDER_SUSPENDED_MS,
  REMINDERS_PER_HOUR,
  REMINDERS_WINDOW_MS,
} from '../../../server/base/reminder-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import type { FiredAlert } from '../../../storage/repos/calendar-alerts.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { dueReminders, eventsAfter, findReminderQueue } from '../../../storage/repos/reminders.ts'
import type { ReminderQueueTable } from '../../../storage/schema/tables.ts'
import { findOwner, type Owner } from '../../mail/mail-account/owner.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { Services } from '../../type/context.ts'
import { IncludedCalendars } from '../availability/included-calendars.ts'
import { ownerZone } from '../availability/owner-zone.ts'
import { listCalendars } from '../calendar/calendars.ts'
import { OwnAddresses } from '../event/own-addresses.ts'
import { preparedOf } from '../event/recurrences.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import type { Event } from '../jscalendar/event.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { RecurrenceError } from '../recurrence/work.ts'
import { type DueAlerts, dueAlerts, type Trigger } from './alert-times.ts'
import { defaultAlertsOf } from './event-alerts.ts'
import { type LetterText, type Reminder, reminderLetter, summaryLetter } from './letters.ts'
import { canRemind } from './make-due.ts'
import type { ReminderTurn } from './queue.ts'

export interface ReminderPlan extends ReminderTurn {
  /** Epoch ms: alerts up to it are settled. */
  readonly now: number
  readonly owner: Owner | null
  readonly events: readonly PlannedEvent[]
  readonly letters: readonly LetterText[]
  /** For clients that show alerts themselves. */
  readonly pushed: readonly FiredAlert[]
  /** Events up to this number were calculated again; null: all of them, or there was no need. */
  readonly recalculatedTo: number | null
  /** Epoch ms before which nothing more is done for the account; null: as soon as something is due. */
  readonly waitUntil: number | null
  readonly countedSince: number
  readonly counted: number
}

export interface PlannedEvent {
  readonly number: number
  readonly revision: number
  /** Epoch ms when it is due again; null: it has no more alerts. */
  readonly dueAt: number | null
}

/** null: another worker has the account. */
export function planReminders(
  services: Services,
  turn: ReminderTurn,
  guard: Guard = UNGUARDED,
): Promise<ReminderPlan | null> {
  return services.store.read(async (reader) => {
    const queue = await findReminderQueue(reader, turn.account)
    if (queue?.lease !== turn.lease) return null
    const now = services.clock.now()
    const owner = await findOwner(reader, turn.account)
    const count = countOf(queue, now)
    const idle = {
      ...turn,
      ...count,
      now,
      owner,
      events: [],
      letters: [],
      pushed: [],
      recalculatedTo: queue.recalculate_after,
    }
    if (owner === null) return { ...idle, waitUntil: now + REMINDER_SUSPENDED_MS }
    // JMAP Calendars 8.3: the number of alerts of a user is limited.
    const room = REMINDERS_PER_HOUR - count.counted
    if (room <= 0) return { ...idle, waitUntil: count.countedSince + REMINDERS_WINDOW_MS }
    const work = await workOf(reader, turn.account, queue, now)
    const found = await findAlerts(services, reader, { account: turn.account, work: work.settled, now }, guard)
    const { letters, pushed } = chosen(found.alerts, room, now, { timeZone: found.zone, language: owner.language })
    return {
      ...idle,
      events: found.events,
      letters,
      pushed,
      recalculatedTo: work.recalculatedTo,
      waitUntil: null,
      counted: count.counted + letters.length + pushed.length,
    }
  }, guard)
}

function countOf({ counted_since, counted }: ReminderQueueTable, now: number) {
  const isPast = counted_since > now || counted_since + REMINDERS_WINDOW_MS <= now
  return isPast ? { countedSince: now, counted: 0 } : { countedSince: counted_since, counted }
}

/** Events to calculate, each with the time up to which its alerts are settled. */
async function workOf(reader: Reader, account: number, { recalculate_after }: ReminderQueueTable, now: number) {
  const due = await dueReminders(reader, account, now, REMINDER_EVENTS_PER_TURN)
  const settled = new Map(due.map(({ calendar_event, settled_at }) => [calendar_event, settled_at]))
  const room = REMINDER_EVENTS_PER_TURN - due.length
  if (recalculate_after === null || room === 0) return { settled, recalculatedTo: recalculate_after }
  const numbers = await eventsAfter(reader, account, recalculate_after, room)
  // What was not due before the change is settled: nobody is reminded of the past.
  for (const number of numbers) if (!settled.has(number)) settled.set(number, now)
  return { settled, recalculatedTo: numbers.length < room ? null : numbers.at(-1)! }
}

interface Asked {
  readonly account: number
  /** Number of an event to the time up to which its alerts are settled. */
  readonly work: ReadonlyMap<number, number>
  readonly now: number
}

interface FoundAlert extends Trigger, Reminder {
  readonly number: number
}

async function findAlerts(services: Services, reader: Reader, { account, work, now }: Asked, guard: Guard) {
  const zone = await ownerZone(reader, account)
  const included = await IncludedCalendars.read(reader, account)
  const calendars = await listCalendars(reader, account)
  const addresses = new OwnAddresses(reader, account)
  const events: PlannedEvent[] = []
  const alerts: FoundAlert[] = []
  for (const row of await findCalendarEvents(reader, account, [...work.keys()])) {
    guard.check()
    const stored = eventOfRow(row)
    const { number, revision, event } = stored
    const own = calendars.filter(({ id }) => stored.calendars.includes(id)).map(({ data }) => data)
    const defaults = canRemind(stored) ? defaultAlertsOf(own) : null
    const subject = defaults && { event, defaults, floatingZone: included.zoneOf(row.calendars), stored }
    const { due, nextAt } = subject ? alertsAt(services, account, subject, work.get(number)!, now) : NOTHING
    events.push({ number, revision, dueAt: nextAt })
    for (const trigger of due) {
      const instance = instanceAt(stored, trigger.recurrenceId)
      if (instance && (await isAttended(instance, addresses))) alerts.push({ ...trigger, number, event: instance })
    }
  }
  return { zone, events, alerts }
}

const NOTHING: DueAlerts = { due: [], nextAt: null }

function alertsAt(
  { store, logger }: Services,
  account: number,
  { stored, ...subject }: Omit<Parameters<typeof dueAlerts>[0], 'prepared'> & { readonly stored: StoredEvent },
  settled: number,
  now: number,
): DueAlerts {
  const { recurrenceRule, recurrenceOverrides } = stored.event
  const recurs = recurrenceRule !== undefined || recurrenceOverrides !== undefined
  try {
    const prepared = recurs ? preparedOf(store, account, stored) : null
    return dueAlerts({ ...subject, prepared }, settled, now)
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error
    logger.warn(
      { account, event: stored.number, error: error.message },
      'the reminders of an event cannot be calculated',
    )
    return { due: [], nextAt: now + REMINDER_COSTLY_MS }
  }
}

/** With its override; null: it is excluded. */
function instanceAt({ event }: StoredEvent, recurrenceId: string | null): JsonObject | null {
  return recurrenceId === null || event.recurrenceId !== undefined
    ? (event as JsonObject)
    : instanceOf(event as JsonObject, recurrenceId)
}

/** Neither cancelled nor declined by the owner. */
async function isAttended({ status, participants }: JsonObject, addresses: OwnAddresses): Promise<boolean> {
  if (status === 'cancelled') return false
  if (!isObject(participants)) return true
  const all = participants as NonNullable<Event['participants']>
  const own = await addresses.among(all)
  return own.length === 0 || own.some((id) => all[id]?.participationStatus !== 'declined')
}

/** A push or a mail for each alert that is hardly overdue, and one mail about all others that ask for a mail. */
function chosen(
  alerts: readonly FoundAlert[],
  room: number,
  now: number,
  style: Parameters<typeof reminderLetter>[1],
): Pick<ReminderPlan, 'letters' | 'pushed'> {
  const isFresh = ({ at }: FoundAlert) => at >= now - REMINDER_LATE_MS
  const shown = alerts.filter((one) => one.alert.action === 'display' && isFresh(one)).slice(0, room)
  const mails = withoutRepeats(alerts.filter(({ alert }) => alert.action === 'email'))
  const [fresh, late] = [mails.filter(isFresh), mails.filter((mail) => !isFresh(mail))]
  const left = room - shown.length
  const needsSummary = late.length > 0 || fresh.length > left
  const single = fresh.slice(0, needsSummary ? Math.max(0, left - 1) : left)
  const rest = [...late, ...fresh.slice(single.length)]
  const letters = single.map((reminder) => reminderLetter(reminder, style))
  if (rest.length > 0) letters.push(summaryLetter(rest, style))
  return { letters, pushed: shown.map(firedAlert) }
}

function firedAlert({ number, event, recurrenceId, alert }: FoundAlert): FiredAlert {
  return { event: number, uid: String(event['uid'] ?? ''), recurrence_id: recurrenceId, alert_id: alert.id }
}

/** By their times. Two alerts of an instance at one time are one letter. */
function withoutRepeats(mails: readonly FoundAlert[]): FoundAlert[] {
  const seen = new Map(mails.map((mail) => [`${mail.number} ${mail.recurrenceId} ${mail.at}`, mail]))
  return [...seen.values()].sort((a, b) => a.at - b.at)
}
