import { sql } from 'kysely'
import type { Reader } from '../ports.ts'
import { unionAll } from '../raw-query.ts'
import type { Table } from '../schema/table.ts'
import type { Fault } from './fault.ts'
import { notIn, type ObjectTypes } from './object-types.ts'

/**
 * Every row belongs to an account that exists, every part to its whole, and every number is below the counter that gave it out.
 * @param tables those that have rows
 */
export async function checkAccounts(reader: Reader, types: ObjectTypes, tables: readonly Table[]): Promise<Fault[]> {
  const faults: Fault[] = []
  const accounts = await reader.sql.query((db) => db.selectFrom('account').select(['id', 'organization']))
  const known = new Set(accounts.map(({ id }) => id))
  for (const { id, organization } of accounts)
    if (!known.has(organization))
      faults.push({ account: id, kind: 'account', detail: `organization ${organization} does not exist` })
  const [counter] = await reader.sql.query((db) =>
    db.selectFrom('installation').select('value').where('name', '=', 'newest_account'),
  )
  const newest = Math.max(0, ...known)
  if (Number(counter?.value ?? 0) < newest)
    faults.push({ account: newest, kind: 'account', detail: `the counter of accounts is at ${counter?.value}` })
  return [
    ...faults,
    ...(await checkOwners(reader, tables)),
    ...(await checkNumbers(reader, types, tables)),
    ...(await checkWholes(reader, tables)),
  ]
}

async function checkOwners({ sql: connection }: Reader, tables: readonly Table[]): Promise<Fault[]> {
  const queries = tables.flatMap(({ name, owner, numbers = [] }) =>
    [...new Set([owner, ...numbers.map(({ of }) => of)])]
      .filter((column) => column !== null)
      .map(
        (column) => sql<{ name: string; account: number }>`
          select distinct ${sql.lit(name)} as name, ${sql.ref(column)} as account from ${sql.table(name)} t
          where not exists (select 1 from account a where a.id = t.${sql.ref(column)})`,
      ),
  )
  return (await unionAll(connection, queries)).map(({ name, account }) => ({
    account,
    kind: 'orphan',
    detail: `${name} has rows, but the account does not exist`,
  }))
}

/** A number that is not below its counter would be assigned again. */
async function checkNumbers(
  { sql: connection }: Reader,
  { accounts }: ObjectTypes,
  tables: readonly Table[],
): Promise<Fault[]> {
  type Row = { name: string; account: number; number: number; next_object: number }
  const queries = tables.flatMap(({ name, numbers = [] }) =>
    numbers.map(
      ({ column, of }) => sql<Row>`
        select ${sql.lit(name)} as name, a.id as account, t.${sql.ref(column)} as number, a.next_object
        from ${sql.table(name)} t join account a on a.id = t.${sql.ref(of)}
        where t.${sql.ref(column)} >= a.next_object
        ${name === 'object' ? notIn(accounts) : sql``}`,
    ),
  )
  return (await unionAll(connection, queries)).map(({ name, account, number, next_object }) => ({
    account,
    kind: 'account',
    detail: `${name} ${number} is not below the counter of objects, ${next_object}`,
  }))
}

async function checkWholes({ sql: connection }: Reader, tables: readonly Table[]): Promise<Fault[]> {
  type Row = { name: string; account: number; whole: string; number: number }
  const queries = tables.flatMap(({ name, partOf }) =>
    partOf === undefined
      ? []
      : sql<Row>`
        select distinct ${sql.lit(name)} as name, t.account, ${sql.lit(partOf)} as whole, t.${sql.ref(partOf)} as number
        from ${sql.table(name)} t where not exists
          (select 1 from ${sql.table(partOf)} w where w.account = t.account and w.id = t.${sql.ref(partOf)})`,
  )
  return (await unionAll(connection, queries)).map(({ name, account, whole, number }) => ({
    account,
    kind: 'orphan',
    detail: `${name} has rows of ${whole} ${number}, which does not exist`,
  }))
}
