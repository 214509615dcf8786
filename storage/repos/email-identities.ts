/** The index of message identities, by which imports find mail that is there already. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { EmailIdentityTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const upTo = statement<{ account: number }>()((db, p) =>
  db.selectFrom('email_identified').select('up_to').where('account', '=', p('account')),
)

/** Emails up to this number are in the index. */
export async function identifiedUpTo(reader: Reader, account: number): Promise<number> {
  const [row] = await reader.sql.all(upTo, { account })
  return row?.up_to ?? 0
}

const keepUpTo = insertRow('email_identified', (query) =>
  query.onConflict((oc) => oc.columns(['account']).doUpdateSet({ up_to: (eb) => eb.ref('excluded.up_to') })),
)

export async function keepIdentifiedUpTo(unit: AccountUnit, number: number): Promise<void> {
  await unit.sql.all(keepUpTo, { account: unit.account, up_to: number })
}

const after = statement<{ account: number; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('email')
    .innerJoin('account_blob', (join) =>
      join.onRef('account_blob.account', '=', 'email.account').onRef('account_blob.id', '=', 'email.blob'),
    )
    .select(['email.id', 'email.packed', 'account_blob.hash'])
    .where('email.account', '=', p('account'))
    .where('email.id', '>', p('after'))
    .orderBy('email.id')
    .limit(p('limit')),
)

/** The next emails after a number, with what their keys are made of. */
export function emailsAfter(
  reader: Reader,
  account: number,
  number: number,
  limit: number,
): Promise<{ id: number; packed: string; hash: Uint8Array }[]> {
  return reader.sql.all(after, { account, after: number, limit })
}

const save = insertRow('email_identity', (query) =>
  query.onConflict((oc) =>
    oc.columns(['account', 'email']).doUpdateSet(({ ref }) => ({
      digest: ref('excluded.digest'),
    })),
  ),
)

/** A new row, or the digest of one that has none. */
export async function saveIdentity(unit: AccountUnit, row: Omit<EmailIdentityTable, 'account'>): Promise<void> {
  await unit.sql.all(save, { account: unit.account, ...row })
}

const add = insertRow('email_identity', (query) =>
  query.onConflict((oc) => oc.columns(['account', 'email']).doNothing()),
)

/** Leaves a row that is there as it is. */
export async function addIdentity(unit: AccountUnit, row: Omit<EmailIdentityTable, 'account'>): Promise<void> {
  await unit.sql.all(add, { account: unit.account, ...row })
}

const same = statement<{ account: number; key: string; digest: string }>()((db, p) =>
  db
    .selectFrom('email_identity')
    .select('email')
    .where('account', '=', p('account'))
    .where('id_key', '=', p('key'))
    .where('digest', '=', p('digest'))
    .orderBy('email')
    .limit(1),
)

/** The oldest email with this identity; null: there is none among those that have a digest. */
export async function findIdentity(
  reader: Reader,
  account: number,
  key: string,
  digest: string,
): Promise<number | null> {
  const [row] = await reader.sql.all(same, { account, key, digest })
  return row?.email ?? null
}

const sameOnes = statement<{ account: number; key: string; digest: string; import: number; limit: number }>()((db, p) =>
  db
    .selectFrom('email_identity')
    .innerJoin('email', (join) =>
      join.onRef('email.account', '=', 'email_identity.account').onRef('email.id', '=', 'email_identity.email'),
    )
    .innerJoin('account_blob', (join) =>
      join.onRef('account_blob.account', '=', 'email.account').onRef('account_blob.id', '=', 'email.blob'),
    )
    .leftJoin('import_email', (join) =>
      join
        .onRef('import_email.account', '=', 'email.account')
        .onRef('import_email.email', '=', 'email.id')
        .on('import_email.import', '=', p('import')),
    )
    .select(['email_identity.email', 'account_blob.hash', 'import_email.import'])
    .where('email_identity.account', '=', p('account'))
    .where('email_identity.id_key', '=', p('key'))
    .where('email_identity.digest', '=', p('digest'))
    .orderBy('email_identity.email')
    .limit(p('limit')),
)

/** Emails with this identity, the oldest first. `import`: of the import that is asked for; null: it has not created the email. */
export function emailsWithIdentity(
  reader: Reader,
  account: number,
  { key, digest }: { readonly key: string; readonly digest: string },
  imported: number,
  limit: number,
): Promise<{ email: number; hash: Uint8Array; import: number | null }[]> {
  return reader.sql.all(sameOnes, { account, key, digest, import: imported, limit })
}

const unknown = statement<{ account: number; key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('email_identity')
    .innerJoin('email', (join) =>
      join.onRef('email.account', '=', 'email_identity.account').onRef('email.id', '=', 'email_identity.email'),
    )
    .select(['email_identity.email', 'email.blob'])
    .where('email_identity.account', '=', p('account'))
    .where('email_identity.id_key', '=', p('key'))
    .where('email_identity.digest', 'is', null)
    .orderBy('email_identity.email')
    .limit(p('limit')),
)

/** Emails with a key whose digest is not known yet. */
export function undigested(
  reader: Reader,
  account: number,
  key: string,
  limit: number,
): Promise<{ email: number; blob: number }[]> {
  return reader.sql.all(unknown, { account, key, limit })
}

const remove = statement<{ account: number; email: number }>()((db, p) =>
  db.deleteFrom('email_identity').where('account', '=', p('account')).where('email', '=', p('email')),
)

export async function removeIdentity(unit: AccountUnit, email: number): Promise<void> {
  await unit.sql.all(remove, { account: unit.account, email })
}
