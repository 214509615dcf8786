/** Addresses that mailboxes and aliases may have (decisions D8, D16). */
import { holderOf } from '../../storage/repos/directory.ts'
import { Domain } from '../policy/domain/domain.type.ts'
import { isVerifiedStatus } from '../policy/domain/state.ts'
import { alreadyExists, domainNotVerified, invalidProperties, type SetError } from '../protocol/errors.ts'
import type { WriteContext } from '../type/handlers.ts'
import { findStored } from '../type/object-store.ts'

/** Decision D8 */
const LOCAL_PART = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/

/**
 * The full address if it is free, or why it cannot be used.
 * @param roomFault checked before the result shows whether the address is in use (decision D1, order of checks)
 */
export async function freeAddress(
  { unit, method }: Pick<WriteContext, 'unit' | 'method'>,
  { domainId, localPart: written }: { readonly domainId: string; readonly localPart: string },
  roomFault: () => Promise<SetError | null>,
): Promise<string | SetError> {
  const domain = await findStored(unit, unit.account, Domain, method.number(Domain, domainId))
  if (!domain) return invalidProperties(['domainId'], 'There is no such domain.')
  const { name, status, isTrusted = false } = domain.data
  if (!isVerifiedStatus(status) && !isTrusted) return { ...domainNotVerified(name), properties: ['domainId'] }
  const localPart = written.toLowerCase()
  if (!LOCAL_PART.test(localPart) || localPart.includes('..'))
    return invalidProperties(['localPart'], 'A local part has 1 to 64 letters, digits, dots, hyphens and underscores.')
  const address = `${localPart}@${name}`
  const full = await roomFault()
  if (full) return full
  const holder = await holderOf(unit, address)
  return holder
    ? alreadyExists(method.services.ids.accountId('mailbox', holder.account), `The address ${address} is taken.`)
    : address
}
