/** Private DKIM keys, encrypted (promise A5), stored under the number of their domain where no JMAP method reads. */
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { deleteObject, findObject, insertObject, listObjects, updateObject } from '../../../storage/repos/objects.ts'
import type { DkimAlgorithm, MadeDkimKey } from './dkim-keys.ts'

/** A key, for the signer. */
export interface DkimKey {
  readonly domain: string
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** PKCS#8 PEM. */
  readonly privateKey: string
}

/** Name of the type; clients do not see it. */
export const DKIM_KEY = 'DkimKey'

interface KeptKey {
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** Sealed (server/base/keyring.ts). Older keys are in PEM until the next start. */
  readonly privateKey: string
  /** The key does not sign yet (rotation.ts). */
  readonly isWaiting?: true
}

/** The first format held one RSA key. */
type Kept = { readonly selector: string; readonly privateKey: string } | { readonly keys: readonly KeptKey[] }

function keysIn(data: Kept): readonly KeptKey[] {
  return 'keys' in data ? data.keys : [{ selector: data.selector, algorithm: 'rsa', privateKey: data.privateKey }]
}

function placeOf(organization: number, domain: number, selector: string): SecretPlace {
  return { purpose: 'dkim', tenant: organization, row: `${domain}/${selector}` }
}

/** Adds a key to a domain. @param isWaiting the key does not sign until it is promoted */
export async function keepDkimKey(
  unit: AccountUnit,
  domain: number,
  key: MadeDkimKey,
  keyring: Keyring,
  isWaiting = false,
): Promise<void> {
  const { selector, algorithm } = key
  const privateKey = keyring.seal(key.privateKey, placeOf(unit.account, domain, selector))
  const found = await findObject<Kept>(unit, unit.account, DKIM_KEY, domain)
  const before = found ? keysIn(found.data) : []
  const kept = { selector, algorithm, privateKey, ...(isWaiting && { isWaiting }) }
  const object = { id: domain, data: { keys: [...before, kept] } }
  if (found) await updateObject(unit, unit.account, DKIM_KEY, object)
  else await insertObject(unit, unit.account, DKIM_KEY, object, unit.now)
}

/** Makes a waiting key sign. The signing keys of the same algorithm are deleted, because no signer needs them any more. */
export async function promoteDkimKey(unit: AccountUnit, domain: number, promoted: string): Promise<void> {
  const found = await findObject<Kept>(unit, unit.account, DKIM_KEY, domain)
  const keys = found ? keysIn(found.data) : []
  const kind = keys.find(({ selector }) => selector === promoted)?.algorithm
  const left = keys
    .filter(({ algorithm, selector, isWaiting }) => algorithm !== kind || selector === promoted || isWaiting)
    .map(({ isWaiting, ...key }) => (isWaiting && key.selector !== promoted ? { ...key, isWaiting } : key))
  await updateObject(unit, unit.account, DKIM_KEY, { id: domain, data: { keys: left } })
}

/** Inside a unit of work: seals the keys of an organization that are in clear or under an older key. */
export async function sealDkimKeys(unit: AccountUnit, keyring: Keyring): Promise<void> {
  for (const { id, data } of await listObjects<Kept>(unit, unit.account, DKIM_KEY)) {
    const keys = keysIn(data)
    if (!keys.some(({ privateKey }) => keyring.isStale(privateKey))) continue
    const sealed = keys.map((key) => {
      const place = placeOf(unit.account, id, key.selector)
      return { ...key, privateKey: keyring.seal(clearOf(key, place, keyring), place) }
    })
    await updateObject(unit, unit.account, DKIM_KEY, { id, data: { keys: sealed } })
  }
}

function clearOf({ privateKey }: KeptKey, place: SecretPlace, keyring: Keyring): string {
  return privateKey.startsWith('-----BEGIN') ? privateKey : keyring.open(privateKey, place)
}

export function removeDkimKeys(unit: AccountUnit, domain: number): Promise<void> {
  return deleteObject(unit, unit.account, DKIM_KEY, domain)
}

/**
 * The keys that sign for a domain of an organization: one of each algorithm, RSA first; none if it has no domain of that name. @throws
 * Failure `corrupt` for a key that cannot be opened
 */
export async function dkimKeysOf(
  reader: Reader,
  keyring: Keyring,
  organization: number,
  domain: string,
): Promise<DkimKey[]> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const found = claim && (await findObject<Kept>(reader, organization, DKIM_KEY, claim.object))
  if (!claim || !found) return []
  const keys = keysIn(found.data)
  const newest = (['rsa', 'ed25519'] as const).flatMap(
    (kind) => keys.findLast(({ algorithm, isWaiting }) => algorithm === kind && !isWaiting) ?? [],
  )
  return newest.map((key) => {
    const { selector, algorithm } = key
    return {
      domain,
      selector,
      algorithm,
      privateKey: clearOf(key, placeOf(organization, claim.object, selector), keyring),
    }
  })
}
