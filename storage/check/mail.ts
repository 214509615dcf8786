import type { Reader } from '../ports.ts'
import type { MailboxTable } from '../schema/tables.ts'
import { searchIndexOf } from '../search/engines.ts'
import { differences, type EmailRow, keywordsOf, mailboxesOf, trashOf } from './email-rows.ts'
import type { Fault } from './fault.ts'
import { checkTree } from './mailbox-tree.ts'
import { checkThreads } from './threads.ts'

/** Compares side tables, counts, threads, search index and used octets of a mailbox account with its emails. */
export async function checkMail(reader: Reader, account: number): Promise<Fault[]> {
  const emails = await reader.sql.query((db) =>
    db
      .selectFrom('email')
      .select(['id', 'thread', 'blob', 'size', 'received_at', 'unread', 'keywords', 'mailboxes'])
      .where('account', '=', account),
  )
  const mailboxes = await reader.sql.query((db) => db.selectFrom('mailbox').selectAll().where('account', '=', account))
  return [
    ...(await checkSideTables(reader, account, emails)),
    ...checkColumns(account, emails, mailboxes),
    ...(await checkThreads(reader, account, emails, trashOf(mailboxes))),
    ...checkCounts(account, emails, mailboxes),
    ...checkTree(account, mailboxes),
    ...(await checkUsage(reader, account, emails)),
    ...(await checkIndex(reader, account, emails)),
  ]
}

async function checkSideTables(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const mailboxRows = await reader.sql.query((db) =>
    db.selectFrom('email_mailbox').selectAll().where('account', '=', account),
  )
  const keywordRows = await reader.sql.query((db) =>
    db.selectFrom('email_keyword').selectAll().where('account', '=', account),
  )
  const inMailboxes = emails.flatMap((email) =>
    mailboxesOf(email).map((mailbox) => `${mailbox} ${email.received_at} ${email.id}`),
  )
  const withKeywords = emails.flatMap((email) =>
    Object.keys(keywordsOf(email) ?? {}).map((keyword) => `${keyword} ${email.received_at} ${email.id}`),
  )
  return [
    ...differences(
      account,
      'email-mailbox',
      inMailboxes,
      mailboxRows.map((row) => `${row.mailbox} ${row.received_at} ${row.email}`),
    ),
    ...differences(
      account,
      'email-keyword',
      withKeywords,
      keywordRows.map((row) => `${row.keyword} ${row.received_at} ${row.email}`),
    ),
  ]
}

function checkColumns(account: number, emails: readonly EmailRow[], mailboxes: readonly MailboxTable[]): Fault[] {
  const known = new Set(mailboxes.map(({ id }) => id))
  const faults: Fault[] = []
  for (const email of emails) {
    const own = mailboxesOf(email)
    if (own.length === 0 || !own.every((mailbox) => known.has(mailbox)))
      faults.push({ account, kind: 'email-mailbox', detail: `email ${email.id} is in '${email.mailboxes}'` })
    const keywords = keywordsOf(email)
    if (!keywords) faults.push({ account, kind: 'email-keyword', detail: `email ${email.id} has '${email.keywords}'` })
    else if (Boolean(email.unread) === Boolean(keywords['$seen'] || keywords['$draft']))
      faults.push({ account, kind: 'email-unread', detail: `email ${email.id}` })
  }
  return faults
}

function checkCounts(account: number, emails: readonly EmailRow[], mailboxes: readonly MailboxTable[]): Fault[] {
  const trash = trashOf(mailboxes)
  const unreadThreads = new Set<number>()
  const unreadInTrash = new Set<number>()
  for (const email of emails.filter(({ unread }) => unread)) {
    if (mailboxesOf(email).some((mailbox) => mailbox !== trash)) unreadThreads.add(email.thread)
    if (mailboxesOf(email).some((mailbox) => mailbox === trash)) unreadInTrash.add(email.thread)
  }
  const faults: Fault[] = []
  for (const mailbox of mailboxes) {
    const own = emails.filter((email) => mailboxesOf(email).includes(mailbox.id))
    const threads = new Set(own.map(({ thread }) => thread))
    const counting = mailbox.id === trash ? unreadInTrash : unreadThreads
    const expected = {
      total_emails: own.length,
      unread_emails: own.filter(({ unread }) => unread).length,
      total_threads: threads.size,
      unread_threads: [...threads].filter((thread) => counting.has(thread)).length,
      own_unread_threads: new Set(own.filter(({ unread }) => unread).map(({ thread }) => thread)).size,
    }
    for (const [name, value] of Object.entries(expected))
      if (mailbox[name as keyof typeof expected] !== value)
        faults.push({
          account,
          kind: 'mailbox-count',
          detail: `${mailbox.name}: ${name} is ${mailbox[name as keyof typeof expected]}, not ${value}`,
        })
  }
  return faults
}

async function checkUsage(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const used = emails.reduce((sum, { size }) => sum + size, 0)
  const [row] = await reader.sql.query((db) => db.selectFrom('account').select('used_bytes').where('id', '=', account))
  return row?.used_bytes === used
    ? []
    : [{ account, kind: 'quota', detail: `used_bytes is ${row?.used_bytes}, not ${used}` }]
}

/** Each email is either in the search index or marked as not indexed yet. */
async function checkIndex(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const marked = await reader.sql.query((db) =>
    db.selectFrom('email_unindexed').selectAll().where('account', '=', account),
  )
  const indexed = await searchIndexOf(reader.sql).indexed(reader, account)
  return differences(
    account,
    'search-index',
    emails.map(({ id }) => String(id)),
    [...indexed, ...marked.map(({ email }) => email)].map(String),
  )
}
