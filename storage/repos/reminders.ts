/** When events have their next alert, and the queue of the accounts by the first of them. */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { CalendarEventReminderTable, ReminderQueueTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows } from './claim-rows.ts'
import { findInSlices } from './slices.ts'

/** Makes an event due at once. What was due before and is not settled stays so; otherwise its past is settled. */
export async function makeReminderDue(unit: AccountUnit, event: number): Promise<void> {
  const { account, now } = unit
  await rawQuery(
    unit.sql,
    sql`insert into calendar_event_reminder (account, calendar_event, due_at, settled_at)
      values (${account}, ${event}, ${now}, ${now})
      on conflict (account, calendar_event) do update set due_at = excluded.due_at, settled_at =
        case when calendar_event_reminder.due_at <= ${now} then calendar_event_reminder.settled_at else ${now} end
      returning account`,
  )
  await makeQueueDue(unit)
}

async function makeQueueDue({ sql: connection, account, now }: AccountUnit): Promise<void> {
  await rawQuery(
    connection,
    sql`insert into reminder_queue (account, due_at, lease, lease_until, recalculate_after, counted_since, counted)
      values (${account}, ${now}, null, 0, null, 0, 0)
      on conflict (account) do update set due_at =
        case when reminder_queue.due_at < ${now} then reminder_queue.due_at else ${now} end
      returning account`,
  )
}

/**
 * After a change of what the times of many alerts depend on: the owner's zone, default alerts, subscriptions to calendars. All events are
 * calculated again. A worker that is at it loses its lease: what it calculated is outdated.
 */
export async function recalculateReminders(unit: AccountUnit): Promise<void> {
  await makeQueueDue(unit)
  await updateQueue(unit, { recalculate_after: 0, lease: null, lease_until: 0 })
}

export async function updateQueue(unit: AccountUnit, set: Partial<Omit<ReminderQueueTable, 'account'>>): Promise<void> {
  await unit.sql.query((db) => db.updateTable('reminder_queue').set(set).where('account', '=', unit.account))
}

/** @param set null: the event has no alert any more */
export async function saveReminder(
  unit: AccountUnit,
  event: number,
  set: Pick<CalendarEventReminderTable, 'due_at' | 'settled_at'> | null,
): Promise<void> {
  const { account } = unit
  if (set === null) {
    await unit.sql.query((db) =>
      db.deleteFrom('calendar_event_reminder').where('account', '=', account).where('calendar_event', '=', event),
    )
    return
  }
  await unit.sql.query((db) =>
    db
      .insertInto('calendar_event_reminder')
      .values({ account, calendar_event: event, ...set })
      .onConflict((oc) => oc.columns(['account', 'calendar_event']).doUpdateSet(set)),
  )
}

/**
 * Leases accounts that are due. Their due time moves to the end of the lease: a change meanwhile moves it back, and another worker
 * claims the account if this one dies.
 */
export function claimDueReminders(connection: Sql, claim: Claim): Promise<ReminderQueueTable[]> {
  return claimRows(connection, 'reminder_queue', claim, claim.until)
}

const queueRow = statement<{ account: number }>()((db, p) =>
  db.selectFrom('reminder_queue').selectAll().where('account', '=', p('account')),
)

export async function findReminderQueue(reader: Reader, account: number): Promise<ReminderQueueTable | null> {
  const [row] = await reader.sql.all(queueRow, { account })
  return row ?? null
}

/** When the next account that is not leased is due; null: none is. */
export async function nextReminderAt(reader: Reader, now: number): Promise<number | null> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('reminder_queue')
      .select('due_at')
      .where('due_at', 'is not', null)
      .where('lease_until', '<=', now)
      .orderBy('due_at')
      .limit(1),
  )
  return row?.due_at ?? null
}

const due = statement<{ account: number; until: number; limit: number }>()((db, p) =>
  db
    .selectFrom('calendar_event_reminder')
    .selectAll()
    .where('account', '=', p('account'))
    .where('due_at', '<=', p('until'))
    .orderBy('due_at')
    .orderBy('calendar_event')
    .limit(p('limit')),
)

/** Events of an account that are due, the oldest first. */
export function dueReminders(
  reader: Reader,
  account: number,
  until: number,
  limit: number,
): Promise<CalendarEventReminderTable[]> {
  return reader.sql.all(due, { account, until, limit })
}

/** When the first event of an account is due; null: none has an alert. */
export async function firstReminderAt(unit: AccountUnit): Promise<number | null> {
  const [row] = await dueReminders(unit, unit.account, Number.MAX_SAFE_INTEGER, 1)
  return row?.due_at ?? null
}

export function remindersOf(
  reader: Reader,
  account: number,
  events: readonly number[],
): Promise<CalendarEventReminderTable[]> {
  return findInSlices(events, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('calendar_event_reminder')
        .selectAll()
        .where('account', '=', account)
        .where('calendar_event', 'in', slice),
    ),
  )
}

const after = statement<{ account: number; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('calendar_event')
    .select('id')
    .where('account', '=', p('account'))
    .where('id', '>', p('after'))
    .orderBy('id')
    .limit(p('limit')),
)

/** Numbers of events above a number, ascending. */
export async function eventsAfter(reader: Reader, account: number, number: number, limit: number): Promise<number[]> {
  return (await reader.sql.all(after, { account, after: number, limit })).map(({ id }) => id)
}

/** The present revisions of events. */
export async function revisionsOf(
  reader: Reader,
  account: number,
  events: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await findInSlices(events, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('calendar_event')
        .select(['id', 'revision'])
        .where('account', '=', account)
        .where('id', 'in', slice),
    ),
  )
  return new Map(rows.map(({ id, revision }) => [id, revision]))
}
