import type { AccountUnit } from '../../../storage/ports.ts'
import { insertMailbox } from '../../../storage/repos/mailboxes.ts'
import { nameKey } from '../../message/mailbox-name.ts'

/** Mailboxes of every new account (decision D9). */
const SYSTEM_MAILBOXES = [
  ['Inbox', 'inbox', 10],
  ['Drafts', 'drafts', 20],
  ['Sent', 'sent', 30],
  ['Archive', 'archive', 40],
  ['Junk', 'junk', 50],
  ['Trash', 'trash', 60],
] as const

export async function createSystemMailboxes(unit: AccountUnit): Promise<void> {
  for (const [name, role, sortOrder] of SYSTEM_MAILBOXES) {
    const id = unit.nextObject()
    await insertMailbox(unit, {
      account: unit.account,
      id,
      name,
      name_key: nameKey(name),
      parent: 0,
      role,
      sort_order: sortOrder,
      is_subscribed: 1,
      total_emails: 0,
      unread_emails: 0,
      total_threads: 0,
      unread_threads: 0,
      own_unread_threads: 0,
      created_at: unit.now,
    })
    unit.change('Mailbox', id, 'c')
  }
}
