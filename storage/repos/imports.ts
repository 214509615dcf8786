/** Imports: their rows, the queue of their work, and what they created. */
import { type SqlBool, sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { ImportTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

const insert = insertRow('import')

export async function insertImport(unit: AccountUnit, row: ImportTable): Promise<void> {
  await unit.sql.all(insert, row)
}

const byId = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('import').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findImport(reader: Reader, account: number, id: number): Promise<ImportTable | null> {
  const [row] = await reader.sql.all(byId, { account, id })
  return row ?? null
}

const ofAccount = statement<{ account: number }>()((db, p) =>
  db.selectFrom('import').selectAll().where('account', '=', p('account')).orderBy('id', 'desc'),
)

/** All imports of an account, newest first. */
export function listImports(reader: Reader, account: number): Promise<ImportTable[]> {
  return reader.sql.all(ofAccount, { account })
}

export type ImportChanges = Partial<Omit<ImportTable, 'account' | 'id' | 'source' | 'options' | 'created_at'>>

export async function updateImport(unit: AccountUnit, id: number, set: ImportChanges): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('import')
      .set({ ...set, updated_at: unit.now })
      .where('account', '=', unit.account)
      .where('id', '=', id),
  )
}

/** Sealed passwords of all imports, with the organization that each is sealed for. */
export async function importSecrets(
  reader: Reader,
): Promise<{ account: number; organization: number; id: number; secret: string }[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('import')
      .innerJoin('account', 'account.id', 'import.account')
      .select(['import.account', 'account.organization', 'import.id', 'import.secret'])
      .where('import.secret', 'is not', null)
      .where('account.deleted_at', 'is', null),
  )
  return rows.map((row) => ({ ...row, secret: row.secret! }))
}

/** Clients see no difference. */
export async function saveImportSecret(unit: AccountUnit, id: number, secret: string): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('import').set({ secret }).where('account', '=', unit.account).where('id', '=', id),
  )
}

/** With everything that is part of it. */
export async function deleteImport(unit: AccountUnit, id: number): Promise<void> {
  const { account } = unit
  for (const table of ['import_folder', 'import_email', 'import_mailbox'] as const)
    await unit.sql.query((db) => db.deleteFrom(table).where('account', '=', account).where('import', '=', id))
  await unit.sql.query((db) => db.deleteFrom('import').where('account', '=', account).where('id', '=', id))
}

/** Nothing is imported into a mailbox that is deleted and waits to be erased. */
const OF_THE_LIVING = sql<SqlBool>`exists (select 1 from account where account.id = import.account and account.deleted_at is null)`

/** First those of organizations that have none under way, so that many imports of one do not keep the others waiting. */
export async function claimImportRows(db: Sql, claim: Claim): Promise<ImportTable[]> {
  const first = sql<SqlBool>`${OF_THE_LIVING} and not exists (select 1 from import other
    join account theirs on theirs.id = other.account join account own on own.id = import.account
    where other.lease_until > ${claim.now} and theirs.organization = own.organization)`
  const rows = await claimRows(db, 'import', claim, undefined, first)
  return rows.length > 0 ? rows : claimRows(db, 'import', claim, undefined, OF_THE_LIVING)
}

/** When the next import may be claimed, epoch ms; null: none has anything to do. */
export function nextImport(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'import', OF_THE_LIVING)
}

/** At the start of the only process that writes: the leases of the one before are void. */
export async function releaseImports(connection: Sql): Promise<void> {
  await connection.query((db) => db.updateTable('import').set({ lease_until: 0 }).where('lease_until', '>', 0))
}

const noteEmail = insertRow('import_email')

export async function noteImported(unit: AccountUnit, imported: number, email: number): Promise<void> {
  await unit.sql.all(noteEmail, { account: unit.account, import: imported, email })
}

const isOwn = statement<{ account: number; import: number; email: number }>()((db, p) =>
  db
    .selectFrom('import_email')
    .select('email')
    .where('account', '=', p('account'))
    .where('import', '=', p('import'))
    .where('email', '=', p('email')),
)

/** Whether an import created the email. */
export async function wasImportedBy(
  reader: Reader,
  account: number,
  imported: number,
  email: number,
): Promise<boolean> {
  return (await reader.sql.all(isOwn, { account, import: imported, email })).length > 0
}

/** Emails that an import created, in the order of their numbers. */
export async function importedEmails(
  reader: Reader,
  account: number,
  imported: number,
  limit: number,
): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('import_email')
      .select('email')
      .where('account', '=', account)
      .where('import', '=', imported)
      .orderBy('email')
      .limit(limit),
  )
  return rows.map(({ email }) => email)
}

export async function forgetImported(unit: AccountUnit, imported: number, upTo: number): Promise<void> {
  await unit.sql.query((db) =>
    db
      .deleteFrom('import_email')
      .where('account', '=', unit.account)
      .where('import', '=', imported)
      .where('email', '<=', upTo),
  )
}

const noteMailbox = insertRow('import_mailbox')

export async function noteMade(unit: AccountUnit, imported: number, mailbox: number): Promise<void> {
  await unit.sql.all(noteMailbox, { account: unit.account, import: imported, mailbox })
}

/** Mailboxes that an import made, the newest first: those below come before those above. */
export async function madeMailboxes(reader: Reader, account: number, imported: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('import_mailbox')
      .select('mailbox')
      .where('account', '=', account)
      .where('import', '=', imported)
      .orderBy('mailbox', 'desc'),
  )
  return rows.map(({ mailbox }) => mailbox)
}

export async function forgetMade(unit: AccountUnit, imported: number): Promise<void> {
  await unit.sql.query((db) =>
    db.deleteFrom('import_mailbox').where('account', '=', unit.account).where('import', '=', imported),
  )
}

/** Imports that ended before a time and still know what they created. */
export function forgettableImports(
  reader: Reader,
  before: number,
  limit: number,
): Promise<{ account: number; id: number }[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('import')
      .select(['account', 'id'])
      .where('finished_at', 'is not', null)
      .where('finished_at', '<', before)
      .where('due_at', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('import_email')
            .select('email')
            .whereRef('import_email.account', '=', 'import.account')
            .whereRef('import_email.import', '=', 'import.id'),
        ),
      )
      .limit(limit),
  )
}
