/** Rows of emails: insert, read by number or by thread, update, delete. Queries are in email-query.ts. */
import { amongNumbers } from '../among-numbers.ts'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { EmailTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type Row<K extends keyof EmailTable> = Pick<EmailTable, K>

const insert = insertRow('email')

export async function insertEmail(unit: AccountUnit, row: EmailTable): Promise<void> {
  await unit.sql.all(insert, row)
}

/** What lists and headers need, without the structure. */
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

const summaries = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('email')
    .select(SUMMARY)
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'id', p('ids'))),
)

/** The emails that exist, in no order. */
export function findEmails(reader: Reader, account: number, ids: readonly number[]): Promise<EmailSummary[]> {
  return reader.sql.all(summaries, { account, ids: JSON.stringify(ids) })
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

/** The structure of the emails whose message is the blob; null: there are none. */
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

const inThreads = statement<{ account: number; threads: string }>()((db, p) =>
  db
    .selectFrom('email')
    .select(['id', 'thread'])
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'thread', p('threads')))
    .orderBy('thread')
    .orderBy('received_at')
    .orderBy('id'),
)

/** The same of several threads, by thread. */
export async function emailsOfThreads(
  reader: Reader,
  account: number,
  threads: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, number[]>()
  for (const { id, thread } of await reader.sql.all(inThreads, { account, threads: JSON.stringify(threads) })) {
    const emails = found.get(thread)
    if (emails) emails.push(id)
    else found.set(thread, [id])
  }
  return found
}

const setFlags = statement<{ account: number; id: number; keywords: string; mailboxes: string; unread: number }>()(
  (db, p) =>
    db
      .updateTable('email')
      .set({ keywords: p('keywords'), mailboxes: p('mailboxes'), unread: p('unread') })
      .where('account', '=', p('account'))
      .where('id', '=', p('id')),
)

/** Emails of an account whose messages have these octets, oldest first. */
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
