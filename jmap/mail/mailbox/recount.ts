/** Counts all mailboxes of an account from nothing: when the role of Trash moves, and for the consistency check. */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { addToCounts, type CountDeltas, listMailboxes } from '../../../storage/repos/mailboxes.ts'
import { listThreadEmails, listThreads, saveThread } from '../../../storage/repos/threads.ts'
import { parseMailboxes } from '../email/load.ts'
import { NO_EMAILS } from './new-row.ts'

export interface ThreadCounts {
  total: number
  unread_elsewhere: number
  unread_in_trash: number
  latest_at: number
  latest_email: number
  readonly mailboxes: Map<number, { total: number; unread: number }>
}

export interface AccountCounts {
  readonly mailboxes: Map<number, CountDeltas>
  readonly threads: Map<number, ThreadCounts>
}

async function countAccount(reader: Reader, account: number): Promise<AccountCounts> {
  const mailboxes = await listMailboxes(reader, account)
  const trash = mailboxes.find((row) => row.role === 'trash')?.id ?? null
  const threads = new Map<number, ThreadCounts>()
  for (const email of await listThreadEmails(reader, account)) {
    const places = parseMailboxes(email.mailboxes)
    const thread = threads.get(email.thread) ?? { ...EMPTY_THREAD, mailboxes: new Map() }
    threads.set(email.thread, thread)
    thread.total++
    if (email.unread) {
      if (places.some((mailbox) => mailbox !== trash)) thread.unread_elsewhere++
      if (trash !== null && places.includes(trash)) thread.unread_in_trash++
    }
    if (
      email.received_at > thread.latest_at ||
      (email.received_at === thread.latest_at && email.id > thread.latest_email)
    ) {
      thread.latest_at = email.received_at
      thread.latest_email = email.id
    }
    for (const mailbox of places) {
      const row = thread.mailboxes.get(mailbox) ?? { total: 0, unread: 0 }
      thread.mailboxes.set(mailbox, { total: row.total + 1, unread: row.unread + email.unread })
    }
  }
  return { threads, mailboxes: new Map(mailboxes.map(({ id }) => [id, mailboxCounts(threads, id, trash)])) }
}

const EMPTY_THREAD = { total: 0, unread_elsewhere: 0, unread_in_trash: 0, latest_at: -1, latest_email: 0 }

function mailboxCounts(threads: ReadonlyMap<number, ThreadCounts>, mailbox: number, trash: number | null): CountDeltas {
  const counts = { ...NO_EMAILS }
  for (const thread of threads.values()) {
    const row = thread.mailboxes.get(mailbox)
    if (!row) continue
    counts.total_emails += row.total
    counts.unread_emails += row.unread
    counts.total_threads++
    if (mailbox === trash ? thread.unread_in_trash > 0 : thread.unread_elsewhere > 0) counts.unread_threads++
    if (row.unread > 0) counts.own_unread_threads++
  }
  return counts
}

/** Sets the stored counts to counted values, and logs the mailboxes that differ. */
export async function recountAccount(unit: AccountUnit): Promise<void> {
  const counted = await countAccount(unit, unit.account)
  for (const thread of await listThreads(unit, unit.account)) {
    const is = counted.threads.get(thread.id)
    if (is)
      await saveThread(unit, { ...thread, unread_elsewhere: is.unread_elsewhere, unread_in_trash: is.unread_in_trash })
  }
  for (const row of await listMailboxes(unit, unit.account)) {
    const is = counted.mailboxes.get(row.id)!
    const deltas = Object.fromEntries(
      (Object.keys(is) as (keyof CountDeltas)[]).map((name) => [name, is[name] - row[name]]),
    ) as unknown as CountDeltas
    if (Object.values(deltas).every((delta) => delta === 0)) continue
    await addToCounts(unit, row.id, deltas)
    unit.change('Mailbox', row.id, 'u', ['unreadThreads'])
  }
}
