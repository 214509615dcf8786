/** Where accounts and their types stand: what push compares with what a client has been told. */
import { sql } from 'kysely'
import { IN_LIST_MAX } from '../../server/base/limits.ts'
import type { Reader } from '../ports.ts'
import type { AccountTable } from '../schema/tables.ts'

export type AccountPosition = Pick<AccountTable, 'id' | 'kind' | 'organization' | 'seq' | 'suspended_at'>

/** Accounts that were not deleted: those numbers, or all of an organization with its own. */
export async function accountPositions(
  reader: Reader,
  of: { readonly accounts: readonly number[] } | { readonly organization: number },
): Promise<AccountPosition[]> {
  if ('organization' in of) return select(reader, (query) => query.where('organization', '=', of.organization))
  const found: AccountPosition[] = []
  for (let i = 0; i < of.accounts.length; i += IN_LIST_MAX) {
    const slice = of.accounts.slice(i, i + IN_LIST_MAX)
    found.push(...(await select(reader, (query) => query.where('id', 'in', slice))))
  }
  return found
}

function select(reader: Reader, narrow: (query: AccountQuery) => AccountQuery): Promise<AccountPosition[]> {
  return reader.sql.query((db) => narrow(accountQuery(db)))
}

type AccountQuery = ReturnType<typeof accountQuery>

function accountQuery(db: Parameters<Parameters<Reader['sql']['query']>[0]>[0]) {
  return db
    .selectFrom('account')
    .select(['id', 'kind', 'organization', 'seq', 'suspended_at'])
    .where('deleted_at', 'is', null)
}

/** The states of types in an account, as stateOf tells each, in one query of as many looks into the index. */
export function typeStates(
  reader: Reader,
  account: number,
  types: readonly string[],
): Promise<{ type: string; state: number }[]> {
  const values = sql.join(types.map((type) => sql`(${type})`))
  const newest = sql`select c.seq from change c where c.account = ${account} and c.type = v.column1 order by c.seq desc limit 1`
  const floor = sql`select f.floor from change_floor f where f.account = ${account} and f.type = v.column1`
  return reader.sql.query((db) =>
    db
      .selectFrom(sql<{ column1: string }>`(values ${values})`.as('v'))
      .select(['v.column1 as type', sql<number>`coalesce((${newest}), (${floor}), 0)`.as('state')]),
  )
}
