import type { Reader } from '../ports.ts'
import type { Fault } from './check-store.ts'

/** Addresses, domain names and credentials against the objects they derive from. */
export async function checkDirectory(reader: Reader): Promise<Fault[]> {
  const objects = await reader.sql.query((db) =>
    db.selectFrom('object').selectAll().where('type', 'in', ['MailAccount', 'Domain', 'ApiKey']),
  )
  const addresses = await reader.sql.query((db) => db.selectFrom('address').selectAll().where('kind', '=', 'mailbox'))
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
        faults.push({ account, kind, detail: `${key} leads to '${expected.get(key)}', not here` })
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
    addresses.map((row) => ({ account: organizations.get(row.account) ?? 0, object: row.account, value: row.address })),
  )
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

/** undefined, too, for a text that is not JSON. */
function fieldOf(data: string, field: string): string | undefined {
  try {
    return (JSON.parse(data) as Record<string, string>)[field]
  } catch {
    return undefined
  }
}
