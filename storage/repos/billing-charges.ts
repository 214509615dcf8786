/** Payments for purchases. */
import type { AccountUnit, Reader } from '../ports.ts'
import type { BillingChargeTable } from '../schema/tables.ts'

export async function findCharge(
  reader: Reader,
  organization: number,
  key: string,
): Promise<BillingChargeTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('billing_charge').selectAll().where('organization', '=', organization).where('key', '=', key),
  )
  return row ?? null
}

/** Inside the organization's unit of work. */
export async function insertCharge(
  unit: AccountUnit,
  row: Omit<BillingChargeTable, 'organization' | 'created_at' | 'updated_at'>,
): Promise<void> {
  const { account: organization, now } = unit
  await unit.sql.query((db) =>
    db.insertInto('billing_charge').values({ organization, ...row, created_at: now, updated_at: now }),
  )
}

/** Inside the organization's unit of work. */
export async function updateCharge(
  unit: AccountUnit,
  key: string,
  set: Partial<Pick<BillingChargeTable, 'status' | 'reason' | 'reference'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('billing_charge')
      .set({ ...set, updated_at: unit.now })
      .where('organization', '=', unit.account)
      .where('key', '=', key),
  )
}
