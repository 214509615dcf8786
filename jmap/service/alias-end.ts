/** The end of the aliases of a mailbox. */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { aliasAddressesOf, deleteAddress } from '../../storage/repos/directory.ts'
import { deleteObject, listObjects } from '../../storage/repos/objects.ts'

/** Inside, with the account that they lead to. @param unit of the organization */
export async function endAliasesOf(work: Unit, unit: AccountUnit, account: number): Promise<void> {
  const addresses = await aliasAddressesOf(unit, account)
  if (addresses.length === 0) return
  for (const { id, data } of await listObjects(unit, unit.account, 'Alias')) {
    const address = data['address'] as string
    if (!addresses.includes(address)) continue
    await deleteAddress(work.sql, address)
    await deleteObject(unit, unit.account, 'Alias', id)
    unit.change('Alias', id, 'd')
  }
}
