/** Rows of opt-outs, and of addresses that left one audience. */
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

export interface AudienceOf {
  readonly account: number
  readonly audience: number
}

/** Whether its owner has left the audience. @param address normalized */
export async function hasLeft(reader: Reader, { account, audience }: AudienceOf, address: string): Promise<boolean> {
  return (await leftAmong(reader, { account, audience }, [address])).size > 0
}

export async function insertLeave(unit: AccountUnit, audience: number, address: string): Promise<void> {
  await unit.sql.query((db) =>
    db
      .insertInto('audience_leave')
      .values({ account: unit.account, audience, address, created_at: unit.now })
      .onConflict((oc) => oc.doNothing()),
  )
}

export async function deleteLeave(unit: AccountUnit, audience: number, address: string): Promise<void> {
  await unit.sql.query((db) =>
    db
      .deleteFrom('audience_leave')
      .where('account', '=', unit.account)
      .where('audience', '=', audience)
      .where('address', '=', address),
  )
}

async function leftAmong(
  reader: Reader,
  { account, audience }: AudienceOf,
  addresses: readonly string[],
): Promise<Set<string>> {
  const rows = await findInSlices(addresses, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('audience_leave')
        .select('address')
        .where('account', '=', account)
        .where('audience', '=', audience)
        .where('address', 'in', [...slice]),
    ),
  )
  return new Set(rows.map(({ address }) => address))
}

/** Those of the addresses that cannot be added to an audience: suppressed, opted out, or gone from it. @param addresses normalized */
export async function unmailableAmong(
  reader: Reader,
  { account, audience }: AudienceOf,
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
  const left = await leftAmong(reader, { account, audience }, addresses)
  for (const { address } of rows) left.add(address)
  return left
}
