/** From a credential to a principal. Wrong ones all look the same, whatever is wrong with them (reliability.md A2). */
import type { Principal } from '../server/base/principal.ts'
import { findAccount } from '../storage/repos/accounts.ts'
import { findAddress, findCredential } from '../storage/repos/directory.ts'
import { findObject } from '../storage/repos/objects.ts'
import type { Services } from './context.ts'
import type { Credential } from './core.ts'
import { normaliseAddress } from './mail/addresses.ts'
import { parseUTCDate } from './protocol/primitives.ts'
import { apiKeyHash, isApiKey, mailboxCredential, verifyPassword } from './service/secrets.ts'

export function authenticate(services: Services, credential: Credential): Promise<Principal | null> {
  return credential.kind === 'bearer'
    ? authenticateKey(services, credential.token, credential.ip)
    : authenticatePassword(services, credential.address, credential.password)
}

async function authenticateKey(services: Services, token: string, ip: string): Promise<Principal | null> {
  if (!isApiKey(token)) return null
  return services.store.read(async (reader) => {
    const row = await findCredential(reader, apiKeyHash(token))
    const key = row && (await findObject(reader, row.account, 'ApiKey', row.object))
    if (!row || !key || !(await findAccount(reader, row.account))) return null
    const { expiresAt, allowedIps, scopes, mailboxIds } = key.data as unknown as KeyData
    if (expiresAt !== null && parseUTCDate(expiresAt)! <= services.clock.now()) return null
    if (allowedIps !== null && !allowedIps.includes(ip)) return null
    return {
      kind: 'apiKey',
      organization: row.account,
      mailboxes:
        mailboxIds === null ? 'all' : mailboxIds.flatMap((id) => services.ids.decode('MailAccount', id)?.account ?? []),
      ownsOrganization: true,
      scopes,
      username: (key.data['name'] as string) || 'key',
      credential: services.ids.encode('ApiKey', row.account, row.object),
    }
  })
}

interface KeyData {
  readonly expiresAt: string | null
  readonly allowedIps: readonly string[] | null
  readonly scopes: readonly string[]
  readonly mailboxIds: readonly string[] | null
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
