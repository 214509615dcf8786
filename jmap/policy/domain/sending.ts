/** Whether a domain may send mail (decision D7). */
import type { Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { domainOf, normaliseAddress } from '../../message/mail-address.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import { findStored } from '../../type/object-store.ts'
import { Domain } from './domain.type.ts'
import { maySend } from './state.ts'

/** @param authors addresses of From @param now epoch ms */
export async function domainSendingFault(
  reader: Reader,
  organization: number,
  authors: readonly string[],
  now: number,
): Promise<SetError | null> {
  const names = new Set(authors.flatMap((address) => domainOf(normaliseAddress(address) ?? '')))
  for (const name of names) {
    const claim = (await findDomainName(reader, name)).find(({ account }) => account === organization)
    if (claim?.status !== 'degraded') continue
    const found = await findStored(reader, organization, Domain, claim.object)
    if (!found) continue
    const { status, check = null, isTrusted = true } = found.data
    if (!isTrusted && !maySend(status, check, now))
      return setError('forbiddenToSend', `The DKIM record of ${name} has been wrong for days: mail would be refused.`)
  }
  return null
}
