/** Rows of `email_mailbox` and `email_keyword`, which list the emails of each mailbox and keyword in the order of their time. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit } from '../ports.ts'
import type { Tables } from '../schema/database.ts'
import type { EmailTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type PlacedEmail = Pick<EmailTable, 'id' | 'received_at'>

type MailboxRow = Tables['email_mailbox']
const insertMailbox = insertRow('email_mailbox')
const deleteMailbox = statement<MailboxRow>()((db, p) =>
  db
    .deleteFrom('email_mailbox')
    .where('account', '=', p('account'))
    .where('mailbox', '=', p('mailbox'))
    .where('received_at', '=', p('received_at'))
    .where('email', '=', p('email')),
)

export async function addToMailbox(unit: AccountUnit, mailbox: number, email: PlacedEmail): Promise<void> {
  await unit.sql.all(insertMailbox, { account: unit.account, mailbox, received_at: email.received_at, email: email.id })
}

export async function removeFromMailbox(unit: AccountUnit, mailbox: number, email: PlacedEmail): Promise<void> {
  await unit.sql.all(deleteMailbox, { account: unit.account, mailbox, received_at: email.received_at, email: email.id })
}

type KeywordRow = Tables['email_keyword']
const insertKeyword = insertRow('email_keyword')
const deleteKeyword = statement<KeywordRow>()((db, p) =>
  db
    .deleteFrom('email_keyword')
    .where('account', '=', p('account'))
    .where('keyword', '=', p('keyword'))
    .where('received_at', '=', p('received_at'))
    .where('email', '=', p('email')),
)

export async function addKeyword(unit: AccountUnit, keyword: string, email: PlacedEmail): Promise<void> {
  await unit.sql.all(insertKeyword, { account: unit.account, keyword, received_at: email.received_at, email: email.id })
}

export async function removeKeyword(unit: AccountUnit, keyword: string, email: PlacedEmail): Promise<void> {
  await unit.sql.all(deleteKeyword, { account: unit.account, keyword, received_at: email.received_at, email: email.id })
}
