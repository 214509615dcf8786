/** Events of the provider of billing. */
import type { AccountUnit } from '../ports.ts'
import type { BillingEventTable } from '../schema/tables.ts'

/** Inside the organization's unit of work. false: it is there already. */
export async function insertBillingEvent(
  unit: AccountUnit,
  event: Pick<BillingEventTable, 'id' | 'type' | 'happened_at' | 'request'>,
): Promise<boolean> {
  const { account: organization, now } = unit
  const rows = await unit.sql.query((db) =>
    db
      .insertInto('billing_event')
      .values({ organization, ...event, received_at: now, applied_at: null })
      .onConflict((oc) => oc.columns(['organization', 'id']).doNothing())
      .returning('id'),
  )
  return rows.length > 0
}

/** Marks events that a reading of the provider covers. @param request the newest one when the reading began */
export async function applyBillingEvents(unit: AccountUnit, request: number): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('billing_event')
      .set({ applied_at: unit.now })
      .where('organization', '=', unit.account)
      .where('request', '<=', request)
      .where('applied_at', 'is', null),
  )
}

/** Deletes events that the provider does not send again. @param before epoch ms */
export async function forgetBillingEvents(unit: AccountUnit, before: number): Promise<void> {
  await unit.sql.query((db) =>
    db
      .deleteFrom('billing_event')
      .where('organization', '=', unit.account)
      .where('received_at', '<', before)
      .where('applied_at', 'is not', null),
  )
}
