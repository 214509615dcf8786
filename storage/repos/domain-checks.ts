/** The queue of the checks of domains' DNS records. */
import type { Reader, Sql } from '../ports.ts'
import type { DomainCheckTable } from '../schema/tables.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

/** Sets the time of the next check and ends a lease. */
export async function scheduleCheck(
  connection: Sql,
  { account, domain, due_at }: Pick<DomainCheckTable, 'account' | 'domain' | 'due_at'>,
): Promise<void> {
  const row: DomainCheckTable = { account, domain, due_at, lease: null, lease_until: 0 }
  await connection.query((db) =>
    db
      .insertInto('domain_check')
      .values(row)
      .onConflict((oc) => oc.columns(['account', 'domain']).doUpdateSet({ due_at, lease: null, lease_until: 0 })),
  )
}

export async function removeCheck(connection: Sql, account: number, domain: number): Promise<void> {
  await connection.query((db) =>
    db.deleteFrom('domain_check').where('account', '=', account).where('domain', '=', domain),
  )
}

/** Leases checks that are due. */
export function claimDueChecks(connection: Sql, claim: Claim): Promise<DomainCheckTable[]> {
  return claimRows(connection, 'domain_check', claim)
}

/** Whether a worker still holds its lease. */
export async function holdsCheck(
  connection: Sql,
  { account, domain, lease }: { account: number; domain: number; lease: string },
): Promise<boolean> {
  const rows = await connection.query((db) =>
    db
      .selectFrom('domain_check')
      .select('domain')
      .where('account', '=', account)
      .where('domain', '=', domain)
      .where('lease', '=', lease),
  )
  return rows.length > 0
}

/** When the next check may be claimed: it is due and not leased. null: there are no domains. */
export function nextCheckAt(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'domain_check')
}
