/** The session resource: RFC 8620 2. */
import { hash } from 'node:crypto'
import type { JsonObject } from '../../server/base/json.ts'
import type { Principal } from '../../server/base/principal.ts'
import { mayUseMailbox } from '../../server/base/principal.ts'
import { statesOf } from '../../storage/change-log.ts'
import { findAccount, listAccounts } from '../../storage/repos/accounts.ts'
import type { AccountTable } from '../../storage/schema/tables.ts'
import { CORE } from './capabilities.ts'
import type { Capability, SessionAccount } from './capability.ts'
import type { Services } from './context.ts'
import { isReadOnly, type Registry, usableMethods } from './registry.ts'
import type { RequestReads } from './request-reads.ts'
import { makeUrlToken, type UrlUse } from './url-token.ts'

/** @param baseUrl scheme and host, without a slash at the end: all URLs are absolute. */
export async function describeSession(
  services: Services,
  registry: Registry,
  principal: Principal,
  baseUrl: string,
): Promise<JsonObject> {
  const rows = await visibleAccounts(services, principal)
  const accounts = rows.map((row) => ({
    id: services.ids.accountId(row.kind, row.id),
    ...describeAccount(services, registry, principal, row),
  }))
  const capabilities = [...registry.capabilities.values()]
  // The first account in which the capability can be used.
  const primary = capabilities.flatMap(({ urn, accounts: kind }) => {
    const found = accounts.find((account) => account.kind === kind && urn in account.shown.accountCapabilities)
    return found ? [[urn, found.id] as const] : []
  })
  // What browsers load by themselves carries no Authorization.
  const tokenFor = (use: UrlUse) => {
    const token = makeUrlToken(services, principal, use)
    return token === null ? '' : `&token=${token}`
  }
  return {
    capabilities: Object.fromEntries(
      capabilities.map(({ urn, server }) => [urn, server?.({ services, baseUrl }) ?? {}]),
    ),
    accounts: Object.fromEntries(accounts.map(({ id, shown }) => [id, shown])),
    primaryAccounts: Object.fromEntries(primary),
    username: principal.username,
    apiUrl: `${baseUrl}/jmap/api`,
    downloadUrl: `${baseUrl}/jmap/download/{accountId}/{blobId}/{name}?type={type}${tokenFor('download')}`,
    uploadUrl: `${baseUrl}/jmap/upload/{accountId}`,
    eventSourceUrl: `${baseUrl}/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}${tokenFor('events')}`,
    state: await sessionState(services, registry, services.store, principal),
  }
}

function describeAccount(services: Services, registry: Registry, principal: Principal, row: AccountTable) {
  // RFC 8620 2: an account has a capability if and only if the user may use methods of it in this account.
  const usable = new Set(usableMethods(registry, principal, row.kind).map(({ capability }) => capability))
  const session = { services, principal, account: row.id, blobTypes: registry.blobTypes }
  const shown = [...registry.capabilities.values()].filter((one) => usable.has(one.with ?? one) || one === CORE)
  return {
    kind: row.kind,
    shown: {
      name: row.name,
      isPersonal: principal.kind === 'mailbox' || row.kind === 'organization',
      isReadOnly: isReadOnly(registry, principal, row.kind),
      accountCapabilities: Object.fromEntries(
        shown.map((capability) => [capability.urn, accountCapability(registry, capability, session)]),
      ),
    },
  }
}

/** The capability's description of an account, with what its types add. */
function accountCapability({ types }: Registry, capability: Capability, session: SessionAccount): JsonObject {
  const own = types.filter(({ type }) => type.capability === capability)
  return Object.assign({}, capability.account?.(session), ...own.map(({ type }) => type.account?.(session)))
}

async function visibleAccounts(services: Services, principal: Principal): Promise<AccountTable[]> {
  return services.store.read(async (reader) => {
    const mailboxes = await listAccounts(reader, { kind: 'mailbox', organization: principal.organization })
    const own = principal.ownsOrganization ? await findAccount(reader, principal.organization) : null
    return [...(own ? [own] : []), ...mailboxes.filter((row) => mayUseMailbox(principal, row.organization, row.id))]
  })
}

/**
 * RFC 8620 3.4: changes whenever the session does. Accounts and their names change with the objects that describe them, access with the
 * key, limits with the configuration.
 */
export async function sessionState(
  { limits }: Pick<Services, 'limits'>,
  { accountTypes }: Pick<Registry, 'accountTypes'>,
  reads: Pick<RequestReads, 'read'>,
  principal: Principal,
): Promise<string> {
  if (principal.kind === 'system') return '0'
  return reads.read(async (reader) => {
    const states = await statesOf(reader, principal.organization, accountTypes)
    return [...states, tagOf(reachTags, principal, reachOf), tagOf(limitTags, limits)].join('-')
  })
}

/** Principals live as long as authentication caches them, limits as long as the core: each is hashed once. */
const reachTags = new WeakMap<Principal, string>()
const limitTags = new WeakMap<Services['limits'], string>()

function reachOf({ username, mailboxes, scopes }: Principal): unknown {
  return [username, mailboxes, scopes]
}

function tagOf<T extends object>(tags: WeakMap<T, string>, of: T, content: (of: T) => unknown = (it) => it): string {
  let tag = tags.get(of)
  if (tag === undefined) {
    tag = hash('sha256', JSON.stringify(content(of)), 'base64url').slice(0, 8)
    tags.set(of, tag)
  }
  return tag
}
