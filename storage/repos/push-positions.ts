/** Newest sequence numbers of accounts and their types, which push compares with what a client knows. */

import { sql } from 'kysely'
import { ALL_TYPES } from '../change-log.ts'
import type { QueryBuilder, Reader } from '../ports.ts'
import type { AccountTable } from '../schema/tables.ts'
import { findInSlices } from './slices.ts'

export type AccountPosition = Pick<AccountTable, 'id' | 'kind' | 'organization' | 'seq' | 'suspended_at'>

/** Accounts that were not deleted: those with these numbers, or an organization and all of its mailboxes. */
export async function accountPositions(
  reader: Reader,
  of: { readonly accounts: readonly number[] } | { readonly organization: number },
): Promise<AccountPosition[]> {
  if ('organization' in of) return reader.sql.query((db) => positions(db).where('organization', '=', of.organization))
  return findInSlices(of.accounts, (slice) => reader.sql.query((db) => positions(db).where('id', 'in', slice)))
}

function positions(db: QueryBuilder) {
  return db
    .selectFrom('account')
    .select(['id', 'kind', 'organization', 'seq', 'suspended_at'])
    .where('deleted_at', 'is', null)
}

/** The states of types in an account, as `stateOf` returns them, in one query. */
export function typeStates(
  reader: Reader,
  account: number,
  types: readonly string[],
): Promise<{ type: string; state: number }[]> {
  const values = sql.join(types.map((type) => sql`(${type})`))
  const newest = sql`select c.seq from change c where c.account = ${account} and c.type = v.column1 order by c.seq desc limit 1`
  const floor = sql`select max(f.floor) from change_floor f where f.account = ${account} and f.type in (v.column1, ${ALL_TYPES})`
  return reader.sql.query((db) =>
    db
      .selectFrom(sql<{ column1: string }>`(values ${values})`.as('v'))
      .select(['v.column1 as type', sql<number>`coalesce((${newest}), (${floor}), 0)`.as('state')]),
  )
}
