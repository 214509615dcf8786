/** Deletes a mailbox account, alone or with its domain. */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { updateAccount } from '../../storage/repos/accounts.ts'
import { deleteAddress, deleteCredential } from '../../storage/repos/directory.ts'
import { deletePagesOf } from '../bookings/booking-page.handlers.ts'
import { catchAllIdentity, destroyIdentityOf } from '../mail/identity/identity.handlers.ts'
import { domainOf } from '../message/mail-address.ts'
import { deleteAliasesOf } from './delete-aliases.ts'
import { mailboxCredential } from './secrets.ts'

/** The address is free at once and the credentials stop working. The mail is erased when its retention ends. */
export async function deleteMailAccount(
  work: Unit,
  unit: AccountUnit,
  account: number,
  address: string,
): Promise<void> {
  await deleteAliasesOf(work, unit, account)
  await deletePagesOf(unit, address)
  await destroyIdentityOf(work.account(account), catchAllIdentity(domainOf(address)))
  await deleteAddress(work.sql, address)
  await deleteCredential(work.sql, mailboxCredential(account))
  await updateAccount(work, account, { deleted_at: unit.now })
}
