/** Emails of one mailbox by date, which is the most frequent query: one range of one index. */
import type { Reader } from '../ports.ts'
import { statement } from '../statement.ts'

type Page = { account: number; mailbox: number; limit: number; offset: number }

const idsInOrder = (direction: 'asc' | 'desc') =>
  statement<Page>()((db, p) =>
    db
      .selectFrom('email_mailbox as em')
      .select('em.email as id')
      .where('em.account', '=', p('account'))
      .where('em.mailbox', '=', p('mailbox'))
      .orderBy('em.received_at', direction)
      .orderBy('em.email', direction)
      .limit(p('limit'))
      .offset(p('offset')),
  )
const ids = { asc: idsInOrder('asc'), desc: idsInOrder('desc') }

/** Numbers of the emails alone; no row of an email is read. */
export function mailboxEmailIds(reader: Reader, page: Page, direction: 'asc' | 'desc'): Promise<{ id: number }[]> {
  return reader.sql.all(ids[direction], page)
}

const emailsInOrder = (direction: 'asc' | 'desc') =>
  statement<Page>()((db, p) =>
    db
      .selectFrom('email_mailbox as em')
      .innerJoin('email', (join) => join.onRef('email.account', '=', 'em.account').onRef('email.id', '=', 'em.email'))
      .select(['email.id', 'email.thread'])
      .where('em.account', '=', p('account'))
      .where('em.mailbox', '=', p('mailbox'))
      .orderBy('em.received_at', direction)
      .orderBy('em.email', direction)
      .limit(p('limit'))
      .offset(p('offset')),
  )
const emails = { asc: emailsInOrder('asc'), desc: emailsInOrder('desc') }

/** Numbers of the emails and their threads. */
export function mailboxEmails(
  reader: Reader,
  page: Page,
  direction: 'asc' | 'desc',
): Promise<{ id: number; thread: number }[]> {
  return reader.sql.all(emails[direction], page)
}

const every = statement<{ account: number; mailbox: number }>()((db, p) =>
  db
    .selectFrom('email_mailbox')
    .select('email')
    .where('account', '=', p('account'))
    .where('mailbox', '=', p('mailbox')),
)

/** Numbers of the emails in a mailbox. */
export async function emailsInMailbox(reader: Reader, account: number, mailbox: number): Promise<number[]> {
  return (await reader.sql.all(every, { account, mailbox })).map((row) => row.email)
}

const counts = statement<{ account: number; id: number }>()((db, p) =>
  db
    .selectFrom('mailbox')
    .select(['total_emails', 'total_threads'])
    .where('account', '=', p('account'))
    .where('id', '=', p('id')),
)

/** The stored count of the mailbox. */
export async function countInMailbox(
  reader: Reader,
  account: number,
  id: number,
  what: 'emails' | 'threads',
): Promise<number> {
  const [row] = await reader.sql.all(counts, { account, id })
  return (what === 'emails' ? row?.total_emails : row?.total_threads) ?? 0
}
