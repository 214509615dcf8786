/** Handles the emails of a mailbox that is destroyed. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findEmails } from '../../../storage/repos/emails.ts'
import { parseKeywords } from '../../message/keywords.ts'
import type { Services } from '../../type/context.ts'
import { parseMailboxes } from '../email/load.ts'
import { destroyEmail, moveEmail } from '../email/move.ts'

/** RFC 8621 2.5: emails in no other mailbox are destroyed or moved to `trash`; the others only leave this mailbox. */
export async function removeEmails(
  services: Services,
  unit: AccountUnit,
  { mailbox, trash, emails }: { mailbox: number; trash: number | null; emails: readonly number[] },
): Promise<void> {
  for (const row of await findEmails(unit, unit.account, emails)) {
    const others = parseMailboxes(row.mailboxes).filter((other) => other !== mailbox)
    const next = others.length === 0 && trash !== null ? [trash] : others
    if (next.length === 0) await destroyEmail(services, unit, row.id)
    else await moveEmail(unit, row, next, parseKeywords(row.keywords))
  }
}
