import type { MailboxTable } from '../schema/tables.ts'
import type { Fault } from './fault.ts'

/** Every mailbox has an ancestor at the top level, and each role is used once (RFC 8621 2). */
export function checkTree(account: number, mailboxes: readonly MailboxTable[]): Fault[] {
  const byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]))
  const faults: Fault[] = []
  const roles = new Set<string>()
  for (const mailbox of mailboxes) {
    if (!leadsToTop(mailbox, byId))
      faults.push({
        account,
        kind: 'mailbox-tree',
        detail: `${mailbox.name}: parent ${mailbox.parent} does not lead to the top`,
      })
    if (mailbox.role === null) continue
    if (roles.has(mailbox.role))
      faults.push({ account, kind: 'mailbox-role', detail: `${mailbox.name}: role ${mailbox.role} is used twice` })
    roles.add(mailbox.role)
  }
  return faults
}

function leadsToTop(mailbox: MailboxTable, byId: ReadonlyMap<number, MailboxTable>): boolean {
  const seen = new Set<number>()
  let at: MailboxTable | undefined = mailbox
  while (at && at.parent !== 0) {
    if (seen.has(at.id)) return false
    seen.add(at.id)
    at = byId.get(at.parent)
  }
  return at !== undefined
}
