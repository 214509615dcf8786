/** The return domain of a domain's mail: its custom MAIL FROM domain, once DNS has both of its records (decision D7). */
import type { Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { findStored } from '../../type/object-store.ts'
import { Domain } from './domain.type.ts'
import { mailFromDomain } from './hosting.ts'
import { flagsOf } from './stored.ts'

/** null: bounces return to the sender's address. */
export async function returnDomainOf(reader: Reader, organization: number, domain: string): Promise<string | null> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const found = claim && (await findStored(reader, organization, Domain, claim.object))
  // A domain that was verified without a DNS check may not have these records.
  const check = found?.data.check
  return check && flagsOf(check.records).outboundVerified ? mailFromDomain(domain) : null
}
