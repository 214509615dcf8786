/** Rows of emails: insert, read by number, by thread, update of keywords and mailboxes, delete. Queries are in email-query.ts. */
import { sql } from 'kysely'
import { IN_LIST_MAX } from '../../server/base/limits.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { EmailTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type Row<K extends keyof EmailTable> = Pick<EmailTable, K>

const insert = statement<{ [K in keyof EmailTable]: EmailTable[K] }>()((db, p) =>
  db.insertInto('email').values({
    account: p('account'),
    id: p('id'),
    thread: p('thread'),
    blob: p('blob'),
    size: p('size'),
    received_at: p('received_at'),
    sent_at: p('sent_at'),
    has_attachment: p('has_attachment'),
    unread: p('unread'),
    keywords: p('keywords'),
    mailboxes: p('mailboxes'),
    from_sort: p('from_sort'),
    to_sort: p('to_sort'),
    subject_sort: p('subject_sort'),
    packed: p('packed'),
    structure: p('structure'),
    source: p('source'),
    created_at: p('created_at'),
  }),
)

export async function insertEmail(unit: AccountUnit, row: EmailTable): Promise<void> {
  await unit.sql.all(insert, { ...row })
}

/** What lists and headers need, without the structure, for at most IN_LIST_MAX numbers at a time. */
const SUMMARY = [
  'id',
  'thread',
  'blob',
  'size',
  'received_at',
  'unread',
  'keywords',
  'mailboxes',
  'has_attachment',
  'packed',
  'source',
  'created_at',
] as const
export type EmailSummary = Row<(typeof SUMMARY)[number]>

const summary = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('email').select(SUMMARY).where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findEmail(reader: Reader, account: number, id: number): Promise<EmailSummary | null> {
  const [row] = await reader.sql.all(summary, { account, id })
  return row ?? null
}

/** Numbers as one parameter: on SQLite a list costs more to compile than to look up. */
const summaries = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('email')
    .select(SUMMARY)
    .where('account', '=', p('account'))
    .where('id', 'in', sql<number>`(select value from json_each(${p('ids')}))`),
)

/** Found ones only, in no order. */
export async function findEmails(reader: Reader, account: number, ids: readonly number[]): Promise<EmailSummary[]> {
  if (reader.sql.engine === 'sqlite') return reader.sql.all(summaries, { account, ids: JSON.stringify(ids) })
  const found: EmailSummary[] = []
  for (let i = 0; i < ids.length; i += IN_LIST_MAX) {
    const chunk = ids.slice(i, i + IN_LIST_MAX)
    found.push(
      ...(await reader.sql.query((db) =>
        db.selectFrom('email').select(SUMMARY).where('account', '=', account).where('id', 'in', chunk),
      )),
    )
  }
  return found
}

const structureOf = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('email').select('structure').where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findStructure(reader: Reader, account: number, id: number): Promise<string | null> {
  const [row] = await reader.sql.all(structureOf, { account, id })
  return row?.structure ?? null
}

const structureByBlob = statement<{ account: number; blob: number }>()((db, p) =>
  db.selectFrom('email').select('structure').where('account', '=', p('account')).where('blob', '=', p('blob')).limit(1),
)

/** The structure of a blob that is an email's message. */
export async function findStructureOfBlob(reader: Reader, account: number, blob: number): Promise<string | null> {
  const [row] = await reader.sql.all(structureByBlob, { account, blob })
  return row?.structure ?? null
}

const inThread = statement<{ account: number; thread: number }>()((db, p) =>
  db
    .selectFrom('email')
    .select(['id', 'received_at'])
    .where('account', '=', p('account'))
    .where('thread', '=', p('thread'))
    .orderBy('received_at')
    .orderBy('id'),
)

/** Emails of a thread, oldest first (RFC 8621 3). */
export function emailsOfThread(reader: Reader, account: number, thread: number): Promise<Row<'id' | 'received_at'>[]> {
  return reader.sql.all(inThread, { account, thread })
}

