/**
 * The relay of a domain: all its mail is sent through it instead of to the recipients' mail hosts. The URL is stored sealed, because it
 * holds a login.
 */
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { findStored, listStored, updateStored } from '../../type/object-store.ts'
import { Domain, type StoredRelay } from './domain.type.ts'

function placeOf(organization: number, domain: number): SecretPlace {
  return { purpose: 'relay', tenant: organization, row: String(domain) }
}

/** `host` or `host:port` of `smtp://[user:password@]host[:port]` or `smtps://...`; null for any other text. */
export function relayHostOf(url: string): string | null {
  const parsed = URL.parse(url)
  const isRelay = parsed && /^smtps?:$/.test(parsed.protocol) && parsed.hostname !== '' && /^\/?$/.test(parsed.pathname)
  if (!isRelay || parsed.search !== '' || parsed.hash !== '') return null
  return (parsed.username === '') === (parsed.password === '') ? parsed.host : null
}

/** @param url a URL that relayHostOf accepts; null: no relay */
export function sealRelay(
  keyring: Keyring,
  organization: number,
  domain: number,
  url: string | null,
): StoredRelay | null {
  return url === null ? null : { host: relayHostOf(url)!, url: keyring.seal(url, placeOf(organization, domain)) }
}

/** The URL of the relay of a domain; null: it has none. @throws Failure `corrupt` if it cannot be opened */
export async function relayOf(
  reader: Reader,
  keyring: Keyring,
  organization: number,
  domain: string,
): Promise<string | null> {
  const claim = (await findDomainName(reader, domain)).find((row) => row.account === organization)
  const found = claim && (await findStored(reader, organization, Domain, claim.object))
  const relay = found?.data.relay
  return claim && relay ? keyring.open(relay.url, placeOf(organization, claim.object)) : null
}

/** Inside a unit of work: seals again what an older key sealed. */
export async function sealRelays(unit: AccountUnit, keyring: Keyring): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, Domain)) {
    const { relay } = data
    if (!relay || !keyring.isStale(relay.url)) continue
    const url = keyring.open(relay.url, placeOf(unit.account, id))
    await updateStored(unit, Domain, { id, data: { ...data, relay: sealRelay(keyring, unit.account, id, url) } }, null)
  }
}
