/** The marks of emails that are not in the search index yet. */
import type { AccountUnit, Reader } from '../ports.ts'
import type { EmailUnindexedTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const mark = statement<{ account: number; email: number; blob: number }>()((db, p) =>
  db.insertInto('email_unindexed').values({ account: p('account'), email: p('email'), blob: p('blob') }),
)

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

/** Takes the mark away; false when it was gone already: the email is indexed, or destroyed. */
export async function takeUnindexed(unit: AccountUnit, email: number): Promise<boolean> {
  return (await unit.sql.all(unmark, { account: unit.account, email })).length > 0
}

const ofAccount = statement<{ account: number; limit: number }>()((db, p) =>
  db.selectFrom('email_unindexed').selectAll().where('account', '=', p('account')).orderBy('email').limit(p('limit')),
)
const ofAny = statement<{ limit: number }>()((db, p) =>
  db.selectFrom('email_unindexed').selectAll().orderBy('account').orderBy('email').limit(p('limit')),
)

/** Whether emails of an account wait. */
export async function isIndexPending(reader: Reader, account: number): Promise<boolean> {
  return (await reader.sql.all(ofAccount, { account, limit: 1 })).length > 0
}

/** Emails that wait, oldest first: of one account, or of all. */
export function unindexedEmails(reader: Reader, account: number | null, limit: number): Promise<EmailUnindexedTable[]> {
  return account === null ? reader.sql.all(ofAny, { limit }) : reader.sql.all(ofAccount, { account, limit })
}
