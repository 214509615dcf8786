/** Private DKIM keys, kept beside their domains under the domain's own number, where no method of JMAP reads. */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { deleteObject, findObject, insertObject, updateObject } from '../../../storage/repos/objects.ts'
import type { DkimKey } from '../../core.ts'
import type { DkimAlgorithm, MadeDkimKey } from './dkim-keys.ts'

const TYPE = 'DkimKey'

interface KeptKey {
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  readonly privateKey: string
}

/** The first form held one RSA key. */
type Kept = { readonly selector: string; readonly privateKey: string } | { readonly keys: readonly KeptKey[] }

function keysIn(data: Kept): readonly KeptKey[] {
  return 'keys' in data ? data.keys : [{ selector: data.selector, algorithm: 'rsa', privateKey: data.privateKey }]
}

/** Adds a key to those of a domain. */
export async function keepDkimKey(unit: AccountUnit, domain: number, key: MadeDkimKey): Promise<void> {
  const { selector, algorithm, privateKey } = key
  const found = await findObject(unit, unit.account, TYPE, domain)
  const before = found ? keysIn(found.data as unknown as Kept) : []
  const object = { id: domain, data: { keys: [...before, { selector, algorithm, privateKey }] } }
  if (found) await updateObject(unit, unit.account, TYPE, object)
  else await insertObject(unit, unit.account, TYPE, object, unit.now)
}

export function removeDkimKeys(unit: AccountUnit, domain: number): Promise<void> {
  return deleteObject(unit, unit.account, TYPE, domain)
}

/** The RSA key that signs for a domain of an organization; null when it has none there. */
export async function dkimKeyOf(reader: Reader, organization: number, domain: string): Promise<DkimKey | null> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const found = claim && (await findObject(reader, organization, TYPE, claim.object))
  const key = found && keysIn(found.data as unknown as Kept).find(({ algorithm }) => algorithm === 'rsa')
  return key ? { domain, selector: key.selector, privateKey: key.privateKey } : null
}
