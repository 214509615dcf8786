/** Deletes the aliases of a mailbox. */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { aliasAddressesOf, deleteAddress } from '../../storage/repos/directory.ts'
import { deleteStored, listStored } from '../type/object-store.ts'
import { Alias } from './alias.type.ts'

/** Inside a unit of work that also holds the mailbox's account. @param unit of the organization */
export async function deleteAliasesOf(work: Unit, unit: AccountUnit, account: number): Promise<void> {
  const addresses = await aliasAddressesOf(unit, account)
  if (addresses.length === 0) return
  for (const { id, data } of await listStored(unit, unit.account, Alias)) {
    if (!addresses.includes(data.address)) continue
    await deleteAddress(work.sql, data.address)
    await deleteStored(unit, Alias, id)
  }
}
