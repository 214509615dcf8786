/** The relay of a domain: where its mail goes instead of to the mail hosts of each recipient. Its URL is kept sealed, as it holds a login. */
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { findObject, listObjects, updateObject } from '../../../storage/repos/objects.ts'

export interface StoredRelay {
  /** `host:port`, as clients see it. */
  readonly host: string
  /** Sealed URL (server/base/keyring.ts). */
  readonly url: string
}

function placeOf(organization: number, domain: number): SecretPlace {
  return { purpose: 'relay', tenant: organization, row: String(domain) }
}

/** `host` or `host:port` of `smtp://[user:password@]host[:port]` or `smtps://...`; null for anything else. */
export function relayHostOf(url: string): string | null {
  const parsed = URL.parse(url)
  const isRelay = parsed && /^smtps?:$/.test(parsed.protocol) && parsed.hostname !== '' && /^\/?$/.test(parsed.pathname)
  if (!isRelay || parsed.search !== '' || parsed.hash !== '') return null
  return (parsed.username === '') === (parsed.password === '') ? parsed.host : null
}

/** @param url one that relayHostOf knows; null: no relay */
export function sealRelay(
  keyring: Keyring,
  organization: number,
  domain: number,
  url: string | null,
): StoredRelay | null {
  return url === null ? null : { host: relayHostOf(url)!, url: keyring.seal(url, placeOf(organization, domain)) }
}

/** The URL of the relay of a domain of an organization; null: it has none. @throws Failure `corrupt` when it cannot be opened */
export async function relayOf(
  reader: Reader,
  keyring: Keyring,
  organization: number,
  domain: string,
): Promise<string | null> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const found = claim && (await findObject(reader, organization, 'Domain', claim.object))
  const relay = found?.data['relay'] as StoredRelay | null | undefined
  return claim && relay ? keyring.open(relay.url, placeOf(organization, claim.object)) : null
}

/** Inside: seals anew what lies under an older key. */
export async function sealRelays(unit: AccountUnit, keyring: Keyring): Promise<void> {
  for (const { id, data } of await listObjects(unit, unit.account, 'Domain')) {
    const relay = data['relay'] as StoredRelay | null | undefined
    if (!relay || !keyring.isStale(relay.url)) continue
    const url = keyring.open(relay.url, placeOf(unit.account, id))
    await updateObject(unit, unit.account, 'Domain', {
      id,
      data: { ...data, relay: sealRelay(keyring, unit.account, id, url) },
    })
  }
}
