/** Rows of mailbox accounts that were deleted and whose time to be restored is over. The account's own row stays: its number is used once. */
import type { AccountUnit, Reader } from '../ports.ts'

/** All that an account holds, but for its emails, which go one by one, and its events, which have a time of their own. */
const TABLES = [
  'outgoing',
  'submission_tag',
  'submission_report',
  'submission_recipient',
  'submission',
  'email_mailbox',
  'email_keyword',
  'email_unindexed',
  'email_delivery',
  'thread_mailbox',
  'thread_ref',
  'thread',
  'mailbox',
  'account_blob',
  'object',
  'delivery_memory',
  'draft_request',
  'sieve_script',
  'spam_mark',
  'spam_learned',
  'spam_token',
  'spam_total',
  'push_subscription',
  'change',
  'change_floor',
] as const

/** Numbers of mailbox accounts that were deleted before `before` and still hold something. */
export async function endedMailboxes(reader: Reader, before: number, limit: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('account')
      .select('id')
      .where('kind', '=', 'mailbox')
      .where('deleted_at', '<', before)
      // It goes with the last of what an account holds.
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('mailbox').select('mailbox.id').whereRef('mailbox.account', '=', 'account.id')),
      )
      .orderBy('id')
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Numbers of emails of the account. */
export async function someEmails(unit: AccountUnit, limit: number): Promise<number[]> {
  const rows = await unit.sql.query((db) =>
    db.selectFrom('email').select('id').where('account', '=', unit.account).limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Everything but emails, of which none may be left. */
export async function eraseRows(unit: AccountUnit): Promise<void> {
  for (const table of TABLES) await unit.sql.query((db) => db.deleteFrom(table).where('account', '=', unit.account))
  unit.addUsedBytes(-unit.usedBytes)
}
