/** Suspends the mailboxes of an organization that does not pay, and lifts that suspension (decisions D8 and D33). */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { findAccount, updateAccount } from '../../storage/repos/accounts.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { listStored, type Stored, updateStored } from '../type/object-store.ts'

/** Inside a unit of work that has locked the mailboxes too. Those that are suspended already stay as they are. @param at epoch ms */
export async function suspendMailboxes(work: Unit, organization: AccountUnit, at: number): Promise<void> {
  for (const mailbox of await mailboxesOf(organization))
    if ((await suspendedAt(work, mailbox)) === null) await setSuspended(work, organization, mailbox, at)
}

/** @param since time that they were suspended with: other suspensions stay */
export async function releaseMailboxes(work: Unit, organization: AccountUnit, since: number): Promise<void> {
  for (const mailbox of await mailboxesOf(organization))
    if ((await suspendedAt(work, mailbox)) === since) await setSuspended(work, organization, mailbox, null)
}

type Mailbox = Stored<typeof MailAccount>

function mailboxesOf(organization: AccountUnit): Promise<Mailbox[]> {
  return listStored(organization, organization.account, MailAccount)
}

async function suspendedAt(work: Unit, { id }: Mailbox): Promise<number | null> {
  return (await findAccount(work, id))?.suspended_at ?? null
}

async function setSuspended(
  work: Unit,
  organization: AccountUnit,
  { id, data }: Mailbox,
  at: number | null,
): Promise<void> {
  await updateAccount(work.account(id), id, { suspended_at: at })
  const next = { ...data, suspendedAt: at === null ? null : formatUTCDate(at) }
  await updateStored(organization, MailAccount, { id, data: next }, ['suspendedAt'])
}
