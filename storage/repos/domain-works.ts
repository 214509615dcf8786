/** What domains still need at registrars and DNS providers, and the queue of its steps. */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { DomainWorkTable } from '../schema/tables.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

export type WorkKind = DomainWorkTable['kind']
export type WorkRow = DomainWorkTable

/** Columns that change from step to step. */
export type WorkSet = Partial<
  Pick<WorkRow, 'reserved' | 'step' | 'data' | 'due_at' | 'attempts' | 'lease' | 'lease_until'>
>

export async function findWork(
  reader: Reader,
  account: number,
  domain: number,
  kind: WorkKind,
): Promise<WorkRow | null> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('domain_work')
      .selectAll()
      .where('account', '=', account)
      .where('domain', '=', domain)
      .where('kind', '=', kind),
  )
  return row ?? null
}

/** The registration of a name in any organization; null: there is none. */
export async function findReserved(reader: Reader, name: string): Promise<WorkRow | null> {
  const [row] = await reader.sql.query((db) => db.selectFrom('domain_work').selectAll().where('reserved', '=', name))
  return row ?? null
}

/** An organization's registrations. */
export function registrationsOf(reader: Reader, account: number): Promise<readonly WorkRow[]> {
  return reader.sql.query((db) =>
    db.selectFrom('domain_work').selectAll().where('account', '=', account).where('kind', '=', 'registration'),
  )
}

export async function insertWork(
  unit: AccountUnit,
  row: Pick<WorkRow, 'domain' | 'kind' | 'name' | 'reserved' | 'step' | 'data' | 'due_at' | 'lease' | 'lease_until'>,
): Promise<void> {
  const { account, now } = unit
  await unit.sql.query((db) => db.insertInto('domain_work').values({ ...row, account, attempts: 0, created_at: now }))
}

/** Makes work due, in the place of work of this kind that waits. A worker that is at it has lost its lease. */
export async function replaceWork(
  unit: AccountUnit,
  row: Pick<WorkRow, 'domain' | 'kind' | 'name' | 'step' | 'data' | 'due_at'>,
): Promise<void> {
  const { account, now } = unit
  const { step, data, due_at } = row
  const set = { step, data, due_at, attempts: 0, lease: null, lease_until: 0 }
  await unit.sql.query((db) =>
    db
      .insertInto('domain_work')
      .values({ ...row, ...set, reserved: null, account, created_at: now })
      .onConflict((oc) => oc.columns(['account', 'domain', 'kind']).doUpdateSet(set)),
  )
}

export async function updateWork(unit: AccountUnit, domain: number, kind: WorkKind, set: WorkSet): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('domain_work')
      .set(set)
      .where('account', '=', unit.account)
      .where('domain', '=', domain)
      .where('kind', '=', kind),
  )
}

export async function deleteWork(unit: AccountUnit, domain: number, kind: WorkKind): Promise<void> {
  await unit.sql.query((db) =>
    db
      .deleteFrom('domain_work')
      .where('account', '=', unit.account)
      .where('domain', '=', domain)
      .where('kind', '=', kind),
  )
}

/** Leases work of a kind that is due. */
export function claimWork(connection: Sql, kind: WorkKind, claim: Claim): Promise<WorkRow[]> {
  return claimRows(connection, 'domain_work', claim, undefined, sql`kind = ${kind}`)
}

/** The same, for each account one at a time: what is slow for one of them does not keep the others waiting. */
export function claimWorkInTurn(connection: Sql, kind: WorkKind, claim: Claim): Promise<WorkRow[]> {
  const { now } = claim
  const which = sql`kind = ${kind} and not exists (select 1 from domain_work other where other.account = domain_work.account
    and other.kind = ${kind} and (other.lease_until > ${now} or (other.due_at <= ${now} and other.domain < domain_work.domain)))`
  return claimRows(connection, 'domain_work', claim, undefined, which)
}

/** When the next step of a kind may be claimed, epoch ms; null: nothing is due. */
export function nextWorkAt(reader: Reader, kind: WorkKind): Promise<number | null> {
  return nextClaimAt(reader, 'domain_work', sql`kind = ${kind}`)
}

/** Ends all leases: whoever held them has ended. */
export async function releaseWork(connection: Sql): Promise<void> {
  await connection.query((db) =>
    db.updateTable('domain_work').set({ lease: null, lease_until: 0 }).where('lease', 'is not', null),
  )
}
