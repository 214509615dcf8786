/** Whether mail may leave in the name of a domain (decision D7). */
import type { Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { findObject } from '../../../storage/repos/objects.ts'
import { domainOf, normaliseAddress } from '../../mail/addresses.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import { maySend } from './state.ts'
import type { StoredDomain } from './stored.ts'

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
    const found = await findObject(reader, organization, 'Domain', claim.object)
    const { status, check = null, isTrusted = true } = (found?.data ?? {}) as unknown as StoredDomain
    if (!isTrusted && !maySend(status, check, now))
      return setError('forbiddenToSend', `The DKIM record of ${name} has been wrong for days: mail would be refused.`)
  }
  return null
}
