import { sql } from 'kysely'
import type { Reader } from '../ports.ts'
import type { Fault } from './check-store.ts'

const TABLES = [
  'change',
  'change_floor',
  'object',
  'address',
  'domain_name',
  'domain_check',
  'credential',
  'account_blob',
  'mailbox',
  'thread',
  'thread_mailbox',
  'thread_ref',
  'email',
  'email_mailbox',
  'email_keyword',
  'email_unindexed',
  'submission',
  'submission_recipient',
  'submission_report',
  'submission_tag',
  'event',
  'webhook_delivery',
  'email_delivery',
  'delivery_memory',
  'draft_request',
  'sieve_script',
  'spam_mark',
  'spam_learned',
  'spam_token',
  'spam_total',
] as const

/** Numbers come from counters that only grow; every row belongs to an account, every recipient to a submission. */
export async function checkAccounts(reader: Reader): Promise<Fault[]> {
  const faults: Fault[] = []
  const accounts = await reader.sql.query((db) => db.selectFrom('account').select(['id', 'organization']))
  const known = new Set(accounts.map(({ id }) => id))
  for (const { id, organization } of accounts)
    if (!known.has(organization))
      faults.push({ account: id, kind: 'account', detail: `organization ${organization} does not exist` })
  const [counter] = await reader.sql.query((db) =>
    db.selectFrom('installation').select('value').where('name', '=', 'newest_account'),
  )
  const newest = Math.max(0, ...known)
  if (Number(counter?.value ?? 0) < newest)
    faults.push({ account: newest, kind: 'account', detail: `the counter of accounts stands at ${counter?.value}` })
  for (const table of TABLES) {
    const owners = await reader.sql.query((db) => db.selectFrom(table).select('account').distinct())
    for (const { account } of owners)
      if (!known.has(account))
        faults.push({ account, kind: 'orphan', detail: `${table} has rows, the account is gone` })
  }
  return [...faults, ...(await checkNumbers(reader)), ...(await checkRecipients(reader))]
}

/** A number at or above the counter would be given out again. */
async function checkNumbers(reader: Reader): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const table of ['object', 'account_blob', 'mailbox', 'thread', 'email', 'submission', 'sieve_script'] as const) {
    const rows = await reader.sql.query((db) => {
      const above = db
        .selectFrom(table)
        .innerJoin('account', 'account.id', `${table}.account`)
        .select([`${table}.account`, `${table}.id`, 'account.next_object'])
        .whereRef(`${table}.id`, '>=', 'account.next_object')
      // These two carry the number of the account that they describe.
      return table === 'object' ? above.where('object.type', 'not in', ['MailAccount', 'Organization']) : above
    })
    for (const row of rows)
      faults.push({
        account: row.account,
        kind: 'account',
        detail: `${table} ${row.id} is not below the counter of objects, ${row.next_object}`,
      })
  }
  return faults
}

async function checkRecipients(reader: Reader): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [table, what] of [
    ['submission_recipient', 'recipient'],
    ['submission_report', 'report'],
    ['submission_tag', 'tag'],
  ] as const) {
    const rows = await reader.sql.query((db) =>
      db
        .selectFrom(table)
        .select(['account', 'submission'])
        .where(sql<boolean>`(account, submission) not in (select account, id from submission)`),
    )
    for (const { account, submission } of rows)
      faults.push({ account, kind: 'orphan', detail: `a ${what} is of submission ${submission}, which is gone` })
  }
  return faults
}
