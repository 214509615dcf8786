import type { Reader } from '../ports.ts'
import type { AddressTable, ObjectTable } from '../schema/tables.ts'
import type { Fault } from './fault.ts'

/** Compares addresses, domain names and credentials with the objects that they are derived from. */
export async function checkDirectory(reader: Reader): Promise<Fault[]> {
  const objects = await reader.sql.query((db) =>
    db.selectFrom('object').selectAll().where('type', 'in', ['MailAccount', 'Alias', 'Domain', 'ApiKey']),
  )
  const addresses = await reader.sql.query((db) => db.selectFrom('address').selectAll())
  const names = await reader.sql.query((db) => db.selectFrom('domain_name').selectAll())
  const keys = await reader.sql.query((db) => db.selectFrom('credential').selectAll().where('verifier', 'is', null))
  const faults: Fault[] = []
  const compare = (
    kind: string,
    type: string,
    field: string,
    found: readonly { account: number; object: number; value: string }[],
  ) => {
    const expected = new Map(
      objects.filter((row) => row.type === type).map((row) => [`${row.account}/${row.id}`, fieldOf(row.data, field)]),
    )
    for (const { account, object, value } of found) {
      const key = `${account}/${object}`
      if (expected.get(key) !== value)
        faults.push({ account, kind, detail: `${value} leads to ${key}, which has '${expected.get(key)}'` })
      expected.delete(key)
    }
    for (const key of expected.keys())
      faults.push({ account: Number(key.split('/')[0]), kind, detail: `${type} ${key} is not in the directory` })
  }
  const organizations = new Map(
    (await reader.sql.query((db) => db.selectFrom('account').select(['id', 'organization']))).map((row) => [
      row.id,
      row.organization,
    ]),
  )
  compare(
    'directory-address',
    'MailAccount',
    'address',
    addresses
      .filter(({ kind }) => kind === 'mailbox')
      .map((row) => ({ account: organizations.get(row.account) ?? 0, object: row.account, value: row.address })),
  )
  faults.push(...aliasFaults(objects, addresses, organizations))
  compare(
    'directory-domain',
    'Domain',
    'name',
    names.map((row) => ({ account: row.account, object: row.object, value: row.name })),
  )
  compare(
    'directory-credential',
    'ApiKey',
    'keyHash',
    keys.map((row) => ({ account: row.account, object: row.object, value: row.hash })),
  )
  return faults
}

/** Every alias has its address, and every address of the kind an alias. */
function aliasFaults(
  objects: readonly ObjectTable[],
  addresses: readonly AddressTable[],
  organizations: ReadonlyMap<number, number>,
): Fault[] {
  const aliases = objects.filter(({ type }) => type === 'Alias')
  const expected = new Set(aliases.map(({ account, data }) => `${account} ${fieldOf(data, 'address')}`))
  const found = addresses
    .filter(({ kind }) => kind === 'alias')
    .map(({ account, address }) => ({ account: organizations.get(account) ?? 0, address }))
  const known = new Set(found.map(({ account, address }) => `${account} ${address}`))
  const stray = found.filter(({ account, address }) => !expected.has(`${account} ${address}`))
  const missing = aliases.filter(({ account, data }) => !known.has(`${account} ${fieldOf(data, 'address')}`))
  return [
    ...stray.map(({ account, address }) => ({ account, kind: 'directory-address', detail: `${address} is no alias` })),
    ...missing.map(({ account, id }) => ({
      account,
      kind: 'directory-address',
      detail: `Alias ${account}/${id} is not in the directory`,
    })),
  ]
}

/** undefined also for a text that is not JSON. */
function fieldOf(data: string, field: string): string | undefined {
  try {
    return (JSON.parse(data) as Record<string, string>)[field]
  } catch {
    return undefined
  }
}
