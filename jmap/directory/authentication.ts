/** From a credential to a principal. All failures give the same result, whatever is wrong with the credential (promise A2). */
import { createHash } from 'node:crypto'
import type { Principal } from '../../server/base/principal.ts'
import type { Reader } from '../../storage/ports.ts'
import { findAccount } from '../../storage/repos/accounts.ts'
import { addressesOf, findAddress, findCredential } from '../../storage/repos/directory.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { normaliseAddress } from '../message/mail-address.ts'
import { Domain } from '../policy/domain/domain.type.ts'
import { epochOf } from '../protocol/primitives.ts'
import type { Services } from '../type/context.ts'
import type { StoredOf } from '../type/derived.ts'
import { findStored, listStored } from '../type/object-store.ts'
import { isTokenOf, readUrlToken, type UrlUse } from '../type/url-token.ts'
import { ApiKey } from './api-key.type.ts'
import { isIpAllowed } from './ip-ranges.ts'
import { isUseDue } from './key-use.ts'
import { renewVerifier } from './password-renewal.ts'
import { apiKeyHash, isApiKey, mailboxCredential, saltOf, verifyPassword } from './secrets.ts'

type KeyData = StoredOf<typeof ApiKey>

/** What a client authenticates with. */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: string; readonly ip: string }
  | {
      readonly kind: 'password'
      readonly address: string
      readonly password: string
      readonly ip: string
      /** How the client names itself: User-Agent, or the argument of EHLO. */
      readonly device?: string
    }
  /** A token of a URL of the session. */
  | { readonly kind: 'url'; readonly token: string; readonly use: UrlUse; readonly ip: string }

export function authenticate(services: Services, credential: Credential): Promise<Principal | null> {
  if (credential.kind === 'bearer') return authenticateKey(services, credential.token, credential.ip)
  if (credential.kind === 'url') return authenticateUrl(services, credential.token, credential.use, credential.ip)
  return authenticatePassword(services, credential.address, credential.password)
}

/** The principal that the session was made for, as it is now. */
async function authenticateUrl(services: Services, given: string, use: UrlUse, ip: string): Promise<Principal | null> {
  const { keyring, clock } = services
  const token = readUrlToken(keyring, given, use)
  if (!token || token.expiresAt <= clock.now()) return null
  const principal = await renewPrincipal(services, token, ip)
  return principal && isTokenOf(keyring, token, principal) ? principal : null
}

/** The principal of an API key. Records the use of the key. */
async function authenticateKey(services: Services, token: string, ip: string): Promise<Principal | null> {
  if (!isApiKey(token)) return null
  const found = await services.store.read(async (reader) => {
    const row = await findCredential(reader, apiKeyHash(token))
    return row && (await principalOfKey(services, reader, row.account, row.object))
  })
  if (!found || !mayUseKey(services, found.data, ip)) return null
  const { principal, data } = found
  const { object } = services.ids.decode(ApiKey, principal.credential)!
  if (isUseDue(data.lastUsedAt, services.clock.now())) services.noteKeyUse(principal.organization, object)
  return principal
}

/** `elsewhere`: the key may not be used from this address. */
export type KeyRefusal = 'expired' | 'elsewhere'

/** Why an existing API key was refused, for the caller that sent it; null: there is no such key. */
export async function refusalOf(services: Services, token: string, ip: string): Promise<KeyRefusal | null> {
  if (!isApiKey(token)) return null
  const found = await services.store.read(async (reader) => {
    const row = await findCredential(reader, apiKeyHash(token))
    return row && (await principalOfKey(services, reader, row.account, row.object))
  })
  if (!found || mayUseKey(services, found.data, ip)) return null
  return mayUseKey(services, found.data, null) ? 'elsewhere' : 'expired'
}

/** An existing API key, whether or not it may be used now. */
async function principalOfKey(
  services: Services,
  reader: Reader,
  organization: number,
  object: number,
): Promise<{ principal: Principal; data: KeyData } | null> {
  const key = await findStored(reader, organization, ApiKey, object)
  if (!key || !(await findAccount(reader, organization))) return null
  const { data } = key
  const principal: Principal = {
    kind: 'apiKey',
    organization,
    ...(await reachOf(services, reader, organization, data)),
    ownsOrganization: true,
    scopes: data.scopes,
    username: data.name || 'key',
    credential: services.ids.encode(ApiKey, organization, object),
    stamp: stampOf(data.keyHash),
  }
  return { principal, data }
}

