import type { Reader } from '../ports.ts'
import type { ThreadTable } from '../schema/tables.ts'
import { differences, type EmailRow, mailboxesOf } from './email-rows.ts'
import type { Fault } from './fault.ts'

/** Compares the threads of an account, and their counts in each mailbox, with its emails. */
export async function checkThreads(
  reader: Reader,
  account: number,
  emails: readonly EmailRow[],
  trash: number | undefined,
): Promise<Fault[]> {
  const threads = await reader.sql.query((db) => db.selectFrom('thread').selectAll().where('account', '=', account))
  return [...checkCounts(account, emails, threads, trash), ...(await checkMailboxCounts(reader, account, emails))]
}

function checkCounts(
  account: number,
  emails: readonly EmailRow[],
  threads: readonly ThreadTable[],
  trash: number | undefined,
): Fault[] {
  const faults: Fault[] = []
  const members = Map.groupBy(emails, ({ thread }) => thread)
  for (const thread of threads) {
    const own = members.get(thread.id) ?? []
    members.delete(thread.id)
    const latest = own.toSorted((a, b) => b.received_at - a.received_at || b.id - a.id)[0]
    const unread = own.filter((email) => email.unread)
    const expected = {
      total: own.length,
      unread_elsewhere: unread.filter((email) => mailboxesOf(email).some((mailbox) => mailbox !== trash)).length,
      unread_in_trash: unread.filter((email) => mailboxesOf(email).some((mailbox) => mailbox === trash)).length,
      latest_at: latest?.received_at,
      latest_email: latest?.id,
    }
    for (const [name, value] of Object.entries(expected))
      if (thread[name as keyof ThreadTable] !== value)
        faults.push({
          account,
          kind: 'thread',
          detail: `thread ${thread.id}: ${name} is ${thread[name as keyof ThreadTable]}, not ${value}`,
        })
  }
  for (const [thread] of members)
    faults.push({ account, kind: 'thread', detail: `thread ${thread} has emails but no row` })
  return faults
}

async function checkMailboxCounts(reader: Reader, account: number, emails: readonly EmailRow[]): Promise<Fault[]> {
  const expected = new Map<string, { total: number; unread: number }>()
  for (const email of emails) {
    for (const mailbox of mailboxesOf(email)) {
      const key = `${email.thread} ${mailbox}`
      const row = expected.get(key) ?? { total: 0, unread: 0 }
      expected.set(key, { total: row.total + 1, unread: row.unread + email.unread })
    }
  }
  const rows = await reader.sql.query((db) =>
    db.selectFrom('thread_mailbox').selectAll().where('account', '=', account),
  )
  return differences(
    account,
    'thread-mailbox',
    [...expected].map(([key, { total, unread }]) => `${key}: ${total} ${unread}`),
    rows.map((row) => `${row.thread} ${row.mailbox}: ${row.total} ${row.unread}`),
  )
}
