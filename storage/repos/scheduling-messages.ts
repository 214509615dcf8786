/** The queue of changes of events whose messages to participants are still to be written. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { SchedulingMessageTable } from '../schema/tables.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

const insert = insertRow('scheduling_message')

export async function insertSchedulingMessage(
  unit: AccountUnit,
  row: Pick<SchedulingMessageTable, 'id' | 'calendar_event' | 'data'>,
): Promise<void> {
  const { account, now } = unit
  const fresh = { done: 0, due_at: now, attempts: 0, lease: null, lease_until: 0, created_at: now }
  await unit.sql.all(insert, { ...row, account, ...fresh })
}

/** Leases changes that are due. */
export function claimSchedulingMessages(db: Sql, claim: Claim): Promise<SchedulingMessageTable[]> {
  return claimRows(db, 'scheduling_message', claim)
}

export async function findSchedulingMessage(
  reader: Reader,
  account: number,
  id: number,
): Promise<SchedulingMessageTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('scheduling_message').selectAll().where('account', '=', account).where('id', '=', id),
  )
  return row ?? null
}

export async function updateSchedulingMessage(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<SchedulingMessageTable, 'done' | 'due_at' | 'attempts' | 'lease' | 'lease_until'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('scheduling_message').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function deleteSchedulingMessage(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) =>
    db.deleteFrom('scheduling_message').where('account', '=', unit.account).where('id', '=', id),
  )
}

/** When the next change may be claimed, epoch ms; null: there is none. */
export function nextSchedulingMessage(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'scheduling_message')
}
