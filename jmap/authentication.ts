/** From a credential to a principal. Wrong ones all look the same, whatever is wrong with them (reliability.md A2). */
import type { Principal } from '../server/base/principal.ts'
import type { Reader } from '../storage/ports.ts'
import { findAccount } from '../storage/repos/accounts.ts'
import { findAddress, findCredential } from '../storage/repos/directory.ts'
import { findObject, listObjects } from '../storage/repos/objects.ts'
import type { Services } from './context.ts'
import type { Credential } from './core.ts'
import { normaliseAddress } from './mail/addresses.ts'
import { parseUTCDate } from './protocol/primitives.ts'
import { isIpAllowed } from './service/ip-ranges.ts'
import { isUseDue } from './service/key-use.ts'
import { apiKeyHash, isApiKey, mailboxCredential, verifyPassword } from './service/secrets.ts'

export function authenticate(services: Services, credential: Credential): Promise<Principal | null> {
  return credential.kind === 'bearer'
    ? authenticateKey(services, credential.token, credential.ip)
    : authenticatePassword(services, credential.address, credential.password)
}

/** The principal of an API key, and what its use is noted under. */
async function authenticateKey(services: Services, token: string, ip: string): Promise<Principal | null> {
  if (!isApiKey(token)) return null
  const { clock, ids } = services
  const found = await services.store.read(async (reader) => {
    const row = await findCredential(reader, apiKeyHash(token))
    const key = row && (await findObject(reader, row.account, 'ApiKey', row.object))
    if (!row || !key || !(await findAccount(reader, row.account))) return null
    const data = key.data as unknown as KeyData
    return { row, data, reach: await reachOf(services, reader, row.account, data) }
  })
  if (!found) return null
  const { row, data, reach } = found
  if (data.expiresAt !== null && parseUTCDate(data.expiresAt)! <= clock.now()) return null
  if (data.allowedIps !== null && !isIpAllowed(data.allowedIps, ip)) return null
  if (isUseDue(data.lastUsedAt, clock.now())) services.noteKeyUse(row.account, row.object)
  return {
    kind: 'apiKey',
    organization: row.account,
    ...reach,
    ownsOrganization: true,
    scopes: data.scopes,
    username: data.name || 'key',
    credential: ids.encode('ApiKey', row.account, row.object),
  }
}

interface KeyData {
  readonly name: string
  readonly expiresAt: string | null
  readonly allowedIps: readonly string[] | null
  readonly scopes: readonly string[]
  readonly mailboxIds: readonly string[] | null
  readonly domainIds: readonly string[] | null
  readonly lastUsedAt: string | null
}

/** The mailboxes and domains of a key. One that is limited to domains reaches the mailboxes of these (api/decisions.md D5). */
async function reachOf(
  { ids }: Services,
  reader: Reader,
  organization: number,
  { mailboxIds, domainIds }: KeyData,
): Promise<Pick<Principal, 'mailboxes' | 'domains'>> {
  const named = mailboxIds?.flatMap((id) => ids.decode('MailAccount', id)?.account ?? [])
  if (domainIds === null) return { mailboxes: named ?? 'all' }
  const domains = domainIds.flatMap((id) => ids.decode('Domain', id)?.object ?? [])
  const within = (await listObjects(reader, organization, 'MailAccount'))
    .filter(({ data }) => domainIds.includes(data['domainId'] as string))
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
  return {
    kind: 'mailbox',
    organization,
    mailboxes: [account],
    ownsOrganization: false,
    scopes: null,
    username: address!,
    credential: services.ids.encode('MailAccount', account),
  }
}
