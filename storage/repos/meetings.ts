/** Meetings at conferencing providers, and the queue of requests about them. */
import { type SqlBool, sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { MeetingTable } from '../schema/tables.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

export async function insertMeeting(
  unit: AccountUnit,
  row: Pick<MeetingTable, 'id' | 'event' | 'provider' | 'wanted' | 'sends' | 'due_at'>,
): Promise<void> {
  const { account, now } = unit
  const fresh = { account, remote: null, is_unsure: 0, attempts: 0, lease: null, lease_until: 0, created_at: now }
  await unit.sql.query((db) => db.insertInto('meeting').values({ ...row, ...fresh }))
}

export async function findMeeting(reader: Reader, account: number, id: number): Promise<MeetingTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('meeting').selectAll().where('account', '=', account).where('id', '=', id),
  )
  return row ?? null
}

export async function findMeetingOf(reader: Reader, account: number, event: number): Promise<MeetingTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('meeting').selectAll().where('account', '=', account).where('event', '=', event),
  )
  return row ?? null
}

export async function updateMeeting(
  unit: AccountUnit,
  id: number,
  set: Partial<Omit<MeetingTable, 'account' | 'id' | 'event' | 'created_at'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('meeting').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function deleteMeeting(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('meeting').where('account', '=', unit.account).where('id', '=', id))
}

/** Makes the meetings of a provider due again about which it was asked in vain. */
export async function reviveMeetings(unit: AccountUnit, provider: string): Promise<void> {
  const set = { due_at: unit.now, attempts: 0 }
  await unit.sql.query((db) =>
    db
      .updateTable('meeting')
      .set(set)
      .where('account', '=', unit.account)
      .where('provider', '=', provider)
      .where('attempts', '>', 0),
  )
}

/** Nobody is asked for a mailbox that is deleted and waits to be erased. */
const OF_THE_LIVING = sql<SqlBool>`exists (select 1 from account where account.id = meeting.account and account.deleted_at is null)`

/**
 * Leases meetings that are due, as they were. From now on those that have no id may have been made, until an answer is recorded: the
 * request follows.
 */
export async function claimMeetingRows(db: Sql, claim: Claim): Promise<MeetingTable[]> {
  const rows = await claimRows(db, 'meeting', claim, undefined, OF_THE_LIVING)
  if (rows.length > 0)
    await rawQuery(
      db,
      sql`update meeting set is_unsure = 1 where lease = ${claim.lease} and remote is null returning id`,
    )
  return rows
}

/** When the next meeting may be claimed, epoch ms; null: none is due. */
export function nextMeeting(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'meeting', OF_THE_LIVING)
}
