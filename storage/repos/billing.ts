/** What organizations are subscribed to, and the queue of reading it at the provider. */
import { type SqlBool, sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { BillingTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

export type BillingRow = Omit<BillingTable, 'organization'>

/** Of an organization that has never had anything to do with billing. */
export const NO_BILLING: BillingRow = {
  customer: null,
  subscription: null,
  status: 'none',
  plan: null,
  trial_ends_at: null,
  period_start: null,
  period_end: null,
  cancel_at: null,
  has_payment_method: 0,
  had_trial: 0,
  unpaid_since: null,
  letters: 0,
  letter_at: null,
  suspended_at: null,
  fake: null,
  requested: 0,
  due_at: null,
  attempts: 0,
  lease: null,
  lease_until: 0,
}

const find = statement<{ organization: number }>()((db, p) =>
  db.selectFrom('billing').selectAll().where('organization', '=', p('organization')),
)

export async function findBilling(reader: Reader, organization: number): Promise<BillingTable | null> {
  const [row] = await reader.sql.all(find, { organization })
  return row ?? null
}

/** The organization of a customer; null: it is none of ours. */
export async function organizationOfCustomer(reader: Reader, customer: string): Promise<number | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('billing').select('organization').where('customer', '=', customer),
  )
  return row?.organization ?? null
}

/** Inside the organization's unit of work: the row, which is made if there is none. */
export async function requireBilling(unit: AccountUnit): Promise<BillingTable> {
  const found = await findBilling(unit, unit.account)
  if (found) return found
  const row = { organization: unit.account, ...NO_BILLING }
  await unit.sql.query((db) => db.insertInto('billing').values(row))
  return row
}

/** Inside the organization's unit of work. */
export async function updateBilling(unit: AccountUnit, set: Partial<BillingRow>): Promise<void> {
  await unit.sql.query((db) => db.updateTable('billing').set(set).where('organization', '=', unit.account))
}

const OF_THE_LIVING = sql<SqlBool>`exists (select 1 from account where account.id = billing.organization and account.deleted_at is null)`

export function claimBillingRows(db: Sql, claim: Claim): Promise<BillingTable[]> {
  return claimRows(db, 'billing', claim, undefined, OF_THE_LIVING)
}

/** When the next row may be claimed, epoch ms; null: none is due. */
export function nextBilling(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'billing', OF_THE_LIVING)
}

/** Ends all leases: whoever held them has ended. */
export async function releaseBilling(connection: Sql): Promise<void> {
  await connection.query((db) =>
    db.updateTable('billing').set({ lease: null, lease_until: 0 }).where('lease', 'is not', null),
  )
}
