import type { AccountUnit } from '../../../storage/ports.ts'
import { insertMailbox } from '../../../storage/repos/mailboxes.ts'
import { newRow } from './new-row.ts'

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
    await insertMailbox(unit, newRow(unit, id, { name, parent: 0, role, sort_order: sortOrder, is_subscribed: 1 }))
    unit.change('Mailbox', id, 'c')
  }
}
