import type { AccountUnit } from '../ports.ts'
import { deleteThread, listThreads, saveThread } from '../repos/threads.ts'
import type { MailboxTable } from '../schema/tables.ts'
import { type EmailRow, mailboxesOf, trashOf } from './email-rows.ts'

/** Counts threads and mailboxes anew (RFC 8621 2). A thread without emails goes; one without a row gets one. */
export async function fixCounts(
  unit: AccountUnit,
  emails: readonly EmailRow[],
  mailboxes: readonly MailboxTable[],
): Promise<void> {
  const trash = trashOf(mailboxes)
  const members = Map.groupBy(emails, ({ thread }) => thread)
  await fixThreads(unit, members, trash)
  await fixThreadMailboxes(unit, members)
  await fixMailboxes(unit, emails, mailboxes, trash)
}

async function fixThreads(
  unit: AccountUnit,
  members: ReadonlyMap<number, readonly EmailRow[]>,
  trash: number | undefined,
): Promise<void> {
  const known = new Map((await listThreads(unit, unit.account)).map((row) => [row.id, row]))
  for (const id of known.keys()) {
    if (members.has(id)) continue
    await deleteThread(unit, id)
    unit.change('Thread', id, 'd')
  }
  for (const [id, own] of members) {
    const latest = own.toSorted((a, b) => b.received_at - a.received_at || b.id - a.id)[0]!
    const unread = own.filter((email) => email.unread)
    await saveThread(unit, {
      account: unit.account,
      id,
      total: own.length,
      unread_elsewhere: unread.filter((email) => mailboxesOf(email).some((mailbox) => mailbox !== trash)).length,
      unread_in_trash: unread.filter((email) => mailboxesOf(email).some((mailbox) => mailbox === trash)).length,
      created_at: known.get(id)?.created_at ?? unit.now,
      latest_at: latest.received_at,
      latest_email: latest.id,
    })
    unit.change('Thread', id, known.has(id) ? 'u' : 'c')
  }
}

async function fixThreadMailboxes(unit: AccountUnit, members: ReadonlyMap<number, readonly EmailRow[]>): Promise<void> {
  const { account, sql } = unit
  await sql.query((db) => db.deleteFrom('thread_mailbox').where('account', '=', account))
  for (const [thread, own] of members) {
    const inMailbox = Map.groupBy(
      own.flatMap((email) => mailboxesOf(email).map((mailbox) => ({ mailbox, unread: email.unread }))),
      ({ mailbox }) => mailbox,
    )
    for (const [mailbox, rows] of inMailbox) {
      const unread = rows.reduce((sum, row) => sum + row.unread, 0)
      await sql.query((db) =>
        db.insertInto('thread_mailbox').values({ account, thread, mailbox, total: rows.length, unread }),
      )
    }
  }
}

async function fixMailboxes(
  unit: AccountUnit,
  emails: readonly EmailRow[],
  mailboxes: readonly MailboxTable[],
  trash: number | undefined,
): Promise<void> {
  const unread = emails.filter((email) => email.unread)
  const threadsWith = (isCounted: (mailbox: number) => boolean) =>
    new Set(unread.filter((email) => mailboxesOf(email).some(isCounted)).map(({ thread }) => thread))
  const [elsewhere, inTrash] = [threadsWith((id) => id !== trash), threadsWith((id) => id === trash)]
  const within = Map.groupBy(
    emails.flatMap((email) => mailboxesOf(email).map((mailbox) => ({ mailbox, email }))),
    ({ mailbox }) => mailbox,
  )
  for (const { id } of mailboxes) {
    const own = (within.get(id) ?? []).map(({ email }) => email)
    const threads = new Set(own.map(({ thread }) => thread))
    const counting = id === trash ? inTrash : elsewhere
    const set = {
      total_emails: own.length,
      unread_emails: own.filter((email) => email.unread).length,
      total_threads: threads.size,
      unread_threads: [...threads].filter((thread) => counting.has(thread)).length,
      own_unread_threads: new Set(own.filter((email) => email.unread).map(({ thread }) => thread)).size,
    }
    await unit.sql.query((db) =>
      db.updateTable('mailbox').set(set).where('account', '=', unit.account).where('id', '=', id),
    )
    unit.change('Mailbox', id, 'u', Object.keys(set))
  }
}