function mayUseKey({ clock }: Services, { expiresAt, allowedIps }: KeyData, ip: string | null): boolean {
  if (expiresAt !== null && epochOf(expiresAt) <= clock.now()) return false
  return allowedIps === null || ip === null || isIpAllowed(allowedIps, ip)
}

/** Identifies a credential for something that outlives a request, such as a push subscription. */
export type HeldCredential = Pick<Principal, 'credential' | 'stamp'>

/**
 * The present principal of the same credential; null: the credential is deleted, expired or has a new secret, or its account or
 * organization is suspended (promise A4).
 * @param ip address of the client, if known
 */
export function renewPrincipal(services: Services, held: HeldCredential, ip: string | null): Promise<Principal | null> {
  return services.store.read(async (reader) => {
    const { ids } = services
    const key = ids.decode(ApiKey, held.credential)
    const mailbox = ids.accountNumber('mailbox', held.credential)
    const renewed = key
      ? await renewKey(services, reader, key.account, key.object, ip)
      : mailbox !== null && (await renewMailbox(services, reader, mailbox))
    if (!renewed || (held.stamp !== undefined && renewed.stamp !== held.stamp)) return null
    const organization = await findAccount(reader, renewed.organization)
    return organization?.suspended_at === null ? renewed : null
  })
}

async function renewKey(services: Services, reader: Reader, account: number, object: number, ip: string | null) {
  const found = await principalOfKey(services, reader, account, object)
  return found && mayUseKey(services, found.data, ip) ? found.principal : null
}

async function renewMailbox(services: Services, reader: Reader, account: number): Promise<Principal | null> {
  const row = await findAccount(reader, account)
  const credential = await findCredential(reader, mailboxCredential(account))
  const [own] = await addressesOf(reader, account)
  if (row?.suspended_at !== null || !credential?.verifier || !own) return null
  return principalOfMailbox(services, row.organization, account, own.address, credential.verifier)
}

function principalOfMailbox(
  { ids }: Services,
  organization: number,
  account: number,
  address: string,
  verifier: string,
): Principal {
  return {
    kind: 'mailbox',
    organization,
    mailboxes: [account],
    ownsOrganization: false,
    scopes: null,
    username: address,
    credential: ids.accountId('mailbox', account),
    stamp: stampOf(saltOf(verifier)),
  }
}

/** Distinguishes two secrets without helping to find either. */
function stampOf(hash: string): string {
  return createHash('sha256').update(hash).digest('base64url').slice(0, 22)
}

/** The mailboxes and domains of a key. A key that is limited to domains may use their mailboxes (decision D5). */
async function reachOf(
  { ids }: Services,
  reader: Reader,
  organization: number,
  { mailboxIds, domainIds }: KeyData,
): Promise<Pick<Principal, 'mailboxes' | 'domains'>> {
  const named = mailboxIds?.flatMap((id) => ids.accountNumber('mailbox', id) ?? [])
  if (domainIds === null) return { mailboxes: named ?? 'all' }
  const domains = domainIds.flatMap((id) => ids.decode(Domain, id)?.object ?? [])
  const within = (await listStored(reader, organization, MailAccount))
    .filter(({ data }) => domainIds.includes(data.domainId))
    .map(({ id }) => id)
  return { domains, mailboxes: named ? named.filter((account) => within.includes(account)) : within }
}

async function authenticatePassword(services: Services, given: string, password: string): Promise<Principal | null> {
  const address = normaliseAddress(given)
  const found = await services.store.read(async (reader) => {
    const row = address === null ? null : await findAddress(reader, address)
    if (row?.kind !== 'mailbox') return null
    const credential = await findCredential(reader, mailboxCredential(row.account))
    return credential?.verifier ? { row, verifier: credential.verifier } : null
  })
  const matches = await verifyPassword(found?.verifier ?? null, password)
  if (!found || !matches) return null
  const { account, organization } = found.row
  const verifier = await renewVerifier(services, account, found.verifier, password)
  return principalOfMailbox(services, organization, account, address!, verifier)
}
