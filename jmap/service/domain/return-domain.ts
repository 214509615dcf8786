/** Where mail of a domain says that it returns: its custom MAIL FROM domain, once DNS has both of its records (decision D7). */
import type { Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { findStored } from '../../type/object-store.ts'
import { Domain } from '../domain.type.ts'
import { mailFromDomain } from './hosting.ts'
import { flagsOf } from './stored.ts'

/** null: mail of the domain returns to the address that sent it. */
export async function returnDomainOf(reader: Reader, organization: number, domain: string): Promise<string | null> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const found = claim && (await findStored(reader, organization, Domain, claim.object))
  // Who was verified without a look at DNS may have no such records.
  const check = found?.data.check
  return check && flagsOf(check.records).outboundVerified ? mailFromDomain(domain) : null
}