const setFlags = statement<{ account: number; id: number; keywords: string; mailboxes: string; unread: number }>()(
  (db, p) =>
    db
      .updateTable('email')
      .set({ keywords: p('keywords'), mailboxes: p('mailboxes'), unread: p('unread') })
      .where('account', '=', p('account'))
      .where('id', '=', p('id')),
)

/** Emails of an account with the same octets, oldest first. */
export function emailsOfContent(reader: Reader, account: number, hash: Uint8Array): Promise<Row<'id' | 'mailboxes'>[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('account_blob')
      .innerJoin('email', (join) =>
        join.onRef('email.account', '=', 'account_blob.account').onRef('email.blob', '=', 'account_blob.id'),
      )
      .select(['email.id', 'email.mailboxes'])
      .where('account_blob.hash', '=', hash)
      .where('account_blob.account', '=', account)
      .orderBy('email.id'),
  )
}

export async function updateEmail(
  unit: AccountUnit,
  row: Row<'id' | 'keywords' | 'mailboxes' | 'unread'>,
): Promise<void> {
  await unit.sql.all(setFlags, { account: unit.account, ...row })
}

const remove = statement<{ account: number; id: number }>()((db, p) =>
  db.deleteFrom('email').where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function deleteEmail(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.all(remove, { account: unit.account, id })
}

type Placed = { account: number; mailbox: number; received_at: number; email: number }
const place = statement<Placed>()((db, p) =>
  db.insertInto('email_mailbox').values({
    account: p('account'),
    mailbox: p('mailbox'),
    received_at: p('received_at'),
    email: p('email'),
  }),
)
const unplace = statement<Placed>()((db, p) =>
  db
    .deleteFrom('email_mailbox')
    .where('account', '=', p('account'))
    .where('mailbox', '=', p('mailbox'))
    .where('received_at', '=', p('received_at'))
    .where('email', '=', p('email')),
)

export async function addToMailbox(
  unit: AccountUnit,
  mailbox: number,
  email: Row<'id' | 'received_at'>,
): Promise<void> {
  await unit.sql.all(place, { account: unit.account, mailbox, received_at: email.received_at, email: email.id })
}

export async function removeFromMailbox(
  unit: AccountUnit,
  mailbox: number,
  email: Row<'id' | 'received_at'>,
): Promise<void> {
  await unit.sql.all(unplace, { account: unit.account, mailbox, received_at: email.received_at, email: email.id })
}

type Tagged = { account: number; keyword: string; received_at: number; email: number }
const tag = statement<Tagged>()((db, p) =>
  db.insertInto('email_keyword').values({
    account: p('account'),
    keyword: p('keyword'),
    received_at: p('received_at'),
    email: p('email'),
  }),
)
const untag = statement<Tagged>()((db, p) =>
  db
    .deleteFrom('email_keyword')
    .where('account', '=', p('account'))
    .where('keyword', '=', p('keyword'))
    .where('received_at', '=', p('received_at'))
    .where('email', '=', p('email')),
)

export async function addKeyword(unit: AccountUnit, keyword: string, email: Row<'id' | 'received_at'>): Promise<void> {
  await unit.sql.all(tag, { account: unit.account, keyword, received_at: email.received_at, email: email.id })
}

export async function removeKeyword(
  unit: AccountUnit,
  keyword: string,
  email: Row<'id' | 'received_at'>,
): Promise<void> {
  await unit.sql.all(untag, { account: unit.account, keyword, received_at: email.received_at, email: email.id })
}

const inMailbox = statement<{ account: number; mailbox: number }>()((db, p) =>
  db
    .selectFrom('email_mailbox')
    .select('email')
    .where('account', '=', p('account'))
    .where('mailbox', '=', p('mailbox')),
)

/** Numbers of the emails in a mailbox. */
export async function emailsInMailbox(reader: Reader, account: number, mailbox: number): Promise<number[]> {
  return (await reader.sql.all(inMailbox, { account, mailbox })).map((row) => row.email)
}
