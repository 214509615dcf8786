/** Marks of emails that are not in the search index yet. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, QueryBuilder, Reader } from '../ports.ts'
import type { EmailTable, EmailUnindexedTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const mark = insertRow('email_unindexed')

export async function markUnindexed(unit: AccountUnit, email: number, blob: number): Promise<void> {
  await unit.sql.all(mark, { account: unit.account, email, blob })
}

const unmark = statement<{ account: number; email: number }>()((db, p) =>
  db
    .deleteFrom('email_unindexed')
    .where('account', '=', p('account'))
    .where('email', '=', p('email'))
    .returning('email'),
)

/** Deletes the mark. @returns false: the email was indexed or destroyed already */
export async function takeUnindexed(unit: AccountUnit, email: number): Promise<boolean> {
  return (await unit.sql.all(unmark, { account: unit.account, email })).length > 0
}

const waiting = (db: QueryBuilder) =>
  db
    .selectFrom('email_unindexed as u')
    .innerJoin('email as e', (join) => join.onRef('e.account', '=', 'u.account').onRef('e.id', '=', 'u.email'))
    .select(['u.account', 'u.email', 'u.blob', 'e.thread', 'e.received_at'])

const ofAccount = statement<{ account: number; limit: number }>()((db, p) =>
  waiting(db).where('u.account', '=', p('account')).orderBy('u.email').limit(p('limit')),
)
const ofAny = statement<{ limit: number }>()((db, p) =>
  waiting(db).orderBy('u.account').orderBy('u.email').limit(p('limit')),
)

/** Whether some emails of an account are not indexed yet. */
export async function isIndexPending(reader: Reader, account: number): Promise<boolean> {
  return (await reader.sql.all(ofAccount, { account, limit: 1 })).length > 0
}

/** An email that is not in the search index yet. */
export type UnindexedEmail = EmailUnindexedTable & Pick<EmailTable, 'thread' | 'received_at'>

/** Emails that must be indexed, oldest first. @param account null: all accounts */
export function unindexedEmails(reader: Reader, account: number | null, limit: number): Promise<UnindexedEmail[]> {
  return account === null ? reader.sql.all(ofAny, { limit }) : reader.sql.all(ofAccount, { account, limit })
}
