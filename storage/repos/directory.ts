/**
 * The directory over all organizations: addresses and their mailbox accounts, claims to domain names, credentials. It is derived from
 * objects (Domain, MailAccount, Alias, ApiKey) and written in the same units of work.
 */
import { sql } from 'kysely'
import type { Reader, Sql } from '../ports.ts'
import type { AddressTable, CredentialTable, DomainNameTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const address = statement<{ address: string }>()((db, p) =>
  db
    .selectFrom('address')
    .innerJoin('account', 'account.id', 'address.account')
    .select(['address.account', 'address.kind', 'address.domain', 'account.suspended_at', 'account.organization'])
    .where('address.address', '=', p('address'))
    .where('address.enabled', '=', sql.lit(1))
    .where('account.deleted_at', 'is', null),
)

/** The mailbox account that an address leads to; null: none. @param text lower-cased address */
export async function findAddress(reader: Reader, text: string) {
  const [row] = await reader.sql.all(address, { address: text })
  return row ?? null
}

const holder = statement<{ address: string }>()((db, p) =>
  db.selectFrom('address').selectAll().where('address', '=', p('address')),
)

/** The row of an address, also of one that is switched off. @param text lower-cased address */
export async function holderOf(reader: Reader, text: string): Promise<AddressTable | null> {
  const [row] = await reader.sql.all(holder, { address: text })
  return row ?? null
}

export async function insertAddress(sql: Sql, row: Omit<AddressTable, 'enabled'>): Promise<void> {
  await sql.query((db) => db.insertInto('address').values({ ...row, enabled: 1 }))
}

export async function updateAddress(
  sql: Sql,
  text: string,
  set: Pick<AddressTable, 'account' | 'enabled'>,
): Promise<void> {
  await sql.query((db) => db.updateTable('address').set(set).where('address', '=', text))
}

export async function deleteAddress(sql: Sql, text: string): Promise<void> {
  await sql.query((db) => db.deleteFrom('address').where('address', '=', text))
}

const ofAccount = statement<{ account: number }>()((db, p) =>
  db
    .selectFrom('address')
    .selectAll()
    .where('account', '=', p('account'))
    .where('enabled', '=', sql.lit(1))
    .orderBy('kind', 'desc')
    .orderBy('address'),
)

/** Addresses that lead to a mailbox account, its own address first. */
export function addressesOf(reader: Reader, account: number): Promise<AddressTable[]> {
  return reader.sql.all(ofAccount, { account })
}

/** Addresses of its aliases, including those that are switched off. */
export async function aliasAddressesOf(reader: Reader, account: number): Promise<string[]> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('address').select('address').where('account', '=', account).where('kind', '=', 'alias'),
  )
  return rows.map(({ address }) => address)
}

const domain = statement<{ name: string }>()((db, p) =>
  db.selectFrom('domain_name').selectAll().where('name', '=', p('name')).orderBy('status', 'desc').orderBy('account'),
)

/** All claims to a domain name. `verified` sorts before `degraded` and all others. */
export function findDomainName(reader: Reader, name: string): Promise<DomainNameTable[]> {
  return reader.sql.all(domain, { name })
}

export async function saveDomainName(sql: Sql, row: DomainNameTable): Promise<void> {
  await sql.query((db) =>
    db
      .insertInto('domain_name')
      .values(row)
      .onConflict((oc) =>
        oc.columns(['name', 'account']).doUpdateSet({ status: row.status, catch_all: row.catch_all }),
      ),
  )
}

export async function deleteDomainName(sql: Sql, name: string, account: number): Promise<void> {
  await sql.query((db) => db.deleteFrom('domain_name').where('name', '=', name).where('account', '=', account))
}

const credential = statement<{ hash: string }>()((db, p) =>
  db.selectFrom('credential').selectAll().where('hash', '=', p('hash')),
)

export async function findCredential(reader: Reader, hash: string): Promise<CredentialTable | null> {
  const [row] = await reader.sql.all(credential, { hash })
  return row ?? null
}

export async function saveCredential(sql: Sql, row: CredentialTable): Promise<void> {
  await sql.query((db) =>
    db
      .insertInto('credential')
      .values(row)
      .onConflict((oc) => oc.column('hash').doUpdateSet({ verifier: row.verifier, created_at: row.created_at })),
  )
}

/** Replaces the stored form of the same secret. */
export async function replaceVerifier(sql: Sql, hash: string, verifier: string): Promise<void> {
  await sql.query((db) => db.updateTable('credential').set({ verifier }).where('hash', '=', hash))
}

export async function deleteCredential(sql: Sql, hash: string): Promise<void> {
  await sql.query((db) => db.deleteFrom('credential').where('hash', '=', hash))
}
