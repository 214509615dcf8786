/** Sign-ups that wait for their confirmation, and the mails about them. */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { SignUpTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export async function findSignUp(
  reader: Reader,
  { account, audience, address }: Pick<SignUpTable, 'account' | 'audience' | 'address'>,
): Promise<SignUpTable | null> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('sign_up')
      .selectAll()
      .where('account', '=', account)
      .where('audience', '=', audience)
      .where('address', '=', address),
  )
  return row ?? null
}

export async function findSignUpByNonce(reader: Reader, account: number, nonce: string): Promise<SignUpTable | null> {
  const [row] = await reader.sql.query((db) =>
    db.selectFrom('sign_up').selectAll().where('account', '=', account).where('nonce', '=', nonce),
  )
  return row ?? null
}

const save = insertRow('sign_up', (query) =>
  query.onConflict((oc) =>
    oc.columns(['account', 'audience', 'address']).doUpdateSet(({ ref }) => ({
      nonce: ref('excluded.nonce'),
      display_name: ref('excluded.display_name'),
      mailed_at: ref('excluded.mailed_at'),
      expires_at: ref('excluded.expires_at'),
    })),
  ),
)

export async function saveSignUp(unit: AccountUnit, row: Omit<SignUpTable, 'account'>): Promise<void> {
  await unit.sql.all(save, { ...row, account: unit.account })
}

export async function deleteSignUp(unit: AccountUnit, { audience, address }: SignUpTable): Promise<void> {
  await unit.sql.query((db) =>
    db
      .deleteFrom('sign_up')
      .where('account', '=', unit.account)
      .where('audience', '=', audience)
      .where('address', '=', address),
  )
}

// The row is locked until the commit, so that units of different organizations count one after the other.
const lock = statement<{ address: string }>()((db, p) =>
  db
    .insertInto('sign_up_mail')
    .values({ address: p('address'), mailed: '[]', kept_until: 0 })
    .onConflict((oc) => oc.column('address').doUpdateSet({ address: p('address') }))
    .returning('mailed'),
)

/**
 * Counts one more mail to an address, unless `max` were sent to it within `withinMs`.
 * @param address normalized
 * @returns whether it may be sent
 */
export async function countMail(
  unit: AccountUnit,
  address: string,
  { max, withinMs }: { readonly max: number; readonly withinMs: number },
): Promise<boolean> {
  const [row] = await unit.sql.all(lock, { address })
  const recent = (JSON.parse(row!.mailed) as number[]).filter((at) => at > unit.now - withinMs)
  const isAllowed = recent.length < max
  const mailed = JSON.stringify(isAllowed ? [...recent, unit.now] : recent)
  await unit.sql.query((db) =>
    db
      .updateTable('sign_up_mail')
      .set({ mailed, kept_until: unit.now + withinMs })
      .where('address', '=', address),
  )
  return isAllowed
}

/** Deletes at most `limit` sign-ups that have expired at `now`. @returns how many */
export async function forgetSignUps(connection: Sql, now: number, limit: number): Promise<number> {
  const deleted = await connection.query((db) =>
    db
      .deleteFrom('sign_up')
      .where(
        sql<boolean>`(account, audience, address) in
          (select account, audience, address from sign_up where expires_at <= ${now} order by expires_at limit ${limit})`,
      )
      .returning('account'),
  )
  return deleted.length
}

/** Deletes at most `limit` counts that are over at `now`. @returns how many */
export async function forgetMails(connection: Sql, now: number, limit: number): Promise<number> {
  const deleted = await connection.query((db) =>
    db
      .deleteFrom('sign_up_mail')
      .where(
        sql<boolean>`address in
          (select address from sign_up_mail where kept_until <= ${now} order by kept_until limit ${limit})`,
      )
      .returning('address'),
  )
  return deleted.length
}
