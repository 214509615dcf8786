/** Sieve scripts (RFC 9661). An account has few, so they are read together. */
import type { AccountUnit, Reader } from '../ports.ts'
import type { SieveScriptTable } from '../schema/sieve-script.ts'
import { statement } from '../statement.ts'

const every = statement<{ account: number }>()((db, p) =>
  db.selectFrom('sieve_script').selectAll().where('account', '=', p('account')).orderBy('id'),
)

/** Oldest first. */
export function listSieveScripts(reader: Reader, account: number): Promise<SieveScriptTable[]> {
  return reader.sql.all(every, { account })
}

const active = statement<{ account: number }>()((db, p) =>
  db
    .selectFrom('sieve_script')
    .innerJoin('account_blob', (join) =>
      join
        .onRef('account_blob.account', '=', 'sieve_script.account')
        .onRef('account_blob.id', '=', 'sieve_script.blob'),
    )
    .select(['sieve_script.name', 'sieve_script.blob', 'account_blob.hash'])
    .where('sieve_script.account', '=', p('account'))
    .where('sieve_script.is_active', '=', 1),
)

/** The active script, with the hash of its octets; null: there is none. */
export async function findActiveSieveScript(
  reader: Reader,
  account: number,
): Promise<{ readonly name: string; readonly blob: number; readonly hash: Uint8Array } | null> {
  const [row] = await reader.sql.all(active, { account })
  return row ?? null
}

export async function insertSieveScript(unit: AccountUnit, row: Omit<SieveScriptTable, 'account'>): Promise<void> {
  await unit.sql.query((db) => db.insertInto('sieve_script').values({ ...row, account: unit.account }))
}

export async function updateSieveScript(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<SieveScriptTable, 'name' | 'blob' | 'is_active'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('sieve_script').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function deleteSieveScript(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('sieve_script').where('account', '=', unit.account).where('id', '=', id))
}
