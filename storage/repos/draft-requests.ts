/** The queue of drafts that inbox rules request from a language model (decision D11). */
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { DraftRequestTable } from '../schema/tables.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

export async function insertDraftRequest(
  unit: AccountUnit,
  row: Pick<DraftRequestTable, 'id' | 'email' | 'data' | 'due_at'>,
): Promise<void> {
  const { account, now } = unit
  const fresh = { account, attempts: 0, lease: null, lease_until: 0, created_at: now }
  await unit.sql.query((db) => db.insertInto('draft_request').values({ ...row, ...fresh }))
}

/** Leases requests that are due. */
export function claimDraftRequests(db: Sql, claim: Claim): Promise<DraftRequestTable[]> {
  return claimRows(db, 'draft_request', claim)
}

export async function findDraftRequest(reader: Reader, account: number, id: number): Promise<DraftRequestTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('draft_request').selectAll().where('account', '=', account).where('id', '=', id),
  )
  return row ?? null
}

export async function postponeDraftRequest(
  unit: AccountUnit,
  id: number,
  set: Pick<DraftRequestTable, 'due_at' | 'attempts'>,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('draft_request')
      .set({ ...set, lease: null, lease_until: 0 })
      .where('account', '=', unit.account)
      .where('id', '=', id),
  )
}

export async function deleteDraftRequest(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('draft_request').where('account', '=', unit.account).where('id', '=', id))
}

/** When the next request may be claimed, epoch ms; null: there is none. */
export function nextDraftRequest(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'draft_request')
}
