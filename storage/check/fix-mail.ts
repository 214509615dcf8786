/**
 * Repairs a mailbox account: everything that is stored twice is computed again from its emails and their octets. No email and no blob is
 * deleted (promise D8): what does not fit is given the place and the state that lose nothing.
 */
import type { BlobStore } from '../blob-store.ts'
import { ALL_TYPES, setState } from '../change-log.ts'
import type { AccountUnit } from '../ports.ts'
import { addKeyword, addToMailbox } from '../repos/email-side-tables.ts'
import { markUnindexed, takeUnindexed } from '../repos/unindexed.ts'
import type { EmailTable, MailboxTable } from '../schema/tables.ts'
import { searchIndexOf } from '../search/engines.ts'
import { type EmailRow, keywordsOf, mailboxesOf } from './email-rows.ts'
import { expectedTexts, type TextsOf, textRows } from './email-texts.ts'
import { fixCounts } from './fix-counts.ts'

/** Inside a unit of work of the account. @param isLogWrong the change log is emptied: clients fetch everything anew */
export async function fixMail(
  unit: AccountUnit,
  blobs: BlobStore,
  textsOf: TextsOf,
  isLogWrong: boolean,
): Promise<void> {
  if (isLogWrong) await emptyLog(unit)
  const mailboxes = await fixTree(unit)
  const emails = await fixEmails(unit, mailboxes)
  await fixSideTables(unit, emails)
  await fixCounts(unit, emails, mailboxes)
  const used = emails.reduce((sum, { size }) => sum + size, 0)
  unit.addUsedBytes(used - unit.usedBytes)
  await fixIndex(unit, emails)
  await fixTexts(unit, blobs, textsOf)
}

async function emptyLog({ sql, account }: AccountUnit): Promise<void> {
  const [row] = await sql.query((db) => db.selectFrom('account').select('seq').where('id', '=', account))
  await sql.query((db) => db.deleteFrom('change').where('account', '=', account))
  await setState(sql, account, ALL_TYPES, row!.seq)
}

/** A mailbox whose parent does not lead to the top stands there itself; of several with one role the oldest keeps it. */
async function fixTree(unit: AccountUnit): Promise<MailboxTable[]> {
  const rows = await unit.sql.query((db) =>
    db.selectFrom('mailbox').selectAll().where('account', '=', unit.account).orderBy('id'),
  )
  const roles = new Set<string>()
  for (const row of rows) {
    const set: { parent?: number; role?: null } = {}
    if (!leadsToTop(row, rows)) set.parent = 0
    if (row.role !== null && roles.size === roles.add(row.role).size) set.role = null
    if (Object.keys(set).length === 0) continue
    Object.assign(row, set)
    await unit.sql.query((db) =>
      db.updateTable('mailbox').set(set).where('account', '=', unit.account).where('id', '=', row.id),
    )
    unit.change('Mailbox', row.id, 'u')
  }
  return rows
}

function leadsToTop(row: MailboxTable, rows: readonly MailboxTable[]): boolean {
  const byId = new Map(rows.map((one) => [one.id, one]))
  let at: MailboxTable | undefined = row
  for (let steps = 0; at && at.parent !== 0; steps++) {
    if (steps > rows.length) return false
    at = byId.get(at.parent)
  }
  return at !== undefined
}

/** An email without a mailbox goes to the inbox; keywords that cannot be read go, and the email counts as unread. */
async function fixEmails(unit: AccountUnit, mailboxes: readonly MailboxTable[]): Promise<EmailRow[]> {
  const known = new Set(mailboxes.map(({ id }) => id))
  const home = mailboxes.find(({ role }) => role === 'inbox') ?? mailboxes[0]
  const emails = await unit.sql.query((db) =>
    db
      .selectFrom('email as e')
      .leftJoin('account_blob as b', (join) => join.onRef('b.account', '=', 'e.account').onRef('b.id', '=', 'e.blob'))
      .select(['e.id', 'e.thread', 'e.blob', 'e.size', 'e.received_at', 'e.unread', 'e.keywords', 'e.mailboxes'])
      .select('b.size as blob_size')
      .where('e.account', '=', unit.account),
  )
  const fixed: EmailRow[] = []
  for (const { blob_size, ...email } of emails) {
    const keywords = keywordsOf(email) ?? {}
    const own = mailboxesOf(email).filter((id) => known.has(id))
    const next: EmailRow = {
      ...email,
      size: blob_size ?? email.size,
      keywords: keywordsOf(email) ? email.keywords : '{}',
      unread: Number(!keywords['$seen'] && !keywords['$draft']),
      mailboxes: own.length > 0 ? own.join(',') : String(home?.id ?? ''),
    }
    fixed.push(next)
    if (JSON.stringify(next) === JSON.stringify(email)) continue
    await updateEmail(unit, email.id, next)
  }
  return fixed
}

async function updateEmail(unit: AccountUnit, id: number, set: Partial<EmailTable>): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('email').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
  unit.change('Email', id, 'u')
}

async function fixSideTables(unit: AccountUnit, emails: readonly EmailRow[]): Promise<void> {
  const { account } = unit
  await unit.sql.query((db) => db.deleteFrom('email_mailbox').where('account', '=', account))
  await unit.sql.query((db) => db.deleteFrom('email_keyword').where('account', '=', account))
  for (const email of emails) {
    for (const mailbox of mailboxesOf(email)) await addToMailbox(unit, mailbox, email)
    for (const keyword of Object.keys(keywordsOf(email) ?? {})) await addKeyword(unit, keyword, email)
  }
}

/** Emails that are in the index twice over, or not at all, are indexed again by the server. */
async function fixIndex(unit: AccountUnit, emails: readonly EmailRow[]): Promise<void> {
  const index = searchIndexOf(unit.sql)
  const indexed = new Set(await index.indexed(unit, unit.account))
  const rows = await unit.sql.query((db) =>
    db.selectFrom('email_unindexed').select('email').where('account', '=', unit.account),
  )
  const marked = new Set(rows.map(({ email }) => email))
  const known = new Map(emails.map((email) => [email.id, email]))
  for (const id of indexed) if (!known.has(id)) await index.remove(unit, id)
  for (const id of marked) if (!known.has(id) || indexed.has(id)) await takeUnindexed(unit, id)
  for (const { id, blob } of known.values())
    if (!indexed.has(id) && !marked.has(id)) await markUnindexed(unit, id, blob)
}

async function fixTexts(unit: AccountUnit, blobs: BlobStore, textsOf: TextsOf): Promise<void> {
  for await (const row of textRows(unit, unit.account)) {
    const expected = await expectedTexts(unit, blobs, row.hash, textsOf)
    if (!expected || (expected.packed === row.packed && expected.structure === row.structure)) continue
    await updateEmail(unit, row.id, { packed: expected.packed, structure: expected.structure })
  }
}
