/** Rows of opt-outs. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { OptOutTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { findInSlices } from './slices.ts'

const ofAddress = statement<{ account: number; address: string }>()((db, p) =>
  db.selectFrom('opt_out').selectAll().where('account', '=', p('account')).where('address', '=', p('address')),
)

/** @param address normalized */
export async function findOptOut(reader: Reader, account: number, address: string): Promise<OptOutTable | null> {
  const [row] = await reader.sql.all(ofAddress, { account, address })
  return row ?? null
}

const insert = insertRow('opt_out')

export async function insertOptOut(unit: AccountUnit, row: Omit<OptOutTable, 'account' | 'created_at'>): Promise<void> {
  await unit.sql.all(insert, { ...row, account: unit.account, created_at: unit.now })
}

export async function deleteOptOut(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('opt_out').where('account', '=', unit.account).where('id', '=', id))
}

/** Those of the addresses that get no newsletter of the organization: suppressed, or opted out. @param addresses normalized */
export async function unmailableAmong(
  reader: Reader,
  account: number,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await findInSlices(addresses, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('opt_out')
        .select('address')
        .where('account', '=', account)
        .where('address', 'in', [...slice])
        .union(
          db
            .selectFrom('suppression')
            .select('address')
            .where('account', '=', account)
            .where('address', 'in', [...slice]),
        ),
    ),
  )
  return new Set(rows.map(({ address }) => address))
}
